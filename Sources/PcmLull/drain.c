#include "pcm_lull.h"

/* The time after which a lull-audio that plays nothing is given up. Where no device can be opened, it gives
   the session up itself before that, with the reason. */
static const int64_t patience_msec = 15000;

enum drain_outcome { DRAIN_GOES_ON, DRAIN_DONE, DRAIN_FAILED };

static enum drain_outcome look(struct lull_stream *stream) {
  if (lull_position_moved(stream) >= stream->application) return DRAIN_DONE;
  return lull_session_is_over(stream) ? DRAIN_FAILED : DRAIN_GOES_ON;
}

static int wait_for_end(struct lull_stream *stream) {
  uint64_t moved = lull_position_moved(stream);
  int64_t deadline = lull_milliseconds() + patience_msec;
  for (;;) {
    switch (look(stream)) {
      case DRAIN_DONE: return 0;
      case DRAIN_FAILED: return -ENODEV;
      case DRAIN_GOES_ON: break;
    }
    /* The wait begins anew during an interruption, and when frames have played during a freeze. */
    bool is_held = lull_ring_load32(&stream->ring->state) == LULL_RING_HELD;
    if (is_held || lull_position_moved(stream) != moved) deadline = lull_milliseconds() + patience_msec;
    moved = lull_position_moved(stream);
    int64_t left = deadline - lull_milliseconds();
    if (left <= 0) {
      SNDERR("lull: the rest was not heard: nothing has played for %d s; `lull doctor` says what is missing",
             (int)(patience_msec / 1000));
      return -ETIMEDOUT;
    }
    /* The program called snd_pcm_abort, because a signal ends it. */
    if (stream->io.nonblock == 2) return -EINTR;
    if (lull_readiness_update(stream)) continue;
    pthread_mutex_unlock(&stream->lock);
    lull_pollset_wait(stream, (int)left);
    pthread_mutex_lock(&stream->lock);
    lull_session_attend(stream);
  }
}

int lull_on_drain(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  int error = 0;
  if (io->stream == SND_PCM_STREAM_CAPTURE) return 0;
  if (!stream->ring) return -EBADFD;
  pthread_mutex_lock(&stream->lock);
  lull_position_sync(stream);
  lull_session_attend(stream);
  if (lull_ring_load32(&stream->ring->transport) != LULL_RING_DRAIN)
    lull_session_set_transport(stream, LULL_RING_DRAIN);
  enum drain_outcome outcome = look(stream);
  if (!io->nonblock) {
    error = wait_for_end(stream);
  } else if (outcome != DRAIN_DONE) {
    lull_readiness_update(stream);
    error = outcome == DRAIN_FAILED ? -ENODEV : -EAGAIN;
  }
  pthread_mutex_unlock(&stream->lock);
  return error;
}
