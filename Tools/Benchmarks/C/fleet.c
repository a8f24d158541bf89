// `lull-bench fleet`: a daemon with many sleeping programs, each with one held line, while a command looks at
// it. The command finds the daemon's pid in LULL_BENCH_DAEMON, the number of programs in LULL_BENCH_PROGRAMS
// and words for them in LULL_BENCH_FLEET. With LULL_BENCH_MODES they declare these modes and hold no line.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_most_programs = 1000 };

struct bench_fleet_options {
  unsigned programs;
  const char *daemon;
  char **command;
};

static void bench_start_program(const struct bench_world *world, unsigned number, int listener,
                                uint16_t port) {
  char name[32];
  snprintf(name, sizeof name, "program-%u", number);
  if (bench_fork(-1) == 0) bench_client(world->runtime, name, port);
  bench_accept(listener);
}

/// Asleep means what the kernel says of each program's cgroup, all of them at the end of the walk.
static void bench_await_fleet(struct bench_control *control, unsigned programs) {
  int events[bench_most_programs];
  for (unsigned number = 0; number < programs; number++) {
    char name[32];
    snprintf(name, sizeof name, "program-%u", number);
    events[number] = bench_program_events(control, name);
  }
  for (unsigned number = 0; number < programs; number++)
    bench_await_frozen(events[number], BENCH_MILLISECOND);
  for (unsigned number = 0; number < programs; number++) {
    if (!bench_is_frozen(events[number])) bench_fail("program-%u does not stay asleep", number);
    close(events[number]);
  }
}

/// Each program is woken once and sleeps again, long after its memory was given back.
static void bench_wake_fleet(struct bench_control *control, unsigned programs) {
  char line[BENCH_LINE];
  bench_pause(BENCH_SECOND);
  for (unsigned number = 0; number < programs; number++) {
    bench_control_send(control, -1, "wake name=program-%u", number);
    bench_control_reply(control, line);
  }
  bench_await_fleet(control, programs);
}

static int bench_run_command(const struct bench_fleet_options *options, pid_t daemon) {
  char number[16];
  snprintf(number, sizeof number, "%d", daemon);
  setenv("LULL_BENCH_DAEMON", number, 1);
  snprintf(number, sizeof number, "%u", options->programs);
  setenv("LULL_BENCH_PROGRAMS", number, 1);
  char fleet[BENCH_LINE];
  const char *modes = getenv("LULL_BENCH_MODES");
  if (modes) snprintf(fleet, sizeof fleet, "%u sleeping programs, without a line, of the modes %s",
                      options->programs, modes);
  else snprintf(fleet, sizeof fleet, "%u sleeping programs, each with one line held", options->programs);
  setenv("LULL_BENCH_FLEET", fleet, 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    execvp(options->command[0], options->command);
    bench_fail("cannot run %s: %s", options->command[0], strerror(errno));
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) bench_fail("cannot wait: %s", strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int bench_fleet(const struct bench_world *world, const void *given) {
  const struct bench_fleet_options *options = given;
  struct bench_control control;
  uint16_t port;
  int listener = bench_listen(&port);
  pid_t child = bench_spawn_daemon(world, options->daemon), daemon = bench_await_daemon(world, &control);
  for (unsigned number = 0; number < options->programs; number++)
    bench_start_program(world, number, listener, port);
  bench_await_fleet(&control, options->programs);
  if (getenv("LULL_BENCH_RATE")) bench_wake_fleet(&control, options->programs);
  // No operator may be connected while the daemon is measured: only the programs.
  close(control.socket);
  int status = bench_run_command(options, daemon);
  bench_end_daemon(child);
  return status;
}

int bench_fleet_command(int count, char **arguments) {
  if (count < 3) bench_fail("usage: lull-bench fleet PROGRAMS LULLD COMMAND...");
  struct bench_fleet_options options = {
      bench_number(arguments[0], 1, bench_most_programs), arguments[1], arguments + 2};
  return bench_run(bench_fleet, &options);
}
