// `lull-bench compact`: the first wake of a program whose memory was given back, the wakes after it, and what
// stays resident; beside a C floor that pages the same program out and does not freeze it.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_most_held = 64, bench_later_wakes = 5, bench_touched = 10, bench_room = 2048 };
#define BENCH_MIB (1ul << 20)

struct bench_compact_options {
  unsigned rounds, size;  // programs, and the MiB of each
  const char *lull, *daemon;
};

struct bench_held {
  int line, events;
  pid_t process;
  double before, after;  // resident bytes
};

/// A program with so much memory, which touches some of it for each byte that comes, and answers.
int bench_memory_command(int count, char **arguments) {
  if (count != 2) bench_fail("usage: lull-bench memory PORT MIB");
  size_t size = bench_number(arguments[1], 1, 4096) * BENCH_MIB;
  char *memory = malloc(size);
  if (!memory) bench_fail("no memory");
  uint64_t seed = 1;
  for (size_t place = 0; place < size; place += sizeof seed)
    *(uint64_t *)(memory + place) = place % 64 ? place / 512 : bench_random(&seed, UINT64_MAX);
  size_t touched = bench_touched * BENCH_MIB < size ? bench_touched * BENCH_MIB : size;
  int line = bench_connect((uint16_t)bench_number(arguments[0], 1, UINT16_MAX));
  for (char byte; recv(line, &byte, 1, 0) == 1;) {
    volatile char sum = 0;
    for (size_t place = 0; place < touched; place += 4096) sum = (char)(sum + memory[place]);
    uint64_t now = bench_now();
    if (send(line, &now, sizeof now, MSG_NOSIGNAL) != sizeof now) break;
  }
  return 0;
}

