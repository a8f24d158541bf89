// `lull-bench cycles`: an echo program is put to sleep at random moments under random traffic; with PROGRAMS
// so many, beside each other. Counted are the bytes that do not come back, the times that nothing comes back
// for two seconds, and the descriptors and the memory that the daemon has at the end and had not at the
// beginning. Then one is killed asleep and started on its ports again.
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  bench_channels = 5, bench_ports = 3, bench_restarts = 10, bench_most_stuck = 5, bench_warm = 100,
  bench_most_programs = 16, bench_first_port = 12000
};
static const uint64_t bench_patience = 2 * BENCH_SECOND;

struct bench_cycles_options {
  unsigned cycles, programs;
  const char *lull, *daemon;
  bool strict;  // a target that is missed is a failure
};

/// The counts of one program's process.
struct bench_cycles_figures {
  uint64_t asked, suspended, stuck, lost, sent;
  double slept;
};

/// Between the processes. The daemon's holdings are counted when all have warmed up and again when all are
/// done; their connections are there both times.
struct bench_cycles_board {
  _Atomic unsigned warm, done;
  _Atomic bool begun, over;
  struct bench_cycles_figures figures[bench_most_programs];
};

/// The descriptors and the memory of the daemon while the program is awake.
struct bench_holdings {
  unsigned descriptors;
  double memory;
};

struct bench_cycles {
  struct bench_control control;
  struct bench_channel channels[bench_channels];
  uint16_t ports[bench_ports];
  char name[16];
  const char *lull;
  uint64_t seed;
  uint64_t asked, suspended, stuck;
};

/// The rest of one cycle.
struct bench_cycle {
  uint64_t suspend_at, burst_at, last;
  unsigned bursts;
  enum { bench_to_ask, bench_asking, bench_answered } request;
};

static void bench_start_echo(struct bench_cycles *run) {
  char own[PATH_MAX], numbers[bench_ports][8];
  bench_own_path(own);
  for (int index = 0; index < bench_ports; index++)
    snprintf(numbers[index], sizeof *numbers, "%u", run->ports[index]);
  char *const command[] = {own, "echo", numbers[0], numbers[1], numbers[2], NULL};
  bench_lull_run(run->lull, run->name, command);
}

/// Connects as soon as the program listens; returns how long that took.
static uint64_t bench_open_channels(struct bench_cycles *run) {
  static const struct { const char *name; int port; bool datagrams; } plans[bench_channels] = {
      {"TCP, epoll, 1", 0, false}, {"TCP, epoll, 2", 0, false}, {"UDP, epoll", 0, true},
      {"TCP, blocking", 1, false}, {"UDP, blocking", 2, true}};
  uint64_t start = bench_now(), limit = start + 10 * BENCH_SECOND;
  for (int index = 0; index < bench_channels; index++) {
    uint16_t port = run->ports[plans[index].port];
    int socket = plans[index].datagrams ? bench_datagrams_to(port) : -1;
    while (!plans[index].datagrams && (socket = bench_try_connect(port)) < 0) {
      if (bench_now() > limit) bench_fail("the echo program does not listen at port %u within 10 s", port);
      bench_pause(100 * 1000);
    }
    run->channels[index] = (struct bench_channel){
        .name = plans[index].name, .socket = socket, .datagrams = plans[index].datagrams,
        .salt = (unsigned)index};
  }
  return bench_now() - start;
}

static bool bench_all_echoed(const struct bench_cycles *run) {
  for (int index = 0; index < bench_channels; index++)
    if (run->channels[index].echoed < run->channels[index].sent) return false;
  return true;
}

/// Waits until something comes, or a moment.
static void bench_hear(struct bench_cycles *run, struct bench_cycle *cycle, uint64_t until) {
  struct pollfd entries[bench_channels + 1];
  uint64_t now = bench_now(), left = until > now ? until - now : 0;
  struct timespec wait = {(time_t)(left / BENCH_SECOND), (long)(left % BENCH_SECOND)};
  char reply[BENCH_LINE], state[BENCH_LINE];
  for (int index = 0; index < bench_channels; index++)
    entries[index] = (struct pollfd){.fd = run->channels[index].socket, .events = POLLIN};
  entries[bench_channels] = (struct pollfd){.fd = run->control.socket, .events = POLLIN};
  if (ppoll(entries, bench_channels + 1, &wait, NULL) < 0 && errno != EINTR)
    bench_fail("cannot poll: %s", strerror(errno));
  for (int index = 0; index < bench_channels; index++)
    if (entries[index].revents && !bench_hear_echo(&run->channels[index]))
      bench_fail("%s: the echo program has gone", run->channels[index].name);
  if (!entries[bench_channels].revents || !bench_control_line(&run->control, false, reply)) return;
  cycle->request = bench_answered;
  run->suspended += bench_field(reply, "state", state) && strcmp(state, "suspended") == 0;
}

