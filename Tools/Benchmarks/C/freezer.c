// cgroup v2: where it is mounted, cgroups made and removed, and whether one is frozen.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void bench_cgroup_mount(char mount[PATH_MAX]) {
  char line[2 * PATH_MAX];
  FILE *file = fopen("/proc/self/mountinfo", "re");
  while (file && fgets(line, sizeof line, file)) {
    if (!strstr(line, " - cgroup2 ") || sscanf(line, "%*s %*s %*s %*s %4095s", mount) != 1) continue;
    fclose(file);
    return;
  }
  bench_fail("no cgroup v2 is mounted");
}

void bench_own_cgroup(char path[PATH_MAX]) {
  char mount[PATH_MAX], line[PATH_MAX];
  bench_cgroup_mount(mount);
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "0::/", 4) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    bench_path(path, "%s%s", mount, line[4] ? line + 3 : "");
    fclose(file);
    return;
  }
  bench_fail("this process is in no cgroup v2");
}

void bench_make_cgroup(const char *path) {
  if (mkdir(path, 0755) < 0) bench_fail("cannot make the cgroup %s: %s", path, strerror(errno));
}

int bench_open_in(const char *directory, const char *name, int flags) {
  char path[PATH_MAX];
  bench_path(path, "%s/%s", directory, name);
  return bench_open(path, flags);
}

void bench_enter_cgroup(const char *path) {
  int processes = bench_open_in(path, "cgroup.procs", O_WRONLY);
  bench_write(processes, "0");
  close(processes);
}

static bool bench_events_has(int events, const char *pair) {
  char text[256];
  ssize_t length = pread(events, text, sizeof text - 1, 0);
  if (length < 0) bench_fail("cannot read cgroup.events: %s", strerror(errno));
  text[length] = 0;
  return strstr(text, pair) != NULL;
}

bool bench_is_frozen(int events) { return bench_events_has(events, "frozen 1"); }

void bench_await_frozen(int events, uint64_t pause) {
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  while (!bench_is_frozen(events)) {
    if (bench_now() > limit) bench_fail("a program was not frozen within 10 s");
    if (pause) bench_pause(pause);
  }
}

static int bench_remove_directory(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)walk;
  return type == FTW_DP && rmdir(path) < 0 ? -1 : 0;
}

void bench_remove_cgroups(const char *root) {
  int kill = bench_open_in(root, "cgroup.kill", O_WRONLY);
  int events = bench_open_in(root, "cgroup.events", O_RDONLY);
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  bench_write(kill, "1");
  while (bench_events_has(events, "populated 1")) {
    if (bench_now() > limit) bench_fail("processes in %s outlive their SIGKILL", root);
    bench_pause(BENCH_MILLISECOND);
  }
  while (waitpid(-1, NULL, 0) > 0) continue;
  close(kill), close(events);
  if (nftw(root, bench_remove_directory, 16, FTW_DEPTH | FTW_PHYS) < 0)
    bench_fail("cannot remove %s: %s", root, strerror(errno));
}
