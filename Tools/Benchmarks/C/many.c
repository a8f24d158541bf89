// A program with many connections in one epoll set and a single thread. The first one comes at once, the
// others when a byte `g` comes on it. Any other bytes are answered by the moment at which they were read.
#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_batch = 64 };

static void bench_add_line(int loop, uint16_t port) {
  int line = bench_connect(port);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = line};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, line, &event) < 0)
    bench_fail("cannot watch a socket: %s", strerror(errno));
}

int bench_many_command(int count, char **arguments) {
  if (count != 2) bench_fail("usage: lull-bench many PORT CONNECTIONS");
  uint16_t port = (uint16_t)bench_number(arguments[0], 1, UINT16_MAX);
  unsigned missing = bench_number(arguments[1], 1, BENCH_SAMPLES) - 1;
  int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event events[bench_batch];
  for (bench_add_line(loop, port);;) {
    int ready = epoll_wait(loop, events, bench_batch, -1);
    for (int index = 0; index < ready; index++) {
      char bytes[64];
      ssize_t got = recv(events[index].data.fd, bytes, sizeof bytes, 0);
      uint64_t now = bench_now();
      if (got <= 0) return 0;
      if (*bytes != 'g') bench_answer(events[index].data.fd, bytes, now);
      else for (; missing > 0; missing--) bench_add_line(loop, port);
    }
  }
}
