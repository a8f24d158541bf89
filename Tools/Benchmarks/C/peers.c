// The other ends of a program's connections, in a process of their own that never says anything.
#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_channel = 3 };

/// Those that come, one after another; the first of them is asked for the others.
static _Noreturn void bench_hold_peers(unsigned count) {
  uint16_t port;
  int listener = bench_listen(&port);
  if (write(bench_channel, &port, sizeof port) != sizeof port) _exit(1);
  for (unsigned number = 0; number < count; number++) {
    int line = bench_accept(listener);
    if (number == 0 && count > BENCH_FEW && send(line, "g", 1, MSG_NOSIGNAL) != 1) _exit(1);
  }
  if (write(bench_channel, "d", 1) != 1) _exit(1);
  for (;;) pause();
}

int bench_start_peers(unsigned count, uint16_t *port) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
    bench_fail("cannot make a socket pair: %s", strerror(errno));
  if (bench_fork(pair[1]) == 0) bench_hold_peers(count);
  close(pair[1]);
  if (recv(pair[0], port, sizeof *port, MSG_WAITALL) != sizeof *port) bench_fail("no port to connect to");
  return pair[0];
}

void bench_await_peers(int peers) {
  char byte;
  if (recv(peers, &byte, 1, 0) != 1) bench_fail("a program has not made all its connections");
}
