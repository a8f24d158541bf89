// The floor: the least that a watcher in C can do to freeze a program, hold its socket and thaw it on a byte.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The receiver keeps its end of the socket pair as 3; its connection and its epoll follow.
enum { bench_done = 3, bench_line = 4 };

struct bench_watch {
  int loop, done, process, freeze, events, held;
};

static void bench_control_epoll(const struct bench_watch *watch, int action, int descriptor,
                                uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = descriptor};
  if (epoll_ctl(watch->loop, action, descriptor, &event) < 0)
    bench_fail("cannot change the epoll set: %s", strerror(errno));
}

static void bench_sleep(struct bench_watch *watch) {
  bench_write(watch->freeze, "1");
  bench_await_frozen(watch->events, 0);
  watch->held = (int)syscall(SYS_pidfd_getfd, watch->process, bench_line, 0);
  if (watch->held < 0 && errno == ESRCH) _exit(0);  // the receiver has ended with the sender
  if (watch->held < 0) bench_fail("cannot take the socket: %s", strerror(errno));
  bench_control_epoll(watch, EPOLL_CTL_ADD, watch->held, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT);
}

static void bench_wake(struct bench_watch *watch) {
  bench_write(watch->freeze, "0");
  bench_control_epoll(watch, EPOLL_CTL_DEL, watch->held, 0);
  close(watch->held);
}

static _Noreturn void bench_watch(struct bench_watch *watch) {
  struct epoll_event event;
  char byte;
  bench_control_epoll(watch, EPOLL_CTL_ADD, watch->done, EPOLLIN);
  for (;;) {
    if (epoll_wait(watch->loop, &event, 1, -1) < 0) continue;
    if (event.data.fd != watch->done) bench_wake(watch);
    else if (read(watch->done, &byte, 1) == 1) bench_sleep(watch);
    else _exit(0);
  }
}

_Noreturn void bench_watcher(const char *cgroup, uint16_t port) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
    bench_fail("cannot make a socket pair: %s", strerror(errno));
  pid_t receiver = bench_fork(pair[1]);
  if (receiver == 0) {
    bench_enter_cgroup(cgroup);
    bench_receiver(port, bench_done);
  }
  close(pair[1]);
  struct bench_watch watch = {
      .loop = epoll_create1(EPOLL_CLOEXEC),
      .done = pair[0],
      .process = (int)syscall(SYS_pidfd_open, receiver, 0),
      .freeze = bench_open_in(cgroup, "cgroup.freeze", O_WRONLY),
      .events = bench_open_in(cgroup, "cgroup.events", O_RDONLY),
  };
  if (watch.loop < 0 || watch.process < 0) bench_fail("cannot watch the receiver: %s", strerror(errno));
  bench_watch(&watch);
}
