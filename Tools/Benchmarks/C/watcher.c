// The floor: the least that a watcher in C can do to freeze programs, hold a socket of each and thaw it on a
// byte.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The receiver keeps its end of the socket pair as 3; its connection and its epoll follow.
enum { bench_done = 3, bench_line = 4, bench_batch = 128, bench_quiet = 2 };

/// A program. What becomes readable while nothing is held is the other end of its socket pair.
struct bench_watched {
  int done, process, freeze, events, held;
  bool is_done;
};

static void bench_control_epoll(int loop, int action, int descriptor, struct bench_watched *program,
                                uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = program};
  if (epoll_ctl(loop, action, descriptor, &event) < 0)
    bench_fail("cannot change the epoll set: %s", strerror(errno));
}

static void bench_sleep(int loop, struct bench_watched *program) {
  program->is_done = false;
  bench_write(program->freeze, "1");
  bench_await_frozen(program->events, 0);
  program->held = (int)syscall(SYS_pidfd_getfd, program->process, bench_line, 0);
  if (program->held < 0 && errno == ESRCH) _exit(0);  // the receiver has ended with the sender
  if (program->held < 0) bench_fail("cannot take the socket: %s", strerror(errno));
  bench_control_epoll(loop, EPOLL_CTL_ADD, program->held, program, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT);
}

static void bench_release(int loop, struct bench_watched *program) {
  bench_control_epoll(loop, EPOLL_CTL_DEL, program->held, program, 0);
  close(program->held);
  program->held = -1;
}

static void bench_hear_done(struct bench_watched *program) {
  char byte;
  if (read(program->done, &byte, 1) != 1) _exit(0);
  program->is_done = true;
}

/// All are thawed before anything else is done. Who is done is put to sleep when nobody has anything to say:
/// a wake does not wait for another's freeze.
static _Noreturn void bench_watch(int loop, struct bench_watched *programs, unsigned count) {
  struct epoll_event events[bench_batch];
  unsigned done = 0;
  for (;;) {
    int ready = epoll_wait(loop, events, bench_batch, done ? bench_quiet : -1);
    for (int index = 0; index < ready; index++) {
      struct bench_watched *program = events[index].data.ptr;
      if (program->held >= 0) bench_write(program->freeze, "0");
    }
    for (int index = 0; index < ready; index++) {
      struct bench_watched *program = events[index].data.ptr;
      if (program->held >= 0) bench_release(loop, program);
      else bench_hear_done(program), done++;
    }
    for (unsigned number = 0; ready == 0 && number < count; number++)
      if (programs[number].is_done) bench_sleep(loop, &programs[number]), done--;
  }
}

static void bench_start_watched(struct bench_watched *program, const char *root, unsigned number,
                                uint16_t port) {
  char cgroup[PATH_MAX];
  int pair[2];
  bench_path(cgroup, "%s/%u", root, number);
  bench_make_cgroup(cgroup);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
    bench_fail("cannot make a socket pair: %s", strerror(errno));
  pid_t receiver = bench_fork(pair[1]);
  if (receiver == 0) {
    bench_enter_cgroup(cgroup);
    bench_receiver(port, bench_done);
  }
  close(pair[1]);
  *program = (struct bench_watched){
      .done = pair[0],
      .process = (int)syscall(SYS_pidfd_open, receiver, 0),
      .freeze = bench_open_in(cgroup, "cgroup.freeze", O_WRONLY),
      .events = bench_open_in(cgroup, "cgroup.events", O_RDONLY),
      .held = -1,
  };
  if (program->process < 0) bench_fail("cannot watch the receiver: %s", strerror(errno));
}

_Noreturn void bench_watcher(const char *cgroup, uint16_t port, unsigned count) {
  struct bench_watched *programs = calloc(count, sizeof *programs);
  int loop = epoll_create1(EPOLL_CLOEXEC);
  if (!programs || loop < 0) bench_fail("cannot watch %u programs: %s", count, strerror(errno));
  for (unsigned number = 0; number < count; number++) {
    bench_start_watched(&programs[number], cgroup, number, port);
    bench_control_epoll(loop, EPOLL_CTL_ADD, programs[number].done, &programs[number], EPOLLIN);
  }
  bench_watch(loop, programs, count);
}
