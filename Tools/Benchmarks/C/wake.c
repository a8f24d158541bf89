// `lull-bench wake`: how long a byte waits for a program that is awake, asleep under a C watcher, asleep
// under Lull. The contestants take turns in blocks, so that what else the machine does meets each of them
// alike.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_blocks = 20, bench_contestants = 5, bench_cold_pause = 1 };
enum { bench_awake, bench_floor, bench_lull_c, bench_lull_library, bench_lull_swift };

struct bench_wake_options {
  unsigned rounds;
  bool cold;
  const char *daemon, *program;
};

struct bench_contestant {
  const char *name;
  int line, events;  // events is negative for the one that is never frozen
  double *samples;   // microseconds, block after block
};

static double bench_round(const struct bench_contestant *contestant, uint64_t *seed) {
  uint64_t received;
  if (contestant->events >= 0) bench_await_frozen(contestant->events, 100 * 1000);
  // The kernel says `frozen` a little before the watcher has armed: the same 0.5 ms for everyone, then at
  // random.
  uint64_t sent = bench_random_moment(seed);
  if (send(contestant->line, "wake\n", 5, MSG_NOSIGNAL) != 5)
    bench_fail("%s: cannot send: %s", contestant->name, strerror(errno));
  if (recv(contestant->line, &received, sizeof received, MSG_WAITALL) != sizeof received)
    bench_fail("%s: a wake got no answer within 10 s", contestant->name);
  return (double)(received - sent) / 1000;
}

static void bench_start_awake(struct bench_contestant *contestant, int listener, uint16_t port) {
  if (bench_fork(-1) == 0) bench_receiver(port, -1);
  *contestant = (struct bench_contestant){"never frozen", bench_accept(listener), -1, NULL};
}

static void bench_start_floor(struct bench_contestant *contestant, const struct bench_world *world,
                              int listener, uint16_t port) {
  char cgroup[PATH_MAX];
  bench_path(cgroup, "%s/floor", world->cgroup);
  bench_make_cgroup(cgroup);
  if (bench_fork(-1) == 0) bench_watcher(cgroup, port, 1);
  int line = bench_accept(listener), events = bench_open_in(cgroup, "0/cgroup.events", O_RDONLY);
  *contestant = (struct bench_contestant){"C watcher thaws (floor)", line, events, NULL};
}

static void bench_start_lull_c(struct bench_contestant *contestant, const struct bench_world *world,
                               struct bench_control *control, int listener, uint16_t port) {
  if (bench_fork(-1) == 0) bench_client(world->runtime, "floor-client", port);
  int line = bench_accept(listener), events = bench_program_events(control, "floor-client");
  *contestant = (struct bench_contestant){"Lull, program in C", line, events, NULL};
}

static void bench_start_lull_library(struct bench_contestant *contestant, const struct bench_world *world,
                                     struct bench_control *control, int listener, uint16_t port) {
  if (bench_fork(-1) == 0) bench_library(world->runtime, "liblull-client", port);
  int line = bench_accept(listener), events = bench_program_events(control, "liblull-client");
  *contestant = (struct bench_contestant){"Lull, program on liblull", line, events, NULL};
}

static void bench_start_lull_swift(struct bench_contestant *contestant, struct bench_control *control,
                                   const char *program, int listener, uint16_t port) {
  char number[8];
  snprintf(number, sizeof number, "%u", port);
  if (bench_fork(-1) == 0) {
    execl(program, program, "library-client", number, (char *)NULL);
    bench_fail("cannot run %s: %s", program, strerror(errno));
  }
  int line = bench_accept(listener), events = bench_program_events(control, "library-client");
  *contestant = (struct bench_contestant){"Lull, program on the library", line, events, NULL};
}

static void bench_measure(struct bench_contestant *contestants, size_t count, size_t rounds) {
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  for (size_t block = 0; block < bench_blocks; block++)
    for (size_t who = 0; who < count; who++) {
      (void)bench_round(&contestants[who], &seed);  // the first round after its pause meets cold caches
      for (size_t round = 0; round < rounds; round++)
        contestants[who].samples[block * rounds + round] = bench_round(&contestants[who], &seed);
    }
}

/// Every contestant, and the watcher behind it, has slept for a second when its byte comes.
static void bench_measure_cold(struct bench_contestant *contestants, size_t count, size_t rounds) {
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  for (size_t round = 0; round < rounds; round++)
    for (size_t who = 0; who < count; who++) {
      if (contestants[who].events >= 0) bench_await_frozen(contestants[who].events, BENCH_MILLISECOND);
      bench_pause(bench_cold_pause * BENCH_SECOND);
      contestants[who].samples[round] = bench_round(&contestants[who], &seed);
    }
}

/// The median over the blocks of one block's quantile divided by the floor's of the same block.
static double bench_paired(const struct bench_contestant *one, const struct bench_contestant *floor,
                           size_t rounds, double quantile) {
  double ratios[bench_blocks];
  for (size_t block = 0; block < bench_blocks; block++)
    ratios[block] = bench_quantile(one->samples + block * rounds, rounds, quantile) /
                    bench_quantile(floor->samples + block * rounds, rounds, quantile);
  return bench_quantile(ratios, bench_blocks, 0.5);
}

