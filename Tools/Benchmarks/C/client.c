// The receiver again, but as a program that Lull manages: it registers, has its line held, and says when it
// is done.
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct bench_program {
  struct bench_control control;
  int loop, line;
};

static void bench_watch_descriptor(int loop, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event) < 0)
    bench_fail("cannot watch a socket: %s", strerror(errno));
}

static void bench_receive(int line) {
  char bytes[64];
  ssize_t got = recv(line, bytes, sizeof bytes, MSG_DONTWAIT);
  uint64_t now = bench_now();
  if (got > 0) bench_answer(line, bytes, now);
  else if (got == 0 || errno != EAGAIN) _exit(0);
}

/// A notice with a ticket is answered at once: `did` for a delegate message, `done` for a wake and a keep-
/// alive. A launch for an event gives run time as a wake does; it ends by `done` with the last message's
/// ticket.
static void bench_obey(struct bench_program *program, const char *line) {
  char ticket[BENCH_LINE];
  if (bench_starts_with(line, "error")) bench_fail("the daemon refused: %s", line);
  if (!bench_starts_with(line, "event") || !bench_field(line, "ticket", ticket)) return;
  bool message = bench_starts_with(line, "event deliver");
  // Data that came with the wake is handled before `done`, or the program would sleep on it.
  if (!message) bench_receive(program->line);
  if (message) bench_control_send(&program->control, -1, "did ticket=%s", ticket);
  if (!message || strstr(line, "message=didEnterBackground"))
    bench_control_send(&program->control, -1, "done ticket=%s", ticket);
}

_Noreturn void bench_client(const char *runtime, const char *name, uint16_t port) {
  struct bench_program program = {.loop = epoll_create1(EPOLL_CLOEXEC), .line = bench_connect(port)};
  struct epoll_event events[2];
  char line[BENCH_LINE];
  if (!bench_control_try_open(&program.control, runtime)) bench_fail("the daemon does not accept");
  const char *modes = getenv("LULL_BENCH_MODES");
  bench_control_send(&program.control, -1, "register name=%s modes=%s resume=background", name,
                     modes ? modes : "voip");
  if (!modes) bench_control_send(&program.control, program.line, "hold fd=%d type=voip", program.line);
  bench_watch_descriptor(program.loop, program.control.socket);
  bench_watch_descriptor(program.loop, program.line);
  for (;;) {
    int ready = epoll_wait(program.loop, events, 2, -1);
    // The line first: a caller waits there.
    for (int index = 0; index < ready; index++)
      if (events[index].data.fd == program.line) bench_receive(program.line);
    for (int index = 0; index < ready; index++)
      if (events[index].data.fd == program.control.socket)
        while (bench_control_line(&program.control, false, line)) bench_obey(&program, line);
  }
}