/// Nothing came for two seconds: it is woken by hand, and what does not come then is lost.
static void bench_rescue(struct bench_cycles *run, struct bench_cycle *cycle) {
  char reply[BENCH_LINE];
  if (++run->stuck > bench_most_stuck) bench_fail("the program was stuck %d times", bench_most_stuck + 1);
  for (int index = 0; index < bench_channels; index++)
    if (run->channels[index].echoed < run->channels[index].sent)
      printf("stuck: %s, %llu bytes\n", run->channels[index].name,
             (unsigned long long)(run->channels[index].sent - run->channels[index].echoed));
  if (cycle->request == bench_asking) bench_control_line(&run->control, true, reply);
  bench_control_send(&run->control, -1, "wake name=%s", run->name);
  bench_control_line(&run->control, true, reply);
  cycle->request = bench_answered;
  for (uint64_t limit = bench_now() + bench_patience; !bench_all_echoed(run) && bench_now() < limit;)
    bench_hear(run, cycle, limit);
  for (int index = 0; index < bench_channels; index++) bench_give_up(&run->channels[index]);
}

/// The wait before a burst: less than a millisecond, so that it meets the sleep while it begins, or more, so
/// that it meets a program that sleeps.
static uint64_t bench_gap(struct bench_cycles *run) {
  return bench_random(&run->seed, (bench_random(&run->seed, 2) ? 8 : 1) * BENCH_MILLISECOND);
}

/// `suspend` at a random moment of the first millisecond, one to three bursts at others.
static void bench_cycle(struct bench_cycles *run) {
  uint64_t now = bench_now();
  struct bench_cycle cycle = {.suspend_at = now + bench_random(&run->seed, BENCH_MILLISECOND),
                              .burst_at = now + bench_gap(run), .last = now,
                              .bursts = 1 + (unsigned)bench_random(&run->seed, 3)};
  while (cycle.bursts > 0 || cycle.request != bench_answered || !bench_all_echoed(run)) {
    now = bench_now();
    if (cycle.request == bench_to_ask && now >= cycle.suspend_at) {
      bench_control_send(&run->control, -1, "suspend name=%s", run->name);
      cycle.request = bench_asking, cycle.last = now, run->asked++;
    }
    if (cycle.bursts > 0 && now >= cycle.burst_at) {
      bench_send_burst(&run->channels[bench_random(&run->seed, bench_channels)], &run->seed);
      cycle.bursts--, cycle.last = now;
      cycle.burst_at = now + bench_gap(run);
    }
    if (now > cycle.last + bench_patience) return bench_rescue(run, &cycle);
    uint64_t until = cycle.last + bench_patience + 1;
    if (cycle.request == bench_to_ask && cycle.suspend_at < until) until = cycle.suspend_at;
    if (cycle.bursts > 0 && cycle.burst_at < until) until = cycle.burst_at;
    bench_hear(run, &cycle, until);
  }
}

