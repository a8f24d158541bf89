// `lull-bench scale`: many programs with many connections beside one with one, and one with very many. Each
// of the three has a daemon of its own; they take turns.
#include "bench.h"

#include <stdio.h>
#include <unistd.h>

enum { bench_many, bench_one, bench_large, bench_floor, bench_sides };
enum { bench_bursts = 30 };

struct bench_scale_options {
  unsigned programs, lines, large, rounds;
  const char *lull, *daemon;
};

static double bench_wakes(const struct bench_side *side, double quantile) {
  return bench_quantile(side->figures->wakes, side->rounds, quantile);
}

static void bench_row(const char *what, double figure, double target) {
  printf("%-60s %8.2f   target %.2f: %s\n", what, figure, target, bench_verdict(figure, target));
}

static void bench_report_side(const struct bench_side *side) {
  printf("%3u x %-6u ", side->programs, side->lines);
  if (!side->figures->sleeps) printf("   never slept: no target reached\n");
  else
    printf("   wake p50 %8.1f   p99 %8.1f   burst p50 %8.1f   p99 %8.1f\n", bench_wakes(side, 0.5),
           bench_wakes(side, 0.99), bench_quantile(side->figures->bursts, side->bursts, 0.5),
           bench_quantile(side->figures->bursts, side->bursts, 0.99));
}

static void bench_report(const struct bench_side sides[bench_sides]) {
  const struct bench_side *many = &sides[bench_many], *one = &sides[bench_one], *floor = &sides[bench_floor];
  printf("scale: programs x connections, microseconds; %u wakes of a random connection one at a time,\n"
         "%u bursts (a byte for each program at once, until the last one has it)\n", many->rounds,
         many->bursts);
  for (int index = bench_many; index < bench_floor; index++) bench_report_side(&sides[index]);
  printf("%3u x %u by a C watcher (floor):\n", floor->programs, floor->lines);
  bench_report_side(floor);
  if (many->figures->sleeps) {
    bench_row("bytes of private memory in lulld per connection", many->figures->bytes_per_line, 64);
    bench_row("wake p99 / that of one program with one connection",
              bench_wakes(many, 0.99) / bench_wakes(one, 0.99), 1.5);
    bench_row("wake p99 / floor", bench_wakes(many, 0.99) / bench_wakes(floor, 0.99), 1.5);
    bench_row("burst p50 / floor",
              bench_quantile(many->figures->bursts, many->bursts, 0.5) /
                  bench_quantile(floor->figures->bursts, floor->bursts, 0.5),
              1.5);
  }
  if (!sides[bench_large].figures->sleeps) return;
  bench_row("one program with very many: wake p50 / with one connection",
            bench_wakes(&sides[bench_large], 0.5) / bench_wakes(one, 0.5), 1.3);
  bench_row("the same: bytes of private memory per connection", sides[bench_large].figures->bytes_per_line,
            64);
}

/// In turns by single rounds: what else the machine does meets all of them alike.
static void bench_turn(struct bench_side *sides, int count, enum bench_order order) {
  for (int index = 0; index < count; index++)
    if (sides[index].figures->sleeps) bench_order_side(&sides[index], order);
}

static int bench_scale(const struct bench_world *world, const void *given) {
  const struct bench_scale_options *options = given;
  unsigned rounds = options->rounds, bursts = rounds < bench_bursts ? rounds : bench_bursts;
  const char *lull = options->lull, *daemon = options->daemon;
  struct bench_side sides[bench_sides] = {
      {"many", options->programs, options->lines, rounds, bursts, lull, daemon, 0, -1, NULL},
      {"one", 1, 1, rounds, bursts, lull, daemon, 0, -1, NULL},
      {"large", 1, options->large, rounds, bursts, lull, daemon, 0, -1, NULL},
      {"floor", options->programs, 1, rounds, bursts, NULL, NULL, 0, -1, NULL},
  };
  for (int index = 0; index < bench_sides; index++) {
    bench_start_side(&sides[index], world);
    bench_await_side(&sides[index]);
    // It would be tried again and again beside the others: its daemon is ended.
    if (!sides[index].figures->sleeps) bench_end_side(&sides[index]);
  }
  for (unsigned round = 0; round < rounds; round++) bench_turn(sides, bench_sides, BENCH_WAKE);
  for (unsigned round = 0; round < bursts; round++) bench_turn(sides, bench_sides, BENCH_BURST);
  bench_report(sides);
  fflush(stdout);
  bench_turn(&sides[bench_many], 1, BENCH_TELL);
  return 0;
}

int bench_scale_command(int count, char **arguments) {
  if (count != 6) bench_fail("usage: lull-bench scale PROGRAMS LINES LARGE ROUNDS LULL LULLD");
  struct bench_scale_options options = {
      bench_number(arguments[0], 1, 1000), bench_number(arguments[1], 1, 10000),
      bench_number(arguments[2], 1, 16000), bench_number(arguments[3], 1, BENCH_SAMPLES),
      arguments[4], arguments[5]};
  return bench_run(bench_scale, &options);
}
