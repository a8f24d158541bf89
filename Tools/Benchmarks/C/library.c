// The receiver once more, as a program on liblull.
#include "bench.h"

#include <errno.h>
#include <lull.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void bench_library_receive(int line) {
  char bytes[64];
  ssize_t got = recv(line, bytes, sizeof bytes, MSG_DONTWAIT);
  uint64_t now = bench_now();
  if (got > 0) bench_answer(line, bytes, now);
  else if (got == 0 || errno != EAGAIN) _exit(0);
}

_Noreturn void bench_library(const char *runtime, const char *name, uint16_t port) {
  int line = bench_connect(port);
  char error[256];
  lull_program *program;
  lull_line *held;
  lull_options options = LULL_OPTIONS_INIT;
  options.name = name;
  options.modes = LULL_VOIP;
  setenv("LULL_RUNTIME_DIR", runtime, 1);
  if (lull_open(&program, &options, error, sizeof error) != LULL_OK) bench_fail("%s", error);
  if (lull_hold(program, line, NULL, &held) != LULL_OK) bench_fail("%s", lull_error(program));
  for (;;) {
    struct pollfd entries[] = {{.fd = line, .events = POLLIN}, {.fd = lull_fd(program), .events = POLLIN}};
    if (poll(entries, 2, -1) < 0) continue;
    // The line first: a caller waits there.
    if (entries[0].revents) bench_library_receive(line);
    if (entries[1].revents) lull_dispatch(program);
    lull_done(program);
  }
}