static struct bench_holdings bench_count_holdings(struct bench_control *control, pid_t daemon,
                                                  unsigned programs) {
  char path[PATH_MAX], reply[BENCH_LINE];
  struct bench_holdings holdings = {0};
  for (unsigned program = 0; program < programs; program++) {
    bench_control_send(control, -1, "wake name=echo%u", program);
    bench_control_reply(control, reply);
  }
  bench_path(path, "/proc/%d/fd", daemon);
  DIR *entries = opendir(path);
  if (!entries) bench_fail("cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry; (entry = readdir(entries));)
    holdings.descriptors += *entry->d_name != '.';
  closedir(entries);
  holdings.memory = bench_private_memory(daemon);
  return holdings;
}

static void bench_kill_echo(struct bench_cycles *run) {
  char item[BENCH_LINE], pids[BENCH_LINE];
  bench_await_suspended(&run->control, run->name);
  if (!bench_program_item(&run->control, run->name, item) || !bench_field(item, "pids", pids))
    bench_fail("status has no processes of %s", run->name);
  for (char *next = pids, *pid; (pid = strsep(&next, ","));)
    kill((pid_t)bench_number(pid, 1, INT_MAX), SIGKILL);
}

/// Killed asleep: how long until each peer of a TCP connection has its end. Then the next one of its ports.
static void bench_restart_echo(struct bench_cycles *run, uint64_t *ended, uint64_t *bound) {
  char item[BENCH_LINE];
  bench_kill_echo(run);
  uint64_t start = bench_now(), limit = start + 10 * BENCH_SECOND;
  for (int index = 0; index < bench_channels; index++) {
    struct pollfd entry = {.fd = run->channels[index].socket, .events = POLLIN};
    while (!run->channels[index].datagrams && bench_hear_echo(&run->channels[index]))
      if (poll(&entry, 1, 10000) == 0) bench_fail("%s: its end is not seen", run->channels[index].name);
  }
  if (bench_now() - start > *ended) *ended = bench_now() - start;
  for (int index = 0; index < bench_channels; index++) close(run->channels[index].socket);
  while (bench_program_item(&run->control, run->name, item)) {
    if (bench_now() > limit) bench_fail("the daemon does not learn that the program was killed");
    bench_pause(BENCH_MILLISECOND);
  }
  bench_start_echo(run);
  uint64_t took = bench_open_channels(run);
  if (took > *bound) *bound = took;
}

/// False when a target was missed.
static bool bench_report_cycles(const struct bench_cycles_options *options,
                                const struct bench_cycles_board *board, struct bench_holdings before,
                                struct bench_holdings after) {
  enum { most_grown = 1024 };  // KiB: the pages that the allocator keeps differ from moment to moment
  long leaked = labs((long)after.descriptors - (long)before.descriptors);
  double grown = (after.memory - before.memory) / 1024;
  struct bench_cycles_figures all = {0};
  for (unsigned index = 0; index < options->programs; index++) {
    const struct bench_cycles_figures *one = &board->figures[index];
    all.lost += one->lost, all.sent += one->sent, all.stuck += one->stuck, all.slept += one->slept;
    all.asked += one->asked, all.suspended += one->suspended;
  }
  printf("cycles: %u echo program%s of 3 processes (TCP, UDP, epoll, blocking calls) under random traffic\n",
         options->programs, options->programs == 1 ? "" : "s");
  printf("slept and was woken %.0f times; `suspend` asked for %llu times, %llu answered by its sleep\n",
         all.slept, (unsigned long long)all.asked, (unsigned long long)all.suspended);
  printf("bytes lost          %6llu of %llu   target 0: %s\n", (unsigned long long)all.lost,
         (unsigned long long)all.sent, bench_verdict((double)all.lost, 0));
  printf("stuck               %6llu   target 0: %s\n", (unsigned long long)all.stuck,
         bench_verdict((double)all.stuck, 0));
  printf("descriptors leaked  %6ld   target 0: %s\n", leaked, bench_verdict((double)leaked, 0));
  printf("memory grown by     %6.0f KiB of %.0f   target %d KiB: %s\n", grown, before.memory / 1024,
         most_grown, bench_verdict(grown, most_grown));
  fflush(stdout);
  bool whole = all.slept >= options->cycles && all.lost == 0 && all.stuck == 0;
  return whole && leaked == 0 && grown <= most_grown;
}

/// Beside each other they have ports of their own, below those of outgoing connections: a free one could be
/// taken by another program before it is bound.
static void bench_begin_cycles(struct bench_cycles *run, const char *name, const char *lull, uint16_t first) {
  snprintf(run->name, sizeof run->name, "%s", name);
  run->lull = lull;
  for (int index = 0; index < bench_ports; index++)
    run->ports[index] = first ? (uint16_t)(first + index) : bench_free_port();
  bench_start_echo(run);
  bench_open_channels(run);
  bench_await_suspended(&run->control, run->name);
}

/// One program's share, in a process of its own.
static _Noreturn void bench_cycle_program(const struct bench_world *world,
                                          const struct bench_cycles_options *options,
                                          struct bench_cycles_board *board, unsigned index) {
  struct bench_cycles run = {.seed = 0x9E3779B97F4A7C15ull + index};
  struct bench_cycles_figures *figures = &board->figures[index];
  unsigned share = (options->cycles + options->programs - 1) / options->programs;
  char name[16];
  snprintf(name, sizeof name, "echo%u", index);
  bench_await_daemon(world, &run.control);
  unsigned first = options->programs > 1 ? bench_first_port + index * bench_ports : 0;
  bench_begin_cycles(&run, name, options->lull, (uint16_t)first);
  bench_pause(3 * BENCH_SECOND);
  for (unsigned cycle = 0; cycle < bench_warm && cycle < share; cycle++) bench_cycle(&run);
  board->warm++;
  while (!board->begun) bench_pause(BENCH_MILLISECOND);
  double wakes = bench_program_figure(&run.control, name, "wakes");
  for (unsigned cycle = 0; figures->slept < share && cycle < 20 * share; cycle++) {
    bench_cycle(&run);
    if (cycle % 50 == 0) figures->slept = bench_program_figure(&run.control, name, "wakes") - wakes;
  }
  for (int channel = 0; channel < bench_channels; channel++)
    figures->lost += run.channels[channel].lost, figures->sent += run.channels[channel].sent;
  figures->asked = run.asked, figures->suspended = run.suspended, figures->stuck = run.stuck;
  board->done++;
  while (!board->over) bench_pause(BENCH_MILLISECOND);
  _exit(0);
}

/// Until so many processes are where `count` tells that they are.
static void bench_await_board(const _Atomic unsigned *count, unsigned programs) {
  while (*count < programs) {
    if (waitpid(-1, NULL, WNOHANG) > 0) bench_fail("the daemon or a program's process ended too early");
    bench_pause(BENCH_MILLISECOND);
  }
}

/// Programs beside each other; false when a target was missed.
static bool bench_cycle_programs(const struct bench_world *world, const struct bench_cycles_options *options,
                                 struct bench_control *control, pid_t daemon) {
  pid_t children[bench_most_programs];
  struct bench_cycles_board *board =
      mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (board == MAP_FAILED) bench_fail("cannot map memory: %s", strerror(errno));
  for (unsigned index = 0; index < options->programs; index++)
    if ((children[index] = bench_fork(-1)) == 0) bench_cycle_program(world, options, board, index);
  bench_await_board(&board->warm, options->programs);
  struct bench_holdings before = bench_count_holdings(control, daemon, options->programs);
  board->begun = true;
  bench_await_board(&board->done, options->programs);
  struct bench_holdings after = bench_count_holdings(control, daemon, options->programs);
  board->over = true;
  for (unsigned index = 0; index < options->programs; index++) waitpid(children[index], NULL, 0);
  return bench_report_cycles(options, board, before, after);
}

static int bench_run_cycles(const struct bench_world *world, const void *given) {
  const struct bench_cycles_options *options = given;
  struct bench_cycles run = {.seed = 1};
  uint64_t ended = 0, bound = 0;
  bench_own_network();
  pid_t child = bench_spawn_daemon(world, options->daemon), daemon = bench_await_daemon(world, &run.control);
  bool good = bench_cycle_programs(world, options, &run.control, daemon);
  unsigned restarts = options->cycles < bench_restarts ? options->cycles : bench_restarts;
  bench_begin_cycles(&run, "again", options->lull, 0);
  for (unsigned restart = 0; restart < restarts; restart++) bench_restart_echo(&run, &ended, &bound);
  printf("killed asleep and started again on its ports: %u of %u bound at once (%.1f ms at most);\n"
         "its peers saw its end within %.1f ms\n", restarts, restarts, (double)bound / 1e6,
         (double)ended / 1e6);
  bench_end_daemon(child);
  return options->strict && !good;
}

int bench_cycles_command(int count, char **arguments) {
  if (count != 3 && count != 4) bench_fail("usage: lull-bench cycles CYCLES LULL LULLD [PROGRAMS]");
  struct bench_cycles_options options = {
      .cycles = bench_number(arguments[0], 1, 10000000), .lull = arguments[1], .daemon = arguments[2],
      .programs = count == 4 ? bench_number(arguments[3], 1, bench_most_programs) : 1, .strict = count == 4};
  return bench_run(bench_run_cycles, &options);
}
