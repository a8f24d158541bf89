#include <poll.h>
#include <stdlib.h>

#include "callbacks.h"

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
  stream->control.socket = stream->memory = stream->doorbell = -1;
  stream->set = stream->event = stream->timer = -1;
  pthread_mutex_init(&stream->lock, NULL);
  return stream;
}

void lull_stream_free(struct lull_stream *stream) {
  lull_session_close(stream);
  lull_control_close(&stream->control);
  lull_ring_destroy(stream);
  lull_readiness_destroy(stream);
  lull_config_free(&stream->config);
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

static void describe(struct lull_stream *stream) {
  stream->io.version = SND_PCM_IOPLUG_VERSION;
  stream->io.name = "Lull";
  /* Without BOUNDARY_WA ALSA counts positions within the buffer, and misses whole rounds of a stopped
     program. */
  stream->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  stream->io.poll_fd = stream->set;
  stream->io.poll_events = POLLIN;
  stream->io.callback = &lull_callbacks;
  stream->io.private_data = stream;
}

/* Frees the stream on failure. From snd_pcm_ioplug_create on the stream belongs to ALSA's object. */
static int create(struct lull_stream *stream, const char *name, snd_pcm_stream_t direction, int mode) {
  int error = lull_readiness_create(stream);
  if (error == 0) error = lull_session_connect(stream);
  if (error == 0) {
    describe(stream);
    error = snd_pcm_ioplug_create(&stream->io, name, direction, mode);
  }
  if (error < 0) {
    lull_stream_free(stream);
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
    lull_stream_free(opened);
    return error;
  }
  error = create(opened, name, stream, mode);
  if (error == 0) *pcmp = opened->io.pcm;
  return error;
}

SND_PCM_PLUGIN_SYMBOL(lull);
