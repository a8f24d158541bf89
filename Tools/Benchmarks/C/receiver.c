// The program whose wakes are measured: it waits in epoll_wait, receives, stamps, and answers with the stamp.
#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

void bench_answer(int line, const char *bytes, uint64_t received) {
  if (*bytes == BENCH_LATER) bench_pause(20 * BENCH_MILLISECOND);
  if (send(line, &received, sizeof received, MSG_NOSIGNAL) != sizeof received)
    bench_fail("cannot answer the sender: %s", strerror(errno));
}

_Noreturn void bench_receiver(uint16_t port, int done) {
  char bytes[64];
  int line = bench_connect(port), loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, line, &event) < 0)
    bench_fail("cannot watch a socket: %s", strerror(errno));
  if (done >= 0 && write(done, "d", 1) != 1) bench_fail("cannot reach the watcher: %s", strerror(errno));
  for (;;) {
    if (epoll_wait(loop, &event, 1, -1) < 0) continue;
    ssize_t got = recv(line, bytes, sizeof bytes, 0);
    uint64_t now = bench_now();
    if (got <= 0) _exit(0);
    bench_answer(line, bytes, now);
    if (done >= 0 && write(done, "d", 1) != 1) _exit(0);
  }
}
