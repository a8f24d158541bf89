// A daemon and its programs in a process of their own, which has the other ends of their connections: a
// single process may not have enough descriptors for all of them.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_looks = 3 };

struct bench_driver {
  const struct bench_side *side;
  struct bench_control control;
  pid_t daemon;
  int *events, *lines;  // of each program; of each program's connections
  uint64_t seed;
};

static bool bench_all_frozen(const struct bench_driver *driver) {
  for (unsigned number = 0; number < driver->side->programs; number++)
    if (!bench_is_frozen(driver->events[number])) return false;
  return true;
}

/// A program that is being observed is frozen for a moment: asleep is one that is found frozen several times.
static bool bench_all_sleep(const struct bench_driver *driver, unsigned seconds) {
  uint64_t limit = bench_now() + seconds * BENCH_SECOND;
  for (int looks = 0; looks < bench_looks; bench_pause(100 * BENCH_MILLISECOND)) {
    looks = bench_all_frozen(driver) ? looks + 1 : 0;
    if (looks < bench_looks && bench_now() > limit) return false;
  }
  return true;
}

static int *bench_line(const struct bench_driver *driver, unsigned program, unsigned number) {
  return &driver->lines[program * driver->side->lines + number];
}

static void bench_start_programs(struct bench_driver *driver, const struct bench_world *world) {
  const struct bench_side *side = driver->side;
  char own[PATH_MAX], number[8], count[16], name[32];
  uint16_t port;
  int listener = bench_listen(&port);
  bench_own_path(own);
  snprintf(number, sizeof number, "%u", port), snprintf(count, sizeof count, "%u", side->lines);
  bench_spawn_daemon(world, side->daemon);
  driver->daemon = bench_await_daemon(world, &driver->control);
  for (unsigned program = 0; program < side->programs; program++) {
    snprintf(name, sizeof name, "program-%u", program);
    bench_lull_run(side->lull, name, (char *const[]){own, "many", number, count, NULL});
    *bench_line(driver, program, 0) = bench_accept(listener);
    driver->events[program] = bench_program_events(&driver->control, name);
  }
  side->figures->sleeps = bench_all_sleep(driver, 30);
  double before = bench_private_memory(driver->daemon);
  for (unsigned program = 0; program < side->programs; program++) {
    if (send(*bench_line(driver, program, 0), "g", 1, MSG_NOSIGNAL) != 1) bench_fail("a program has ended");
    for (unsigned line = 1; line < side->lines; line++)
      *bench_line(driver, program, line) = bench_accept(listener);
  }
  side->figures->sleeps = side->figures->sleeps && bench_all_sleep(driver, 60);
  double more = bench_private_memory(driver->daemon) - before;
  if (side->lines > 1) side->figures->bytes_per_line = more / (side->programs * (side->lines - 1.0));
}

static void bench_start_floor(struct bench_driver *driver, const struct bench_world *world) {
  char path[PATH_MAX];
  uint16_t port;
  int listener = bench_listen(&port);
  if (bench_fork(-1) == 0) bench_watcher(world->cgroup, port, driver->side->programs);
  for (unsigned program = 0; program < driver->side->programs; program++)
    *bench_line(driver, program, 0) = bench_accept(listener);
  for (unsigned program = 0; program < driver->side->programs; program++) {
    bench_path(path, "%s/%u", world->cgroup, program);
    driver->events[program] = bench_open_in(path, "cgroup.events", O_RDONLY);
  }
  driver->side->figures->sleeps = bench_all_sleep(driver, 30);
}

/// A round begins and ends when every program sleeps: nobody's freeze is in the way of a wake, be it one of
/// another side.
static void bench_lull_all(struct bench_driver *driver) {
  char name[32];
  while (!bench_all_frozen(driver))
    for (unsigned program = 0; program < driver->side->programs; program++) {
      snprintf(name, sizeof name, "program-%u", program);
      if (driver->side->daemon) bench_put_to_sleep(&driver->control, name, driver->events[program]);
      else bench_await_frozen(driver->events[program], BENCH_MILLISECOND);
    }
}

static void bench_send_byte(int line, char byte) {
  if (send(line, &byte, 1, MSG_NOSIGNAL) != 1) bench_fail("cannot send: %s", strerror(errno));
}

static uint64_t bench_received(int line) {
  uint64_t received;
  if (recv(line, &received, sizeof received, MSG_WAITALL) != sizeof received)
    bench_fail("a wake got no answer within 10 s");
  return received;
}

/// A byte for one connection of one program, both at random.
static double bench_wake_one(struct bench_driver *driver) {
  const struct bench_side *side = driver->side;
  unsigned program = (unsigned)bench_random(&driver->seed, side->programs);
  int line = *bench_line(driver, program, (unsigned)bench_random(&driver->seed, side->lines));
  bench_lull_all(driver);
  uint64_t sent = bench_random_moment(&driver->seed);
  bench_send_byte(line, 'b');
  return (double)(bench_received(line) - sent) / 1000;
}

