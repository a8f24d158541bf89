// `lull-bench status`, started by `lull-bench fleet`: from exec to the end of `lull status`, in turns with a
// program in C that connects, asks the same, reads all bytes of the answer and ends.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_most_runs = 1000 };

/// The last line of the answer begins with `ok count=`.
static bool bench_is_complete(const char *end, size_t length) {
  if (length == 0 || end[-1] != '\n') return false;
  const char *line = memrchr(end - length, '\n', length - 1);
  return line && bench_starts_with(line + 1, "ok");
}

static void bench_read_status(void) {
  static char bytes[1 << 22];
  struct bench_control control;
  const char *runtime = getenv("LULL_RUNTIME_DIR");
  if (!runtime || !bench_control_try_open(&control, runtime)) bench_fail("the daemon does not accept");
  bench_control_send(&control, -1, "status");
  size_t length = 0;
  while (!bench_is_complete(bytes + length, length)) {
    ssize_t got = recv(control.socket, bytes + length, sizeof bytes - length, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) bench_fail("the answer has no end");
    length += (size_t)got;
  }
}

static double bench_time(const char *program, const char *argument) {
  uint64_t from = bench_now();
  pid_t child = vfork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    execl(program, program, argument, (char *)NULL);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) bench_fail("cannot wait: %s", strerror(errno));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bench_fail("%s %s failed", program, argument);
  return (double)(bench_now() - from) / 1e6;
}

static void bench_status_row(const char *what, const double *runs, unsigned count) {
  printf("%-28s p50 %7.2f ms   p99 %7.2f ms", what, bench_quantile(runs, count, 0.5),
         bench_quantile(runs, count, 0.99));
}

int bench_status_command(int count, char **arguments) {
  if (count == 0) {
    bench_read_status();
    return 0;
  }
  if (count != 2) bench_fail("usage: lull-bench status RUNS LULL");
  static double lull[bench_most_runs], floor[bench_most_runs];
  unsigned runs = bench_number(arguments[0], 1, bench_most_runs);
  const char *programs = getenv("LULL_BENCH_PROGRAMS");
  // The first of each fills the caches.
  for (unsigned run = 0; run <= runs; run++) {
    double first = bench_time(arguments[1], "status"), second = bench_time("/proc/self/exe", "status");
    if (run > 0) lull[run - 1] = first, floor[run - 1] = second;
  }
  printf("status: %s programs, exec to end, %u runs\n", programs ? programs : "?", runs);
  bench_status_row("lull status", lull, runs);
  printf("   target 60 ms: %s\n", bench_verdict(bench_quantile(lull, runs, 0.5), 60));
  bench_status_row("the same bytes in C (floor)", floor, runs);
  printf("\n");
  return 0;
}
