// `lull-bench cycles`: an echo program is put to sleep at random moments under random traffic. Counted are
// the bytes that do not come back, the times that nothing comes back for two seconds, and the descriptors
// that the daemon has at the end and had not at the beginning. Then it is killed asleep and started on its
// ports again.
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bench_channels = 5, bench_ports = 3, bench_restarts = 10, bench_most_stuck = 5 };
static const uint64_t bench_patience = 2 * BENCH_SECOND;

struct bench_cycles_options {
  unsigned cycles;
  const char *lull, *daemon;
};

struct bench_cycles {
  struct bench_control control;
  struct bench_channel channels[bench_channels];
  uint16_t ports[bench_ports];
  const char *lull;
  uint64_t seed;
  uint64_t asked, suspended, stuck;
};

/// What is still to happen in one cycle.
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
  bench_lull_run(run->lull, "echo", command);
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
  bench_control_send(&run->control, -1, "wake name=echo");
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
      bench_control_send(&run->control, -1, "suspend name=echo");
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

/// How many descriptors the daemon has while the program is awake.
static unsigned bench_count_descriptors(struct bench_cycles *run, pid_t daemon) {
  char path[PATH_MAX], reply[BENCH_LINE];
  unsigned count = 0;
  bench_control_send(&run->control, -1, "wake name=echo");
  bench_control_reply(&run->control, reply);
  bench_path(path, "/proc/%d/fd", daemon);
  DIR *entries = opendir(path);
  if (!entries) bench_fail("cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry; (entry = readdir(entries));) count += *entry->d_name != '.';
  closedir(entries);
  return count;
}

static void bench_kill_echo(struct bench_cycles *run) {
  char item[BENCH_LINE], pids[BENCH_LINE];
  bench_await_suspended(&run->control, "echo");
  if (!bench_program_item(&run->control, "echo", item) || !bench_field(item, "pids", pids))
    bench_fail("status has no processes of echo");
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
  while (bench_program_item(&run->control, "echo", item)) {
    if (bench_now() > limit) bench_fail("the daemon does not learn that the program was killed");
    bench_pause(BENCH_MILLISECOND);
  }
  bench_start_echo(run);
  uint64_t took = bench_open_channels(run);
  if (took > *bound) *bound = took;
}

static void bench_report_cycles(const struct bench_cycles *run, double slept, long leaked) {
  uint64_t lost = 0, sent = 0;
  for (int index = 0; index < bench_channels; index++)
    lost += run->channels[index].lost, sent += run->channels[index].sent;
  printf("cycles: an echo program of 3 processes (TCP, UDP, epoll, blocking calls) under random traffic\n");
  printf("slept and was woken %.0f times; `suspend` asked for %llu times, %llu answered by its sleep\n",
         slept, (unsigned long long)run->asked, (unsigned long long)run->suspended);
  printf("bytes lost          %6llu of %llu   target 0: %s\n", (unsigned long long)lost,
         (unsigned long long)sent, bench_verdict((double)lost, 0));
  printf("stuck               %6llu   target 0: %s\n", (unsigned long long)run->stuck,
         bench_verdict((double)run->stuck, 0));
  printf("descriptors leaked  %6ld   target 0: %s\n", leaked, bench_verdict((double)labs(leaked), 0));
}

static int bench_run_cycles(const struct bench_world *world, const void *given) {
  const struct bench_cycles_options *options = given;
  struct bench_cycles run = {.lull = options->lull, .seed = 0x9E3779B97F4A7C15ull};
  uint64_t ended = 0, bound = 0;
  bench_own_network();
  pid_t child = bench_spawn_daemon(world, options->daemon), daemon = bench_await_daemon(world, &run.control);
  for (int index = 0; index < bench_ports; index++) run.ports[index] = bench_free_port();
  bench_start_echo(&run);
  bench_open_channels(&run);
  bench_await_suspended(&run.control, "echo");
  bench_pause(3 * BENCH_SECOND);
  for (unsigned cycle = 0; cycle < 100 && cycle < options->cycles; cycle++) bench_cycle(&run);
  unsigned before = bench_count_descriptors(&run, daemon);
  double wakes = bench_program_figure(&run.control, "echo", "wakes"), slept = 0;
  for (unsigned cycle = 0; slept < options->cycles && cycle < 20 * options->cycles; cycle++) {
    bench_cycle(&run);
    if (cycle % 50 == 0) slept = bench_program_figure(&run.control, "echo", "wakes") - wakes;
  }
  long leaked = (long)bench_count_descriptors(&run, daemon) - (long)before;
  bench_report_cycles(&run, slept, leaked);
  unsigned restarts = options->cycles < bench_restarts ? options->cycles : bench_restarts;
  for (unsigned restart = 0; restart < restarts; restart++) bench_restart_echo(&run, &ended, &bound);
  printf("killed asleep and started again on its ports: %u of %u bound at once (%.1f ms at most);\n"
         "its peers saw its end within %.1f ms\n", restarts, restarts, (double)bound / 1e6,
         (double)ended / 1e6);
  bench_end_daemon(child);
  return 0;
}

int bench_cycles_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench cycles CYCLES LULL LULLD");
  struct bench_cycles_options options = {
      bench_number(arguments[0], 1, 10000000), arguments[1], arguments[2]};
  return bench_run(bench_run_cycles, &options);
}
