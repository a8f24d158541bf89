#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "pcm_lull.h"

/* The program polls one descriptor for the life of the stream: programs keep it, and the doorbell changes
   with each restart of lulld. */
int lull_readiness_create(struct lull_stream *stream) {
  stream->set = epoll_create1(EPOLL_CLOEXEC);
  stream->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  stream->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (stream->set < 0 || stream->event < 0 || stream->timer < 0) return -errno;
  int error = lull_readiness_watch(stream, stream->event);
  return error < 0 ? error : lull_readiness_watch(stream, stream->timer);
}

void lull_readiness_destroy(struct lull_stream *stream) {
  if (stream->timer >= 0) close(stream->timer);
  if (stream->event >= 0) close(stream->event);
  if (stream->set >= 0) close(stream->set);
}

int lull_readiness_watch(struct lull_stream *stream, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN};
  return epoll_ctl(stream->set, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

void lull_readiness_signal(struct lull_stream *stream, bool ready) {
  uint64_t count = 1;
  if (ready == stream->is_ready) return;
  ssize_t done = ready ? write(stream->event, &count, sizeof count)
                       : read(stream->event, &count, sizeof count);
  if (done == sizeof count) stream->is_ready = ready;
}

void lull_readiness_retry(struct lull_stream *stream, unsigned msec) {
  struct itimerspec time = {.it_value = {.tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000}};
  timerfd_settime(stream->timer, 0, &time, NULL);
}

/* The queued frames at which the program is woken. A program with a small buffer is woken for at least a
   quarter of its ring. */
static uint64_t kept_frames(const struct lull_stream *stream) {
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
  uint64_t kept = stream->format.low_water ? stream->format.low_water : kept_frames(stream);
  return application > kept ? application - kept : 1;
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
    /* In the other states there is nothing to wait for. */
    default: return true;
  }
}

bool lull_readiness_enter(struct lull_stream *stream, snd_pcm_state_t state) {
  if (!stream->ring) return true;
  bool ready = is_ready(stream, state);
  bool is_moving = state == SND_PCM_STATE_RUNNING || state == SND_PCM_STATE_DRAINING;
  lull_ring_store64(&stream->ring->doorbell_at, ready || !is_moving ? 0 : mark(stream, state));
  lull_readiness_signal(stream, ready);
  return ready;
}

bool lull_readiness_update(struct lull_stream *stream) {
  return lull_readiness_enter(stream, stream->io.state);
}

int64_t lull_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void lull_readiness_wait(struct lull_stream *stream, int msec) {
  struct pollfd set = {.fd = stream->set, .events = POLLIN};
  lull_readiness_signal(stream, false);
  /* The timer of look_again would otherwise end each wait at once. */
  if (stream->link == LULL_OPEN) lull_readiness_retry(stream, 0);
  poll(&set, 1, msec);
}
