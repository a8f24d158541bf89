#include <poll.h>
#include <unistd.h>

#include "callbacks.h"

enum { again_msec = 50 };

/* True after snd_pcm_abort, which programs call when a signal ends them. ALSA itself checks for it only after
   a poll that the signal interrupted, and waits on when the signal came at another moment. */
static bool is_aborted(const snd_pcm_ioplug_t *io) { return io->nonblock == 2; }

int lull_on_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space) {
  if (is_aborted(io)) return -EINTR;
  if (space < 1) return 0;
  *descriptors = (struct pollfd){.fd = io->poll_fd, .events = (short)(io->poll_events | POLLERR | POLLNVAL)};
  return 1;
}

/* Lets a program that waits in vain check once more soon: a signal between a check and ALSA's next poll would
   be lost. */
static void look_again(struct lull_stream *stream) {
  uint64_t expirations;
  if (stream->io.nonblock || stream->link != LULL_OPEN) return;
  if (read(stream->timer, &expirations, sizeof expirations) < 0) lull_readiness_retry(stream, again_msec);
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
