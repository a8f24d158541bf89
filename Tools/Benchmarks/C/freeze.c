// `lull-bench freeze`: how long it takes until a program is frozen, proved idle and watched, by the number of
// its connections; beside the least that a C program must do for it. In turns.
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bench_sizes = 4, bench_patience = 20 };

struct bench_freeze_options {
  unsigned rounds, connections;  // 0: all sizes
  const char *lull, *daemon;
};

/// A program under Lull and its twin under the floor.
struct bench_frozen {
  unsigned sockets, threads;
  char name[32];
  bool sleeps, writes;
  struct bench_holder holder;
  int events;
  double *floor, *suspend, *hello;  // microseconds
  unsigned refused, overtaken;
};

static double *bench_samples(unsigned rounds) {
  double *samples = calloc(rounds, sizeof(double));
  if (!samples) bench_fail("no memory for the samples");
  return samples;
}

static void bench_make_frozen(struct bench_frozen *program, unsigned sockets, unsigned rounds) {
  unsigned threads = sockets == 8 ? 4 : 1;
  *program = (struct bench_frozen){
      .sockets = sockets, .threads = threads, .holder = {.sockets = sockets, .threads = threads}};
  snprintf(program->name, sizeof program->name, "sockets-%u", sockets);
  program->floor = bench_samples(rounds);
  program->suspend = bench_samples(rounds), program->hello = bench_samples(rounds);
}

/// Starts it and waits until all its connections are there: under Lull, or without `lull` as the floor's
/// twin.
static void bench_start_frozen(struct bench_frozen *program, const struct bench_world *world,
                               const char *lull) {
  char own[PATH_MAX], number[8], argument[PATH_MAX], cgroup[PATH_MAX];
  uint16_t port;
  bool few = program->sockets == 8;
  int peers = bench_start_peers(few ? BENCH_FEW : program->sockets, &port);
  bench_own_path(own);
  bench_path(cgroup, "%s/%s", world->cgroup, program->name);
  snprintf(number, sizeof number, "%u", port);
  if (few) bench_path(argument, "%s/%s-%s", world->runtime, program->name, lull ? "lull" : "floor");
  else bench_path(argument, "%u", program->sockets);
  char *const command[] = {
      own, few ? "eight" : "many", number, argument, program->writes ? "writes" : NULL, NULL};
  if (lull) bench_lull_run(lull, program->name, command);
  else bench_start_held(&program->holder, cgroup, command);
  bench_await_peers(peers);
}

/// A program that does not fall asleep is ended: it would be tried again and again beside the others.
static void bench_await_first_sleep(struct bench_frozen *program, struct bench_control *control) {
  char cgroup[PATH_MAX];
  program->events = bench_program_events(control, program->name);
  program->sleeps = bench_falls_asleep(control, program->name, bench_patience);
  if (program->sleeps) return;
  bench_program_cgroup(control, program->name, cgroup);
  int kill = bench_open_in(cgroup, "cgroup.kill", O_WRONLY);
  bench_write(kill, "1");
  close(kill);
}

/// The microseconds from the request to its reply.
static double bench_ask(struct bench_control *control, const char *verb, const char *name,
                        char reply[BENCH_LINE]) {
  uint64_t from = bench_now();
  if (name) bench_control_send(control, -1, "%s name=%s", verb, name);
  else bench_control_send(control, -1, "%s", verb);
  do bench_control_line(control, true, reply);
  while (bench_starts_with(reply, "event"));
  return (double)(bench_now() - from) / 1000;
}

static void bench_freeze_once(struct bench_frozen *program, struct bench_control *control, unsigned round,
                              uint64_t *seed) {
  char reply[BENCH_LINE], state[BENCH_LINE];
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    bench_random_moment(seed);
    program->hello[round] = bench_ask(control, "hello", NULL, reply);
    bench_ask(control, "wake", program->name, reply);
    // Soon enough it would fall asleep by itself.
    if (attempt < 10) bench_random_moment(seed);
    bool overtaken = bench_is_frozen(program->events);
    program->suspend[round] = bench_ask(control, "suspend", program->name, reply);
    bool asleep = bench_field(reply, "state", state) && strcmp(state, "suspended") == 0 &&
                  bench_is_frozen(program->events);
    if (asleep && !overtaken) return;
    if (overtaken) program->overtaken++;
    else program->refused++;
  }
  bench_fail("%s is not suspended: %s", program->name, reply);
}

/// A program in the middle of a call that a freeze would cut short is looked at, and not frozen.
static void bench_look_twice(struct bench_frozen *program, struct bench_control *control, unsigned round,
                             uint64_t *seed) {
  char reply[BENCH_LINE];
  bench_random_moment(seed);
  program->floor[round] = bench_look_once(&program->holder);
  bench_random_moment(seed);
  program->hello[round] = bench_ask(control, "hello", NULL, reply);
  program->suspend[round] = bench_ask(control, "suspend", program->name, reply);
}

