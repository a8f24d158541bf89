// `lull-bench freeze`: how long it takes until a program with eight sockets and four threads is frozen,
// proved idle and watched; beside the least that a C program must do for it. In turns.
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { bench_sockets = 8, bench_threads = 4, bench_connections = 4 };

struct bench_freeze_options {
  unsigned rounds;
  const char *lull, *daemon;
};

struct bench_floor {
  pid_t pid;
  int process, freeze, events, loop;
  int held[bench_sockets];
  size_t count;
};

struct bench_freezes {
  double *floor, *suspend, *hello;  // microseconds
  unsigned refused;
};

/// Calls `look` with each entry of a directory of /proc/PID; returns how many there were.
static size_t bench_walk(struct bench_floor *floor, const char *directory,
                         void (*look)(struct bench_floor *floor, const char *name)) {
  char path[PATH_MAX];
  size_t count = 0;
  bench_path(path, "/proc/%d/%s", floor->pid, directory);
  DIR *entries = opendir(path);
  if (!entries) bench_fail("cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry; (entry = readdir(entries));)
    if (*entry->d_name != '.') look(floor, entry->d_name), count++;
  closedir(entries);
  return count;
}

static void bench_look_at_thread(struct bench_floor *floor, const char *name) {
  char path[PATH_MAX], text[256];
  bench_path(path, "/proc/%d/task/%s/syscall", floor->pid, name);
  int file = bench_open(path, O_RDONLY);
  if (read(file, text, sizeof text) < 0) bench_fail("cannot read %s: %s", path, strerror(errno));
  close(file);
}

static void bench_take_socket(struct bench_floor *floor, const char *name) {
  char path[PATH_MAX], target[64] = "";
  bench_path(path, "/proc/%d/fd/%s", floor->pid, name);
  if (readlink(path, target, sizeof target - 1) < 0) bench_fail("cannot read %s: %s", path, strerror(errno));
  if (strncmp(target, "socket:", 7) != 0) return;
  if (floor->count == bench_sockets) bench_fail("the program has more than %d sockets", bench_sockets);
  int held = (int)syscall(SYS_pidfd_getfd, floor->process, atoi(name), 0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT};
  if (held < 0 || epoll_ctl(floor->loop, EPOLL_CTL_ADD, held, &event) < 0)
    bench_fail("cannot take a socket: %s", strerror(errno));
  floor->held[floor->count++] = held;
}

static double bench_freeze_floor(struct bench_floor *floor, uint64_t *seed) {
  struct epoll_event event;
  uint64_t from = bench_random_moment(seed);
  bench_write(floor->freeze, "1");
  bench_await_frozen(floor->events, 0);
  size_t threads = bench_walk(floor, "task", bench_look_at_thread);
  bench_walk(floor, "fd", bench_take_socket);
  if (epoll_wait(floor->loop, &event, 1, 0) != 0) bench_fail("bytes came that nobody sent");
  uint64_t to = bench_now();
  if (threads != bench_threads || floor->count != bench_sockets)
    bench_fail("%zu threads and %zu sockets are not the program's", threads, floor->count);
  bench_write(floor->freeze, "0");
  while (floor->count > 0) {
    int held = floor->held[--floor->count];
    epoll_ctl(floor->loop, EPOLL_CTL_DEL, held, NULL);
    close(held);
  }
  return (double)(to - from) / 1000;
}

static double bench_ask(struct bench_control *control, uint64_t *seed, const char *request,
                        char reply[BENCH_LINE]) {
  uint64_t from = bench_random_moment(seed);
  bench_control_send(control, -1, "%s", request);
  do bench_control_line(control, true, reply);
  while (bench_starts_with(reply, "event"));
  return (double)(bench_now() - from) / 1000;
}

static void bench_freeze_lull(struct bench_control *control, int events, struct bench_freezes *freezes,
                              unsigned round, uint64_t *seed) {
  char reply[BENCH_LINE], state[BENCH_LINE];
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    bench_control_send(control, -1, "wake name=eight");
    bench_control_reply(control, reply);
    freezes->hello[round] = bench_ask(control, seed, "hello", reply);
    freezes->suspend[round] = bench_ask(control, seed, "suspend name=eight", reply);
    if (bench_field(reply, "state", state) && strcmp(state, "suspended") == 0 && bench_is_frozen(events))
      return;
    freezes->refused++;
  }
  bench_fail("the program is not suspended: %s", reply);
}

