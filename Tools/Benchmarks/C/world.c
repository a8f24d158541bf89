// A benchmark leaves nothing behind: its processes are all in one cgroup, which is killed and removed at the
// end.
#include "bench.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int bench_remove_file(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

/// The body's exit status, or 1 when it was killed or this process was told to end first.
static int bench_await_body(pid_t body, const sigset_t *signals) {
  for (;;) {
    int status, number = sigwaitinfo(signals, NULL);
    if (number == SIGCHLD && waitpid(body, &status, WNOHANG) == body)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) return 1;
  }
}

static void bench_make_world(struct bench_world *world) {
  char own[PATH_MAX];
  bench_own_cgroup(own);
  bench_path(world->cgroup, "%s/lull-bench.%d", own, getpid());
  bench_path(world->runtime, "/tmp/lull-bench.XXXXXX");
  bench_make_cgroup(world->cgroup);
  if (!mkdtemp(world->runtime)) bench_fail("cannot make a directory in /tmp: %s", strerror(errno));
}

int bench_run(int (*body)(const struct bench_world *world, const void *options), const void *options) {
  struct bench_world world;
  char driver[PATH_MAX];
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD), sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM), sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  bench_make_world(&world);
  bench_path(driver, "%s/driver", world.cgroup);
  bench_make_cgroup(driver);
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) bench_fail("cannot fork: %s", strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_TIMERSLACK, 1);
    bench_enter_cgroup(driver);
    exit(body(&world, options));
  }
  int status = bench_await_body(child, &signals);
  bench_remove_cgroups(world.cgroup);
  if (nftw(world.runtime, bench_remove_file, 16, FTW_DEPTH | FTW_PHYS) < 0)
    bench_fail("cannot remove %s: %s", world.runtime, strerror(errno));
  return status;
}

pid_t bench_fork(int kept) {
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child < 0) bench_fail("cannot fork: %s", strerror(errno));
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (kept >= 0 && dup2(kept, 3) < 0) bench_fail("cannot keep a descriptor: %s", strerror(errno));
  close_range(kept >= 0 ? 4 : 3, ~0u, 0);
  return 0;
}
