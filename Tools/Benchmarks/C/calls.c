// `lull-bench calls`: sipp calls a sleeping baresip, over UDP and then over TCP, once every three seconds.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_transports = 2, bench_most_calls = 10000 };

struct bench_calls_options {
  unsigned calls;
  const char *lull, *daemon;
};

/// The outcome of the calls of one transport.
struct bench_calls {
  const char *name, *mode;
  unsigned answered, asleep, retransmissions;
};

struct bench_callee {
  struct bench_control control;
  uint16_t port;
  int events;
};

/// A figure of sipp's statistics: the last line of a table with semicolons, its names in the first.
static unsigned bench_sipp_figure(const char *path, const char *name) {
  char names[2 * BENCH_LINE], figures[2 * BENCH_LINE];
  FILE *file = fopen(path, "re");
  if (!file || !fgets(names, sizeof names, file)) bench_fail("sipp wrote no statistics to %s", path);
  while (fgets(figures, sizeof figures, file)) continue;
  fclose(file);
  char *next_name = names, *next_figure = figures, *word, *figure;
  while ((word = strsep(&next_name, ";")) && (figure = strsep(&next_figure, ";")))
    if (strcmp(word, name) == 0) return bench_number(figure, 0, INT_MAX);
  bench_fail("sipp's statistics have no %s", name);
}

/// One call, hung up after 0.3 s; sipp gives up after 8 s.
static void bench_call(const struct bench_world *world, const struct bench_callee *callee,
                       struct bench_calls *calls) {
  char statistics[PATH_MAX], address[32], port[8];
  int status;
  bench_path(statistics, "%s/sipp.csv", world->runtime);
  snprintf(address, sizeof address, "127.0.0.1:%u", callee->port);
  snprintf(port, sizeof port, "%u", bench_free_port());
  const char *command[] = {"sipp", address, "-i", "127.0.0.1", "-p", port, "-sn", "uac", "-s", "alice",
                           "-m", "1", "-d", "300", "-t", calls->mode, "-timeout", "8s", "-nostdin",
                           "-trace_stat", "-stf", statistics, "-fd", "1", NULL};
  calls->asleep += bench_is_frozen(callee->events);
  pid_t sipp = bench_start_silent((char *const *)command, 3);
  if (waitpid(sipp, &status, 0) != sipp) bench_fail("sipp is lost");
  calls->answered += status == 0;
  calls->retransmissions += bench_sipp_figure(statistics, "Retransmissions(C)");
  unlink(statistics);
}

static void bench_start_callee(const struct bench_world *world, const char *lull,
                               struct bench_callee *callee) {
  char folder[PATH_MAX];
  bench_path(folder, "%s/baresip", world->runtime);
  callee->port = bench_free_port();
  bench_configure_softphone(folder, callee->port, "auto");
  bench_lull_run_softphone(lull, "baresip", folder);
  // The first sleep is the trial; a call begins three seconds after it.
  bench_await_suspended(&callee->control, "baresip");
  callee->events = bench_program_events(&callee->control, "baresip");
  bench_pause(3 * BENCH_SECOND);
}

static void bench_report_calls(const struct bench_calls *calls, unsigned each, double asleep) {
  unsigned answered = 0, retransmissions = 0, all = bench_transports * each;
  printf("calls: %u over UDP, %u over TCP to a sleeping baresip, one each 3 s\n", each, each);
  for (unsigned which = 0; which < bench_transports; which++) {
    printf("%-4s asleep when called %u, answered %u, retransmissions %u\n", calls[which].name,
           calls[which].asleep, calls[which].answered, calls[which].retransmissions);
    answered += calls[which].answered, retransmissions += calls[which].retransmissions;
  }
  printf("answered          %6u     target %u: %s\n", answered, all, bench_verdict(all - answered, 0));
  printf("retransmissions   %6u     target 0: %s\n", retransmissions, bench_verdict(retransmissions, 0));
  printf("time asleep       %6.1f %%   target 75 %%: %s\n", asleep * 100, bench_verdict(0.75, asleep));
  printf("at most           %6.1f %%   asleep whenever no call of 0.3 s goes on\n", 90.0);
}

static int bench_make_calls(const struct bench_world *world, const void *given) {
  const struct bench_calls_options *options = given;
  struct bench_calls calls[bench_transports] = {{"UDP", "u1", 0, 0, 0}, {"TCP", "t1", 0, 0, 0}};
  struct bench_callee callee;
  bench_own_network();
  pid_t daemon = bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &callee.control);
  bench_start_callee(world, options->lull, &callee);
  double asleep = -bench_program_figure(&callee.control, "baresip", "asleepSeconds");
  double awake = -bench_program_figure(&callee.control, "baresip", "awakeSeconds");
  uint64_t next = bench_now();
  for (unsigned call = 0; call < bench_transports * options->calls; call++) {
    bench_call(world, &callee, &calls[call / options->calls]);
    next += 3 * BENCH_SECOND;
    if (bench_now() < next) bench_pause(next - bench_now());
  }
  asleep += bench_program_figure(&callee.control, "baresip", "asleepSeconds");
  awake += bench_program_figure(&callee.control, "baresip", "awakeSeconds");
  bench_report_calls(calls, options->calls, asleep / (asleep + awake));
  bench_end_daemon(daemon);
  return 0;
}

int bench_calls_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench calls CALLS LULL LULLD");
  struct bench_calls_options options = {
      bench_number(arguments[0], 1, bench_most_calls), arguments[1], arguments[2]};
  return bench_run(bench_make_calls, &options);
}
