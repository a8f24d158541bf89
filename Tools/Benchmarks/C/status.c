// `lull-bench status`, started by `lull-bench fleet`: from exec to the end of `lull status`, in turns with a
// program in C that connects, asks the same, reads all bytes of the answer and ends; and of
// `lull run --detach`, in turns with `setsid --fork`.
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

static double bench_time(const char *const words[]) {
  uint64_t from = bench_now();
  pid_t child = vfork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    execvp(words[0], (char *const *)words);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) bench_fail("cannot wait: %s", strerror(errno));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bench_fail("%s %s failed", words[0], words[1]);
  return (double)(bench_now() - from) / 1e6;
}

struct bench_contestant {
  const char *title;
  const char *words[9];
  double runs[bench_most_runs];
};

/// In turns. The first run of each fills the caches, and is not counted. The programs that a run starts have
/// its number for a name.
static void bench_compare(struct bench_contestant pair[2], unsigned runs, double target) {
  char name[16];
  for (unsigned run = 0; run <= runs; run++) {
    snprintf(name, sizeof name, "n%u", run);
    for (unsigned index = 0; index < 2; index++) {
      const char *words[9];
      for (unsigned word = 0; word < 9; word++) {
        const char *one = pair[index].words[word];
        words[word] = one && strcmp(one, "NAME") == 0 ? name : one;
      }
      double time = bench_time(words);
      if (run > 0) pair[index].runs[run - 1] = time;
    }
  }
  for (unsigned index = 0; index < 2; index++) {
    double median = bench_quantile(pair[index].runs, runs, 0.5);
    printf("%-30s p50 %7.2f ms   p99 %7.2f ms", pair[index].title, median,
           bench_quantile(pair[index].runs, runs, 0.99));
    if (index == 0) printf("   target %.0f ms: %s", target, bench_verdict(median, target));
    printf("\n");
  }
}

int bench_status_command(int count, char **arguments) {
  if (count == 0) {
    bench_read_status();
    return 0;
  }
  if (count != 2) bench_fail("usage: lull-bench status RUNS LULL");
  static struct bench_contestant status[2] = {{"lull status", {NULL}, {0}},
                                              {"the same bytes in C (floor)", {NULL}, {0}}};
  static struct bench_contestant detach[2] = {
      {"lull run --detach", {NULL, "run", "--detach", "--name", "NAME", "--", "sleep", "1000"}, {0}},
      {"setsid --fork (floor)", {"setsid", "--fork", "sleep", "1000"}, {0}}};
  unsigned runs = bench_number(arguments[0], 1, bench_most_runs);
  const char *programs = getenv("LULL_BENCH_PROGRAMS");
  status[0].words[0] = detach[0].words[0] = arguments[1];
  status[1].words[0] = "/proc/self/exe";
  status[0].words[1] = status[1].words[1] = "status";
  printf("status: %s programs, exec to end, %u runs\n", programs ? programs : "?", runs);
  bench_compare(status, runs, programs && atoi(programs) <= 10 ? 15 : 60);
  bench_compare(detach, runs, 40);
  return 0;
}