static void bench_report_looks(struct bench_frozen *program, unsigned rounds) {
  double hello = bench_quantile(program->hello, rounds, 0.5);
  for (unsigned round = 0; round < rounds; round++) program->suspend[round] -= hello;
  double own = bench_quantile(program->suspend, rounds, 0.5);
  printf("look before it, %u threads   C (floor) %8.1f %8.1f   Lull %8.1f %8.1f   target 20: %s\n",
         program->threads, bench_quantile(program->floor, rounds, 0.5),
         bench_quantile(program->floor, rounds, 0.99), own, bench_quantile(program->suspend, rounds, 0.99),
         bench_verdict(own, 20));
}

static double bench_report_freezes(struct bench_frozen *program, unsigned rounds) {
  double floor = bench_quantile(program->floor, rounds, 0.5);
  printf("%5u sockets, %u thread%s   C (floor) %8.0f %8.0f   Lull ", program->sockets, program->threads,
         program->threads == 1 ? " " : "s", floor, bench_quantile(program->floor, rounds, 0.99));
  if (!program->sleeps) {
    printf("never slept within %d s\n", bench_patience);
    return 0;
  }
  double hello = bench_quantile(program->hello, rounds, 0.5);
  for (unsigned round = 0; round < rounds; round++) program->suspend[round] -= hello;
  double own = bench_quantile(program->suspend, rounds, 0.5);
  printf("%8.0f %8.0f   ratio %5.2f", own, bench_quantile(program->suspend, rounds, 0.99), own / floor);
  if (program->threads > 1) printf("   target 1.50: %s", bench_verdict(own / floor, 1.5));
  if (program->refused + program->overtaken > 0)
    printf("   (%u attempts refused, %u too late)", program->refused, program->overtaken);
  printf("\n");
  return own;
}

static void bench_report(struct bench_frozen *programs, unsigned count, unsigned rounds) {
  double few = 0, thousand = 0;
  printf("freeze: until a program is frozen, proved idle and watched; microseconds, p50 and p99\n");
  printf("%u rounds each, in turns. Lull's time is that of `suspend` to its reply, without the median of\n"
         "`hello`, which travels the same way.\n", rounds);
  for (unsigned index = 0; index < count; index++) {
    double own = bench_report_freezes(&programs[index], rounds);
    if (programs[index].sockets == 8) few = own;
    if (programs[index].sockets == 1000) thousand = own;
  }
  if (few <= 0 || count < bench_sizes) return;
  if (thousand <= 0) printf("1,000 connections / 8          target 1.30: not reached\n");
  else printf("1,000 connections / 8   %5.2f   target 1.30: %s\n", thousand / few,
              bench_verdict(thousand / few, 1.3));
}

static int bench_freeze(const struct bench_world *world, const void *given) {
  static const unsigned sizes[bench_sizes] = {8, 200, 1000, 9000};
  const struct bench_freeze_options *options = given;
  struct bench_frozen programs[bench_sizes], looked;
  struct bench_control control;
  unsigned count = options->connections ? 1 : bench_sizes;
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  pid_t daemon = bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &control);
  for (unsigned index = 0; index < count; index++) {
    unsigned sockets = options->connections ? options->connections : sizes[index];
    bench_make_frozen(&programs[index], sockets, options->rounds);
    bench_start_frozen(&programs[index], world, NULL);
    bench_start_frozen(&programs[index], world, options->lull);
    bench_await_first_sleep(&programs[index], &control);
  }
  bench_make_frozen(&looked, 8, options->rounds);
  strcpy(looked.name, "writes");
  looked.writes = true;
  bench_start_frozen(&looked, world, NULL);
  bench_start_frozen(&looked, world, options->lull);
  bench_pause(3 * BENCH_SECOND);
  for (unsigned round = 0; round < options->rounds; round++) {
    bench_look_twice(&looked, &control, round, &seed);
    for (unsigned index = 0; index < count; index++) {
      programs[index].floor[round] = bench_hold_once(&programs[index].holder, &seed);
      if (programs[index].sleeps) bench_freeze_once(&programs[index], &control, round, &seed);
    }
  }
  bench_report(programs, count, options->rounds);
  bench_report_looks(&looked, options->rounds);
  bench_end_daemon(daemon);
  return 0;
}

int bench_freeze_command(int count, char **arguments) {
  if (count < 3 || count > 4) bench_fail("usage: lull-bench freeze ROUNDS LULL LULLD [CONNECTIONS]");
  struct bench_freeze_options options = {
      .rounds = bench_number(arguments[0], 1, BENCH_SAMPLES), .lull = arguments[1], .daemon = arguments[2]};
  if (count == 4) options.connections = bench_number(arguments[3], 8, BENCH_SAMPLES);
  return bench_run(bench_freeze, &options);
}
