#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "pcm_lull.h"

/* The program polls one descriptor for the life of the stream: programs keep it, and the doorbell changes
   with each restart of lulld. */
int lull_pollset_create(struct lull_stream *stream) {
  stream->set = epoll_create1(EPOLL_CLOEXEC);
  stream->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  stream->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (stream->set < 0 || stream->event < 0 || stream->timer < 0) return -errno;
  int error = lull_pollset_watch(stream, stream->event);
  return error < 0 ? error : lull_pollset_watch(stream, stream->timer);
}

void lull_pollset_destroy(struct lull_stream *stream) {
  if (stream->timer >= 0) close(stream->timer);
  if (stream->event >= 0) close(stream->event);
  if (stream->set >= 0) close(stream->set);
}

int lull_pollset_watch(struct lull_stream *stream, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN};
  return epoll_ctl(stream->set, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

void lull_pollset_signal(struct lull_stream *stream, bool ready) {
  uint64_t count = 1;
  if (ready == stream->is_ready) return;
  ssize_t done = ready ? write(stream->event, &count, sizeof count)
                       : read(stream->event, &count, sizeof count);
  if (done == sizeof count) stream->is_ready = ready;
}

void lull_pollset_retry(struct lull_stream *stream, unsigned msec) {
  struct itimerspec time = {.it_value = {.tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000}};
  timerfd_settime(stream->timer, 0, &time, NULL);
}

int64_t lull_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void lull_pollset_wait(struct lull_stream *stream, int msec) {
  struct pollfd set = {.fd = stream->set, .events = POLLIN};
  lull_pollset_signal(stream, false);
  /* The timer of look_again would otherwise end each wait at once. */
  if (stream->link == LULL_OPEN) lull_pollset_retry(stream, 0);
  poll(&set, 1, msec);
}
