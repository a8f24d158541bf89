#include "callbacks.h"

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

/* Drops the frames that were not played. */
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
  lull_stream_free(io->private_data);
  return 0;
}

const snd_pcm_ioplug_callback_t lull_callbacks = {
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
