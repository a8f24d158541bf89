#include <poll.h>
#include <stdlib.h>

#include "pcm_lull.h"

static int set_constraints(struct lull_stream *stream) {
  static const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S32_LE,
                                     SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_U8};
  snd_pcm_ioplug_t *io = &stream->io;
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
  if (error == 0) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 5, formats);
  if (error == 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 8);
  if (error == 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, 8000, 192000);
  if (error == 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
  if (error == 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 16, 1 << 22);
  /* ALSA limits bytes only: 30 s of the usual format. lull_on_hw_params checks the frames. */
  if (error == 0)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 64, 30 * 48000 * 4);
  return error;
}

static struct lull_stream *new_stream(void) {
  struct lull_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->memory = stream->doorbell = -1;
  stream->set = stream->event = stream->timer = -1;
  pthread_mutex_init(&stream->lock, NULL);
  return stream;
}

static void free_stream(struct lull_stream *stream) {
  lull_session_close(stream);
  lull_control_close(stream);
  lull_ring_destroy(stream);
  lull_pollset_destroy(stream);
  lull_config_free(&stream->config);
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

/* ALSA calls start, stop, pointer, transfer and pause inside its own lock: apart from note_time, they call no
   function of ALSA that takes this lock. */
static int on_start(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  if (io->stream == SND_PCM_STREAM_CAPTURE) {
    stream->base = stream->application = stream->hardware = lull_ring_load64(&stream->ring->moved);
    stream->application_pointer = io->appl_ptr;
    stream->overruns = lull_ring_load32(&stream->ring->starved);
    lull_ring_store64(&stream->ring->written, stream->base);
  }
  lull_session_choose_depth(stream);
  lull_readiness_enter(stream, SND_PCM_STATE_RUNNING);
  lull_session_set_transport(stream, LULL_RING_PLAY);
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  if (!stream->ring || stream->is_telling_xrun) return 0;
  pthread_mutex_lock(&stream->lock);
  if (io->stream == SND_PCM_STREAM_PLAYBACK) {
    lull_ring_store64(&stream->ring->flushed, lull_ring_load64(&stream->ring->written));
  }
  lull_session_pause(stream);
  lull_readiness_enter(stream, SND_PCM_STATE_SETUP);
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

static int on_pause(snd_pcm_ioplug_t *io, int enable) {
  struct lull_stream *stream = io->private_data;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  lull_position_sync(stream);
  lull_readiness_enter(stream, enable ? SND_PCM_STATE_PAUSED : SND_PCM_STATE_RUNNING);
  if (enable) {
    lull_session_pause(stream);
  } else {
    lull_session_set_transport(stream, LULL_RING_PLAY);
  }
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

/* ALSA records the time of a stop, but not of an underrun. So the stream stops first; `is_telling_xrun` keeps
   on_stop from doing more. */
static void note_time(struct lull_stream *stream) {
  stream->is_telling_xrun = true;
  snd_pcm_drop(stream->io.pcm);
  stream->is_telling_xrun = false;
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  lull_session_attend(stream);
  lull_position_sync(stream);
  uint64_t position = lull_position_hardware(stream) - stream->base;
  snd_pcm_sframes_t pointer = (snd_pcm_sframes_t)(stream->boundary ? position % stream->boundary : position);
  if (lull_session_is_over(stream)) {
    /* ALSA takes every negative position for an underrun; the disconnected state gives -ENODEV. */
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
  } else if (lull_position_is_xrun(stream)) {
    pointer = -EPIPE;
  }
  lull_readiness_update(stream);
  pthread_mutex_unlock(&stream->lock);
  if (pointer == -EPIPE) note_time(stream);
  return pointer;
}

static snd_pcm_uframes_t put(struct lull_stream *stream, void *frames, snd_pcm_uframes_t size) {
  uint64_t queued = stream->application - lull_position_moved(stream);
  uint64_t room = stream->format.frames > queued ? stream->format.frames - queued : 0;
  if (size > room) size = room;
  lull_ring_copy(stream, stream->application, frames, size, true);
  stream->application += size;
  stream->application_pointer += size;
  lull_position_tell(stream);
  return size;
}

/* ALSA moves the program's pointer: frames that the program saw and did not take are given again. */
static snd_pcm_uframes_t get(struct lull_stream *stream, void *frames, snd_pcm_uframes_t size) {
  uint64_t filled = lull_position_moved(stream) - stream->application;
  if (size > filled) size = filled;
  lull_ring_copy(stream, stream->application, frames, size, false);
  return size;
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  struct lull_stream *stream = io->private_data;
  char *frames = (char *)areas->addr + (areas->first + areas->step * offset) / 8;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  lull_position_sync(stream);
  size = io->stream == SND_PCM_STREAM_PLAYBACK ? put(stream, frames, size) : get(stream, frames, size);
  lull_readiness_update(stream);
  pthread_mutex_unlock(&stream->lock);
  /* ALSA asks only for frames that the pointer allows; after a result of 0 it would ask for ever. */
  return size > 0 ? (snd_pcm_sframes_t)size : -EIO;
}

static int on_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  struct lull_stream *stream = io->private_data;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  stream->asks_delay = true;
  lull_position_sync(stream);
  uint64_t position = lull_position_now(stream);
  bool is_playback = io->stream == SND_PCM_STREAM_PLAYBACK;
  *delay = (snd_pcm_sframes_t)(is_playback ? stream->application - position : position - stream->application);
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

static int on_close(snd_pcm_ioplug_t *io) {
  free_stream(io->private_data);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = on_start,
    .stop = on_stop,
    .pointer = on_pointer,
    .transfer = on_transfer,
    .close = on_close,
    .hw_params = lull_on_hw_params,
    .hw_free = lull_on_hw_free,
    .sw_params = lull_on_sw_params,
    .prepare = lull_on_prepare,
    .drain = lull_on_drain,
    .pause = on_pause,
    .poll_descriptors = lull_on_poll_descriptors,
    .poll_revents = lull_on_poll_revents,
    .delay = on_delay,
    .query_chmaps = lull_on_query_chmaps,
    .get_chmap = lull_on_get_chmap,
    .set_chmap = lull_on_set_chmap,
};

static void describe(struct lull_stream *stream) {
  stream->io.version = SND_PCM_IOPLUG_VERSION;
  stream->io.name = "Lull";
  /* Without BOUNDARY_WA ALSA counts positions within the buffer, and misses whole rounds of a stopped
     program. */
  stream->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  stream->io.poll_fd = stream->set;
  stream->io.poll_events = POLLIN;
  stream->io.callback = &callbacks;
  stream->io.private_data = stream;
}

/* Frees the stream on failure. From snd_pcm_ioplug_create on the stream belongs to ALSA's object. */
static int create(struct lull_stream *stream, const char *name, snd_pcm_stream_t direction, int mode) {
  int error = lull_pollset_create(stream);
  if (error == 0) error = lull_control_connect(stream, true);
  if (error == 0) {
    describe(stream);
    error = snd_pcm_ioplug_create(&stream->io, name, direction, mode);
  }
  if (error < 0) {
    free_stream(stream);
    return error;
  }
  /* ALSA reports only later changes of the mode. */
  stream->io.nonblock = (mode & SND_PCM_NONBLOCK) != 0;
  error = set_constraints(stream);
  if (error < 0) snd_pcm_ioplug_delete(&stream->io);
  return error;
}

SND_PCM_PLUGIN_DEFINE_FUNC(lull) {
  (void)root;
  struct lull_stream *opened = new_stream();
  if (!opened) return -ENOMEM;
  int error = lull_config_read(&opened->config, conf, stream);
  if (error < 0) {
    free_stream(opened);
    return error;
  }
  error = create(opened, name, stream, mode);
  if (error == 0) *pcmp = opened->io.pcm;
  return error;
}

SND_PCM_PLUGIN_SYMBOL(lull);