static void bench_start_floor_program(struct bench_floor *floor, const struct bench_world *world,
                                      char *const command[]) {
  char cgroup[PATH_MAX];
  bench_path(cgroup, "%s/floor", world->cgroup);
  bench_make_cgroup(cgroup);
  *floor = (struct bench_floor){.loop = epoll_create1(EPOLL_CLOEXEC), .pid = bench_fork(-1)};
  if (floor->pid == 0) {
    bench_enter_cgroup(cgroup);
    execv(command[0], command);
    bench_fail("cannot run %s: %s", command[0], strerror(errno));
  }
  floor->process = (int)syscall(SYS_pidfd_open, floor->pid, 0);
  floor->freeze = bench_open_in(cgroup, "cgroup.freeze", O_WRONLY);
  floor->events = bench_open_in(cgroup, "cgroup.events", O_RDONLY);
  if (floor->loop < 0 || floor->process < 0) bench_fail("cannot watch the program: %s", strerror(errno));
}

static void bench_report_freezes(const struct bench_freezes *freezes, unsigned rounds) {
  double hello = bench_quantile(freezes->hello, rounds, 0.5);
  double floor = bench_quantile(freezes->floor, rounds, 0.5);
  for (unsigned round = 0; round < rounds; round++) freezes->suspend[round] -= hello;
  double own = bench_quantile(freezes->suspend, rounds, 0.5);
  printf("freeze: a program with %d sockets and %d threads, until it is frozen, proved idle and watched\n",
         bench_sockets, bench_threads);
  printf("%u rounds each, in turns, microseconds\n%-30s %8s %8s\n", rounds, "", "p50", "p99");
  printf("%-30s %8.0f %8.0f\n", "C (floor)", floor, bench_quantile(freezes->floor, rounds, 0.99));
  printf("%-30s %8.0f %8.0f   target p50 500 us: %s\n", "Lull", own,
         bench_quantile(freezes->suspend, rounds, 0.99), bench_verdict(own, 500));
  printf("ratio of the medians %.2f; %u attempts refused and repeated. Lull's time is that of `suspend` to\n"
         "its reply, without the median of `hello` (%.0f us), which travels the same way.\n",
         own / floor, freezes->refused, hello);
}

static double *bench_samples(unsigned rounds) {
  double *samples = calloc(rounds, sizeof(double));
  if (!samples) bench_fail("no memory for the samples");
  return samples;
}

static int bench_freeze(const struct bench_world *world, const void *given) {
  const struct bench_freeze_options *options = given;
  struct bench_freezes freezes = {
      bench_samples(options->rounds), bench_samples(options->rounds), bench_samples(options->rounds), 0};
  struct bench_control control;
  struct bench_floor floor;
  char own[PATH_MAX], number[8], paths[2][PATH_MAX];
  uint16_t port;
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  int listener = bench_listen(&port);
  bench_own_path(own);
  snprintf(number, sizeof number, "%u", port);
  for (int who = 0; who < 2; who++) bench_path(paths[who], "%s/eight-%d", world->runtime, who);
  bench_start_floor_program(&floor, world, (char *const[]){own, "eight", number, paths[0], NULL});
  for (int line = 0; line < bench_connections; line++) bench_accept(listener);
  pid_t daemon = bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &control);
  bench_lull_run(options->lull, "eight", (char *const[]){own, "eight", number, paths[1], NULL});
  for (int line = 0; line < bench_connections; line++) bench_accept(listener);
  bench_await_suspended(&control, "eight");
  bench_pause(3 * BENCH_SECOND);
  int events = bench_program_events(&control, "eight");
  for (unsigned round = 0; round < options->rounds; round++) {
    freezes.floor[round] = bench_freeze_floor(&floor, &seed);
    bench_freeze_lull(&control, events, &freezes, round, &seed);
  }
  bench_report_freezes(&freezes, options->rounds);
  bench_end_daemon(daemon);
  return 0;
}

int bench_freeze_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench freeze ROUNDS LULL LULLD");
  struct bench_freeze_options options = {
      bench_number(arguments[0], 1, BENCH_SAMPLES), arguments[1], arguments[2]};
  return bench_run(bench_freeze, &options);
}