/// A byte for one connection of each program at once: when the last one has it.
static double bench_burst(struct bench_driver *driver) {
  const struct bench_side *side = driver->side;
  unsigned chosen = (unsigned)bench_random(&driver->seed, side->lines);
  uint64_t last = 0;
  bench_lull_all(driver);
  bench_pause(20 * BENCH_MILLISECOND);
  uint64_t sent = bench_random_moment(&driver->seed);
  for (unsigned program = 0; program < side->programs; program++)
    bench_send_byte(*bench_line(driver, program, chosen), BENCH_LATER);
  for (unsigned program = 0; program < side->programs; program++) {
    uint64_t received = bench_received(*bench_line(driver, program, chosen));
    if (received > last) last = received;
  }
  return (double)(last - sent) / 1000;
}

/// True when a command ends with 0; its output goes to `path`.
static bool bench_succeeds(char *const command[], const char *path) {
  int status, output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(output, STDOUT_FILENO);
    execv(command[0], command);
    _exit(127);
  }
  close(output);
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// The number of times that a word stands in a file.
static unsigned bench_occurrences(const char *path, const char *word) {
  char *line = NULL;
  size_t size = 0;
  unsigned count = 0;
  FILE *file = fopen(path, "re");
  while (file && getline(&line, &size, file) > 0)
    for (const char *at = line; (at = strstr(at, word)); at += strlen(word)) count++;
  if (file) fclose(file);
  free(line);
  return count;
}

static void bench_tell(const struct bench_driver *driver, const struct bench_world *world) {
  const struct bench_side *side = driver->side;
  char *lull = (char *)side->lull, path[PATH_MAX];
  bench_path(path, "%s/output", world->runtime);
  bool status = bench_succeeds((char *const[]){lull, "status", "--json", NULL}, path);
  unsigned named = bench_occurrences(path, "\"name\"");
  printf("lull status --json: %s, %u of %u programs   target complete: %s\n", status ? "exit 0" : "failed",
         named, side->programs, status && named >= side->programs ? "reached" : "not reached");
  bool lines = bench_succeeds((char *const[]){lull, "lines", NULL}, path);
  printf("lull lines: %s, %u lines of output   target exit 0: %s\n", lines ? "exit 0" : "failed",
         bench_occurrences(path, "\n"), lines ? "reached" : "not reached");
  fflush(stdout);
}

static _Noreturn void bench_drive(const struct bench_side *side, const struct bench_world *world,
                                  int orders) {
  struct bench_driver driver = {.side = side, .seed = 0x9E3779B97F4A7C15ull};
  struct bench_side_figures *figures = side->figures;
  char order = 'r';
  driver.events = calloc(side->programs, sizeof(int));
  driver.lines = calloc((size_t)side->programs * side->lines, sizeof(int));
  if (!driver.events || !driver.lines) bench_fail("no memory for %s", side->name);
  if (side->daemon) bench_start_programs(&driver, world);
  else bench_start_floor(&driver, world);
  while (write(orders, &order, 1) == 1 && read(orders, &order, 1) == 1) {
    if (order == BENCH_WAKE) figures->wakes[figures->wakes_done++] = bench_wake_one(&driver);
    else if (order == BENCH_BURST) figures->bursts[figures->bursts_done++] = bench_burst(&driver);
    else bench_tell(&driver, world);
    bench_lull_all(&driver);
  }
  if (side->daemon) bench_end_daemon(driver.daemon);
  bench_write(bench_open_in(world->cgroup, "cgroup.kill", O_WRONLY), "1");
  _exit(0);
}

static void *bench_shared(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) bench_fail("no memory for the figures: %s", strerror(errno));
  return memory;
}

void bench_start_side(struct bench_side *side, const struct bench_world *world) {
  struct bench_world own;
  int pair[2];
  bench_path(own.cgroup, "%s/%s", world->cgroup, side->name);
  bench_path(own.runtime, "%s/%s", world->runtime, side->name);
  bench_make_cgroup(own.cgroup);
  if (mkdir(own.runtime, 0700) < 0) bench_fail("cannot make %s: %s", own.runtime, strerror(errno));
  side->figures = bench_shared(sizeof *side->figures);
  side->figures->wakes = bench_shared((side->rounds + 1) * sizeof(double));
  side->figures->bursts = bench_shared((side->bursts + 1) * sizeof(double));
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
    bench_fail("cannot make a socket pair: %s", strerror(errno));
  side->process = bench_fork(pair[1]);
  if (side->process == 0) bench_drive(side, &own, 3);
  close(pair[1]);
  side->orders = pair[0];
}

void bench_await_side(struct bench_side *side) {
  char answer;
  if (read(side->orders, &answer, 1) != 1) bench_fail("%s has failed", side->name);
}

void bench_end_side(struct bench_side *side) {
  close(side->orders);
  if (waitpid(side->process, NULL, 0) != side->process) bench_fail("cannot wait: %s", strerror(errno));
}

void bench_order_side(struct bench_side *side, enum bench_order order) {
  char byte = (char)order;
  if (write(side->orders, &byte, 1) != 1) bench_fail("%s has ended", side->name);
  bench_await_side(side);
}
