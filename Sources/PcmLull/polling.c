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
  bool is_ready = true;
  if (stream->ring) {
    lull_session_attend(stream);
    lull_position_sync(stream);
    is_ready = lull_readiness_update(stream);
  }
  *events = !is_ready ? 0 : io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
  if (io->state == SND_PCM_STATE_XRUN || io->state == SND_PCM_STATE_DISCONNECTED) *events |= POLLERR;
  if (!*events) look_again(stream);
  pthread_mutex_unlock(&stream->lock);
  return is_aborted(io) ? -EINTR : 0;
}