static double bench_resident(pid_t process) {
  char path[PATH_MAX];
  unsigned long pages = 0;
  bench_path(path, "/proc/%d/statm", process);
  FILE *file = fopen(path, "re");
  if (!file || fscanf(file, "%*u %lu", &pages) != 1) bench_fail("cannot read %s", path);
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/// The milliseconds from the byte to the moment at which the memory was touched.
static double bench_touch(const struct bench_held *held) {
  uint64_t sent = bench_now(), received;
  if (send(held->line, "b", 1, MSG_NOSIGNAL) != 1) bench_fail("a program has ended");
  if (recv(held->line, &received, sizeof received, MSG_WAITALL) != sizeof received)
    bench_fail("a wake got no answer within 10 s");
  return (double)(received - sent) / 1e6;
}

/// Pages out what has no file, or a private one.
static void bench_page_out(pid_t process) {
  char path[PATH_MAX], line[512];
  int pidfd = (int)syscall(SYS_pidfd_open, process, 0);
  bench_path(path, "/proc/%d/maps", process);
  FILE *maps = fopen(path, "re");
  if (pidfd < 0 || !maps) bench_fail("cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || rights[3] != 'p') continue;
    struct iovec range = {(void *)start, end - start};
    syscall(SYS_process_madvise, pidfd, &range, 1ul, MADV_PAGEOUT, 0u);
  }
  fclose(maps);
  close(pidfd);
}

static void bench_tell_first(const char *name, const struct bench_held *held, unsigned programs,
                             bool isLull) {
  double first[bench_most_held], most = 0;
  for (unsigned program = 0; program < programs; program++) {
    double left = 100 * held[program].after / held[program].before;
    most = left > most ? left : most;
    first[program] = bench_touch(&held[program]);
  }
  double median = bench_quantile(first, programs, 0.5);
  printf("%-6s resident at most %4.1f %% of before   target 10 %%: %s\n", name, most,
         isLull ? bench_verdict(most, 10) : "floor");
  printf("%-6s first wake p50 %6.2f ms  p99 %6.2f ms   target 25 ms: %s\n", name, median,
         bench_quantile(first, programs, 0.99), isLull ? bench_verdict(median, 25) : "floor");
}

static double bench_tell_later(const char *name, double *later, unsigned count) {
  double median = bench_quantile(later, count, 0.5);
  printf("%-14s later wakes p50 %6.3f ms  p99 %6.3f ms\n", name, median, bench_quantile(later, count, 0.99));
  return median;
}

static void bench_measure_floor(const struct bench_compact_options *options) {
  struct bench_held held[bench_most_held];
  char number[8], size[16];
  uint16_t port;
  int listener = bench_listen(&port);
  snprintf(number, sizeof number, "%u", port), snprintf(size, sizeof size, "%u", options->size);
  for (unsigned program = 0; program < options->rounds; program++) {
    held[program].process = bench_fork(-1);
    if (held[program].process == 0) _exit(bench_memory_command(2, (char *[]){number, size}));
    held[program].line = bench_accept(listener);
    held[program].before = bench_resident(held[program].process);
    bench_page_out(held[program].process);
    held[program].after = bench_resident(held[program].process);
  }
  bench_tell_first("floor", held, options->rounds, false);
  // Whoever waits for the daemon takes any child that ends for it.
  for (unsigned program = 0; program < options->rounds; program++) {
    close(held[program].line);
    waitpid(held[program].process, NULL, 0);
  }
  close(listener);
}

/// Waits until its memory was given back.
static void bench_await_compacted(struct bench_control *control, const char *name, struct bench_held *held) {
  char item[BENCH_LINE], before[BENCH_LINE], after[BENCH_LINE];
  for (uint64_t limit = bench_now() + 120 * BENCH_SECOND; bench_now() < limit;
       bench_pause(100 * BENCH_MILLISECOND)) {
    if (!bench_program_item(control, name, item)) bench_fail("%s has ended", name);
    if (!bench_field(item, "residentBefore", before) || !bench_field(item, "residentAfter", after)) continue;
    held->before = strtod(before, NULL), held->after = strtod(after, NULL);
    return;
  }
  bench_fail("the memory of %s was not given back within 120 s", name);
}

struct bench_large {
  const struct bench_compact_options *options;
  struct bench_control control;
  int listener;
  uint16_t port;
};

static void bench_name(char name[32], const char *kind, unsigned program) {
  snprintf(name, 32, "%s-%u", kind, program);
}

static void bench_start_large(struct bench_large *fleet, const char *kind, const char *option,
                             struct bench_held *held) {
  char own[PATH_MAX], number[8], size[16], name[32];
  bench_own_path(own);
  snprintf(number, sizeof number, "%u", fleet->port), snprintf(size, sizeof size, "%u", fleet->options->size);
  for (unsigned program = 0; program < fleet->options->rounds; program++) {
    bench_name(name, kind, program);
    bench_lull_run_with(fleet->options->lull, name, option,
                        (char *const[]){own, "memory", number, size, NULL});
    held[program].line = bench_accept(fleet->listener);
    held[program].events = bench_program_events(&fleet->control, name);
  }
}

/// A wake of a program that sleeps.
static double bench_wake_again(struct bench_large *fleet, const char *kind, unsigned program,
                               const struct bench_held *held) {
  char name[32];
  bench_name(name, kind, program);
  bench_put_to_sleep(&fleet->control, name, held->events);
  return bench_touch(held);
}

static int bench_compact(const struct bench_world *world, const void *given) {
  const struct bench_compact_options *options = given;
  struct bench_large fleet = {.options = options};
  struct bench_held held[bench_most_held], stays[bench_most_held];
  double later[bench_most_held * bench_later_wakes], stayed[bench_most_held * bench_later_wakes];
  char name[32];
  unsigned count = 0;
  printf("compact: %u programs with %u MiB, %u MiB touched at each wake\n", options->rounds, options->size,
         options->size < bench_touched ? options->size : bench_touched);
  bench_measure_floor(options);
  fleet.listener = bench_listen(&fleet.port);
  bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &fleet.control);
  bench_start_large(&fleet, "program", NULL, held);
  bench_start_large(&fleet, "stays", "--no-compact", stays);
  for (unsigned program = 0; program < options->rounds; program++) {
    bench_name(name, "program", program);
    bench_await_compacted(&fleet.control, name, &held[program]);
  }
  bench_tell_first("Lull", held, options->rounds, true);
  // In turn, so that what else the machine does meets both alike.
  for (unsigned wake = 0; wake < bench_later_wakes; wake++) {
    for (unsigned program = 0; program < options->rounds; program++, count++) {
      later[count] = bench_wake_again(&fleet, "program", program, &held[program]);
      stayed[count] = bench_wake_again(&fleet, "stays", program, &stays[program]);
    }
  }
  double ratio = bench_tell_later("Lull", later, count) / bench_tell_later("--no-compact", stayed, count);
  printf("ratio of later wakes %5.2f   target 1.10: %s\n", ratio, bench_verdict(ratio, 1.1));
  return 0;
}

int bench_compact_command(int count, char **arguments) {
  if (count != 4) bench_fail("usage: lull-bench compact PROGRAMS MIB LULL DAEMON");
  struct bench_compact_options options = {
      bench_number(arguments[0], 1, bench_most_held), bench_number(arguments[1], 1, 1024), arguments[2],
      arguments[3]};
  // What is resident at once is bounded.
  unsigned most = bench_room / options.size;
  if (options.rounds > most) options.rounds = most > 0 ? most : 1;
  return bench_run(bench_compact, &options);
}
