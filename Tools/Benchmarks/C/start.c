// `lull-bench start`: from exec of the daemon (or of the guard that starts it) to its first answer to
// `hello`.
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { bench_most_runs = 1000 };

struct bench_start_options {
  unsigned runs;
  const char *name, *daemon;
};

static double bench_start_once(const struct bench_world *world, const char *path) {
  struct bench_control control;
  uint64_t from = bench_now();
  pid_t child = bench_spawn_daemon(world, path);
  bench_await_daemon(world, &control);
  uint64_t to = bench_now();
  close(control.socket);
  bench_end_daemon(child);
  return (double)(to - from) / 1e6;
}

static int bench_start(const struct bench_world *world, const void *given) {
  const struct bench_start_options *options = given;
  double runs[bench_most_runs];
  for (unsigned run = 0; run < options->runs; run++) runs[run] = bench_start_once(world, options->daemon);
  double median = bench_quantile(runs, options->runs, 0.5);
  printf("start: %-22s p50 %6.2f ms   p99 %6.2f ms   %u runs   target 10 ms: %s\n", options->name, median,
         bench_quantile(runs, options->runs, 0.99), options->runs, bench_verdict(median, 10));
  return 0;
}

int bench_start_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench start RUNS NAME DAEMON");
  struct bench_start_options options = {
      bench_number(arguments[0], 1, bench_most_runs), arguments[1], arguments[2]};
  return bench_run(bench_start, &options);
}