static double bench_ratio(const struct bench_contestant *one, const struct bench_contestant *floor,
                          size_t count, double quantile) {
  return bench_quantile(one->samples, count, quantile) / bench_quantile(floor->samples, count, quantile);
}

static void bench_report_samples(const struct bench_contestant *contestants, size_t count, size_t rounds) {
  printf("%-30s %8s %8s %8s %8s\n", "", "p50", "p99", "p99.9", "max");
  for (size_t who = 0; who < count; who++) {
    const double *samples = contestants[who].samples;
    printf("%-30s %8.1f %8.1f %8.1f %8.1f\n", contestants[who].name, bench_quantile(samples, rounds, 0.5),
           bench_quantile(samples, rounds, 0.99), bench_quantile(samples, rounds, 0.999),
           bench_quantile(samples, rounds, 1));
  }
  if (count > bench_lull_c) printf("ratios to the floor\n");
}

static void bench_report(const struct bench_contestant *contestants, size_t count, size_t rounds) {
  static const struct { size_t who; double quantile, target; } rows[] = {
      {bench_lull_c, 0.5, 1.15}, {bench_lull_c, 0.99, 1.2},
      {bench_lull_library, 0.5, 1.25}, {bench_lull_library, 0.99, 1.2},
      {bench_lull_swift, 0.5, 1.25}, {bench_lull_swift, 0.99, 1.2}};
  const struct bench_contestant *floor = &contestants[bench_floor];
  size_t all = rounds * bench_blocks;
  printf("wake: bytes sent -> the program has them, microseconds\n");
  printf("%zu rounds each, in turn in %d blocks of %zu\n", all, bench_blocks, rounds);
  bench_report_samples(contestants, count, all);
  for (size_t row = 0; row < sizeof rows / sizeof *rows && rows[row].who < count; row++) {
    const struct bench_contestant *one = &contestants[rows[row].who];
    double quantile = rows[row].quantile, ratio = bench_ratio(one, floor, all, quantile);
    printf("%-30s p%.0f %5.2f   target %.2f: %-12s median of the blocks %5.2f\n", one->name, quantile * 100,
           ratio, rows[row].target, bench_verdict(ratio, rows[row].target),
           bench_paired(one, floor, rounds, quantile));
  }
}

static void bench_report_cold(const struct bench_contestant *contestants, size_t count, size_t rounds) {
  printf("wake --cold: bytes sent -> the program, asleep for a second, has them, microseconds\n");
  printf("%zu rounds each, in turn\n", rounds);
  bench_report_samples(contestants, count, rounds);
  for (size_t who = bench_lull_c; who < count; who++) {
    const struct bench_contestant *one = &contestants[who], *floor = &contestants[bench_floor];
    double ratio = bench_ratio(one, floor, rounds, 0.5);
    printf("%-30s p50 %5.2f   target 1.25: %-12s p99 %5.2f\n", one->name, ratio, bench_verdict(ratio, 1.25),
           bench_ratio(one, floor, rounds, 0.99));
  }
}

static int bench_wake(const struct bench_world *world, const void *given) {
  const struct bench_wake_options *options = given;
  struct bench_contestant contestants[bench_contestants];
  struct bench_control control;
  uint16_t port;
  pid_t daemon = 0;
  size_t count = 2;
  int listener = bench_listen(&port);
  bench_start_awake(&contestants[bench_awake], listener, port);
  bench_start_floor(&contestants[bench_floor], world, listener, port);
  if (options->daemon) {
    daemon = bench_spawn_daemon(world, options->daemon);
    bench_await_daemon(world, &control);
    bench_start_lull_c(&contestants[bench_lull_c], world, &control, listener, port);
    bench_start_lull_library(&contestants[bench_lull_library], world, &control, listener, port);
    count += 2;
    if (options->program) {
      bench_start_lull_swift(&contestants[bench_lull_swift], &control, options->program, listener, port);
      count++;
    }
  }
  for (size_t who = 0; who < count; who++) {
    contestants[who].samples = calloc(options->rounds, sizeof(double));
    if (!contestants[who].samples) bench_fail("no memory for the samples");
  }
  if (options->cold) {
    bench_measure_cold(contestants, count, options->rounds);
    bench_report_cold(contestants, count, options->rounds);
  } else {
    bench_measure(contestants, count, options->rounds / bench_blocks);
    bench_report(contestants, count, options->rounds / bench_blocks);
  }
  if (daemon) bench_end_daemon(daemon);
  return 0;
}

int bench_wake_command(int count, char **arguments) {
  struct bench_wake_options options = {.cold = count > 0 && strcmp(arguments[0], "--cold") == 0};
  if (options.cold) count--, arguments++;
  if (count < 1 || count > 3) bench_fail("usage: lull-bench wake [--cold] ROUNDS [LULLD [LIBRARY-CLIENT]]");
  options.rounds = bench_number(arguments[0], options.cold ? 1 : bench_blocks, BENCH_SAMPLES);
  if (!options.cold && options.rounds % bench_blocks)
    bench_fail("the rounds must be a multiple of %d", bench_blocks);
  if (count > 1) options.daemon = arguments[1];
  if (count > 2) options.program = arguments[2];
  return bench_run(bench_wake, &options);
}
