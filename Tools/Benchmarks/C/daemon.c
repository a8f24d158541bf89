// The daemon under measurement: a release build on a runtime directory and a cgroup of its own.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t bench_spawn_daemon(const struct bench_world *world, const char *path) {
  char root[PATH_MAX];
  bench_path(root, "%s/lull", world->cgroup);
  if (access(root, F_OK) < 0) bench_make_cgroup(root);
  setenv("LULL_RUNTIME_DIR", world->runtime, 1);
  setenv("XDG_STATE_HOME", world->runtime, 1);
  setenv("LULL_CGROUP_ROOT", root, 1);
  const char *rate = getenv("LULL_BENCH_RATE");
  pid_t child = vfork();
  if (child < 0) bench_fail("cannot fork: %s", strerror(errno));
  if (child > 0) return child;
  execl(path, path, rate ? "--clock-rate" : NULL, rate, (char *)NULL);
  _exit(127);
}

pid_t bench_await_daemon(const struct bench_world *world, struct bench_control *control) {
  char line[BENCH_LINE], pid[BENCH_LINE];
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  while (!bench_control_try_open(control, world->runtime)) {
    if (waitpid(-1, NULL, WNOHANG) > 0) bench_fail("the daemon ended before it accepted");
    if (bench_now() > limit) bench_fail("the daemon did not accept within 10 s");
    bench_pause(20 * 1000);
  }
  bench_control_send(control, -1, "hello");
  bench_control_reply(control, line);
  if (!bench_field(line, "pid", pid)) bench_fail("hello was answered without a pid: %s", line);
  return (pid_t)bench_number(pid, 1, INT_MAX);
}

void bench_end_daemon(pid_t daemon) {
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  kill(daemon, SIGTERM);
  while (waitpid(daemon, NULL, WNOHANG) == 0) {
    if (bench_now() > limit) bench_fail("the daemon did not end within 10 s of SIGTERM");
    bench_pause(BENCH_MILLISECOND);
  }
}

bool bench_program_item(struct bench_control *control, const char *name, char item[BENCH_LINE]) {
  char line[BENCH_LINE];
  bool known = false;
  bench_control_send(control, -1, "status name=%s", name);
  for (;;) {
    bench_control_line(control, true, line);
    // An error is no-such-program: it has not registered yet.
    if (bench_starts_with(line, "ok") || bench_starts_with(line, "error")) return known;
    if (!bench_starts_with(line, "item kind=program")) continue;
    memcpy(item, line, BENCH_LINE);
    known = true;
  }
}

double bench_program_figure(struct bench_control *control, const char *name, const char *key) {
  char item[BENCH_LINE], value[BENCH_LINE];
  if (!bench_program_item(control, name, item) || !bench_field(item, key, value))
    bench_fail("status has no %s of %s", key, name);
  return strtod(value, NULL);
}

bool bench_falls_asleep(struct bench_control *control, const char *name, unsigned seconds) {
  char item[BENCH_LINE], state[BENCH_LINE];
  uint64_t limit = bench_now() + seconds * BENCH_SECOND;
  while (!bench_program_item(control, name, item) || !bench_field(item, "state", state) ||
         strcmp(state, "suspended") != 0) {
    if (bench_now() > limit) return false;
    bench_pause(5 * BENCH_MILLISECOND);
  }
  return true;
}

void bench_await_suspended(struct bench_control *control, const char *name) {
  if (!bench_falls_asleep(control, name, 20)) bench_fail("%s does not fall asleep within 20 s", name);
}

void bench_program_cgroup(struct bench_control *control, const char *name, char path[PATH_MAX]) {
  char item[BENCH_LINE], cgroup[BENCH_LINE], mount[PATH_MAX];
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  while (!bench_program_item(control, name, item) || !bench_field(item, "cgroup", cgroup) || !*cgroup) {
    if (bench_now() > limit) bench_fail("%s has no cgroup after 10 s", name);
    bench_pause(BENCH_MILLISECOND);
  }
  bench_cgroup_mount(mount);
  bench_path(path, "%s%s", mount, cgroup);
}

int bench_program_events(struct bench_control *control, const char *name) {
  char path[PATH_MAX];
  bench_program_cgroup(control, name, path);
  return bench_open_in(path, "cgroup.events", O_RDONLY);
}

void bench_put_to_sleep(struct bench_control *control, const char *name, int events) {
  char reply[BENCH_LINE];
  uint64_t limit = bench_now() + 20 * BENCH_SECOND;
  while (!bench_is_frozen(events)) {
    if (bench_now() > limit) bench_fail("%s does not fall asleep within 20 s", name);
    bench_control_send(control, -1, "suspend name=%s", name);
    bench_control_reply(control, reply);
    if (!bench_is_frozen(events)) bench_pause(5 * BENCH_MILLISECOND);
  }
}
