#include "pcm_lull.h"

static const char *sample_word(snd_pcm_format_t format) {
  switch (format) {
    case SND_PCM_FORMAT_U8: return "u8";
    case SND_PCM_FORMAT_S16_LE: return "s16";
    case SND_PCM_FORMAT_S24_3LE: return "s24";
    case SND_PCM_FORMAT_S32_LE: return "s32";
    case SND_PCM_FORMAT_FLOAT_LE: return "f32";
    default: return NULL;
  }
}

static size_t larger(size_t one, size_t other) { return one > other ? one : other; }

/* A deep ring holds its seconds, whatever ALSA's buffer. The program is woken when a sixth of the ring is
   left, but at least the half second that lull-audio hands to the device ahead. A small buffer has a ring of
   40 ms, since less runs dry between two passes of lull-audio: ALSA can limit only bytes, not time. */
static void size_ring(struct lull_stream *stream) {
  struct lull_session_format *format = &stream->format;
  size_t deep = (size_t)(stream->config.deep * format->rate);
  size_t buffer = stream->io.buffer_size;
  format->frames = larger(deep, buffer);
  format->low_water = 0;
  if (deep > buffer) {
    size_t half_second = format->rate / 2;
    format->low_water = larger(deep / 6, half_second < deep / 2 ? half_second : deep / 2);
  } else if (stream->io.stream == SND_PCM_STREAM_PLAYBACK) {
    format->frames = larger(buffer, format->rate / 25);
  }
  stream->limit = format->frames;
  format->latency_usec = lull_session_latency(stream);
}

static int open_session(struct lull_stream *stream) {
  int error = lull_ring_create(stream, stream->format.frames);
  if (error == 0 && !lull_control_attend(stream)) error = lull_control_connect(stream, true);
  if (error == 0) error = lull_session_open(stream);
  if (error < 0) lull_ring_destroy(stream);
  return error;
}

int lull_on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
  (void)parameters;
  struct lull_stream *stream = io->private_data;
  int width = snd_pcm_format_physical_width(io->format);
  if (io->buffer_size < 64 || io->buffer_size > 30ul * io->rate || width <= 0) {
    SNDERR("lull: a buffer of %lu frames at %u Hz: 64 frames to 30 s are possible", io->buffer_size,
           io->rate);
    return -EINVAL;
  }
  pthread_mutex_lock(&stream->lock);
  lull_session_close(stream);
  stream->frame_bytes = (size_t)width / 8 * io->channels;
  stream->format.sample = sample_word(io->format);
  stream->format.rate = io->rate;
  stream->format.channels = io->channels;
  lull_channels_reset(stream);
  size_ring(stream);
  int error = open_session(stream);
  pthread_mutex_unlock(&stream->lock);
  return error;
}

int lull_on_hw_free(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  pthread_mutex_lock(&stream->lock);
  lull_session_close(stream);
  lull_ring_destroy(stream);
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

int lull_on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
  struct lull_stream *stream = io->private_data;
  snd_pcm_uframes_t wake, stop, boundary;
  int error = snd_pcm_sw_params_get_avail_min(parameters, &wake);
  if (error == 0) error = snd_pcm_sw_params_get_stop_threshold(parameters, &stop);
  if (error == 0) error = snd_pcm_sw_params_get_boundary(parameters, &boundary);
  if (error < 0) return error;
  pthread_mutex_lock(&stream->lock);
  snd_pcm_uframes_t most = stream->limit > io->buffer_size ? lull_position_window(stream) : io->buffer_size;
  stream->wake_frames = wake < 1 ? 1 : wake > most ? most : wake;
  stream->boundary = boundary;
  stream->ignores_xrun = stop > io->buffer_size;
  if (stream->ring) {
    lull_position_sync(stream);
    lull_readiness_update(stream);
  }
  pthread_mutex_unlock(&stream->lock);
  return 0;
}

/* Waits until lull-audio has moved beyond the dropped frames at its next pass: they take up room. */
static bool wait_for_drop(struct lull_stream *stream) {
  uint64_t written = lull_ring_load64(&stream->ring->written);
  int64_t deadline = lull_milliseconds() + 1000;
  for (;;) {
    lull_ring_store64(&stream->ring->doorbell_at, written);
    if (lull_ring_load64(&stream->ring->moved) >= written) return true;
    int64_t left = deadline - lull_milliseconds();
    if (left <= 0 || stream->link != LULL_OPEN) return false;
    lull_pollset_wait(stream, (int)left);
    lull_session_attend(stream);
  }
}

/* Makes a new ring and forgets the old one with its frames: lull-audio did not move on. */
static int begin_anew(struct lull_stream *stream) {
  bool was_open = stream->link == LULL_OPEN;
  if (was_open) lull_session_close(stream);
  int error = lull_ring_create(stream, stream->format.frames);
  if (error < 0) {
    /* No ring is left that could be offered to a daemon. */
    lull_session_close(stream);
    return error;
  }
  lull_ring_store32(&stream->ring->transport, LULL_RING_PAUSE);
  /* A stream without a session tries again by its timer: the next daemon is offered the new ring. */
  if (was_open) lull_session_resume(stream);
  return stream->link == LULL_GIVEN_UP ? -ENODEV : 0;
}

static int prepare_playback(struct lull_stream *stream) {
  uint64_t written = lull_ring_load64(&stream->ring->written);
  /* Paused, not stopped: a stop would drop the frames that are written before the start. */
  lull_ring_store64(&stream->ring->flushed, written);
  lull_session_pause(stream);
  if (wait_for_drop(stream)) {
    /* A program that has rewound beyond the frames played by then goes on behind them. */
    uint64_t moved = lull_ring_load64(&stream->ring->moved);
    stream->base = moved > written ? moved : written;
    lull_ring_store64(&stream->ring->written, stream->base);
    return 0;
  }
  return begin_anew(stream);
}

int lull_on_prepare(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  int error = 0;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  lull_session_attend(stream);
  if (lull_session_is_over(stream)) {
    error = -ENODEV;
  } else if (io->stream == SND_PCM_STREAM_PLAYBACK) {
    error = prepare_playback(stream);
  } else {
    stream->base = lull_ring_load64(&stream->ring->moved);
    lull_ring_store64(&stream->ring->written, stream->base);
  }
  if (error == 0) {
    stream->application = stream->hardware = stream->base;
    stream->application_pointer = io->appl_ptr;
    stream->refilling = true;
    lull_pollset_signal(stream, true);
  }
  pthread_mutex_unlock(&stream->lock);
  return error;
}
