#include <poll.h>
#include <unistd.h>

#include "pcm_lull.h"

/* The program is woken when so many frames are left. A program with a small buffer is woken for at least a
   quarter of its ring. */
static uint64_t frames_left(const struct lull_stream *stream) {
  uint64_t frames = stream->limit, wake = stream->wake_frames;
  if (frames > stream->io.buffer_size && wake < frames / 4) wake = frames / 4;
  return frames - wake;
}

/* The position at which the doorbell is to ring: `wake_frames` can be written or read, a deep buffer is low,
   or all has been played. */
static uint64_t mark(const struct lull_stream *stream, snd_pcm_state_t state) {
  uint64_t application = stream->application;
  if (state == SND_PCM_STATE_DRAINING) return application;
  if (stream->io.stream == SND_PCM_STREAM_CAPTURE) return application + stream->wake_frames;
  uint64_t left = stream->format.low_water ? stream->format.low_water : frames_left(stream);
  return application > left ? application - left : 1;
}

static bool is_ready(struct lull_stream *stream, snd_pcm_state_t state) {
  if (lull_session_is_over(stream)) return true;
  switch (state) {
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
      if (state == SND_PCM_STATE_RUNNING && lull_position_is_xrun(stream)) return true;
      return lull_position_avail(stream, lull_position_hardware(stream)) >= stream->wake_frames;
    case SND_PCM_STATE_DRAINING: return lull_position_moved(stream) >= stream->application;
    default: return true; /* There is nothing to wait for. */
  }
}

bool lull_readiness_enter(struct lull_stream *stream, snd_pcm_state_t state) {
  if (!stream->ring) return true;
  bool ready = is_ready(stream, state);
  bool is_moving = state == SND_PCM_STATE_RUNNING || state == SND_PCM_STATE_DRAINING;
  lull_ring_store64(&stream->ring->doorbell_at, ready || !is_moving ? 0 : mark(stream, state));
  lull_pollset_signal(stream, ready);
  return ready;
}

bool lull_readiness_update(struct lull_stream *stream) {
  return lull_readiness_enter(stream, stream->io.state);
}

/* Programs call snd_pcm_abort when a signal ends them. ALSA itself checks for it only after a poll that the
   signal interrupted, and waits on when the signal came at another moment. */
static bool is_aborted(const snd_pcm_ioplug_t *io) { return io->nonblock == 2; }

int lull_on_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space) {
  if (is_aborted(io)) return -EINTR;
  if (space < 1) return 0;
  *descriptors = (struct pollfd){.fd = io->poll_fd, .events = (short)(io->poll_events | POLLERR | POLLNVAL)};
  return 1;
}

/* A program that waits in vain checks once more soon: a signal between a check and ALSA's next poll would be
   lost. */
static void look_again(struct lull_stream *stream) {
  static const unsigned again_msec = 50;
  uint64_t expirations;
  if (stream->io.nonblock || stream->link != LULL_OPEN) return;
  if (read(stream->timer, &expirations, sizeof expirations) < 0) lull_pollset_retry(stream, again_msec);
}

int lull_on_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                         unsigned short *events) {
  struct lull_stream *stream = io->private_data;
  if (count != 1 || descriptors[0].fd != stream->set) return -EINVAL;
  pthread_mutex_lock(&stream->lock);
  bool is_ready = true, is_drained = false;
  if (stream->ring) {
    lull_session_attend(stream);
    lull_position_sync(stream);
    /* Hardware leaves this state by itself. ALSA looks for the end only when the pointer is asked for: a
       program that waits for another state, as mpd does, would spin. */
    bool is_draining = io->state == SND_PCM_STATE_DRAINING;
    if (is_draining && lull_session_is_over(stream)) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    is_ready = lull_readiness_update(stream);
    is_drained = is_ready && io->state == SND_PCM_STATE_DRAINING;
  }
  *events = !is_ready ? 0 : io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
  if (io->state == SND_PCM_STATE_XRUN || io->state == SND_PCM_STATE_DISCONNECTED) *events |= POLLERR;
  if (!*events) look_again(stream);
  pthread_mutex_unlock(&stream->lock);
  if (is_drained) snd_pcm_drop(io->pcm);
  return is_aborted(io) ? -EINTR : 0;
}
