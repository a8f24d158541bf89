#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The functions up to run_child run in the child between clone and exec. They make only async-signal-safe
// calls, because another thread of the parent may have held a lock of the C library at the moment of the
// clone.

static _Noreturn void fail(int status, enum clinux_spawn_step step) {
  struct clinux_spawn_failure failure = {.code = errno, .step = step};
  ssize_t written = write(status, &failure, sizeof failure);
  (void)written;
  // As a shell has them (POSIX, XCU 2.8.2).
  _exit(failure.code == ENOENT ? 127 : 126);
}

static void restore_signals(const sigset_t *mask) {
  if (mask) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    return;
  }
  // The C library's sigaction refuses its own two signals, which its posix_spawn leaves ignored. All zero is
  // the kernel's structure for the default action; SIGKILL and SIGSTOP are refused and need nothing.
  const char standard[64] = {0};
  for (int signal = 1; signal < NSIG; signal++) {
    syscall(SYS_rt_sigaction, signal, standard, NULL, NSIG / 8);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// The descriptor, or a copy of it where it stands on a number that may be a target. The limit of open files
// may leave room for few copies.
static int above(int highest, int descriptor) {
  return descriptor > highest ? descriptor : fcntl(descriptor, F_DUPFD_CLOEXEC, highest + 1);
}

// Descriptors that are not named here are closed, or those that the parent itself inherited are passed on:
// its own are closed by exec.
static int place_descriptors(const struct clinux_spawn_request *request, int *gate, int status) {
  int highest = 2;
  for (int i = 0; i < request->passed_count; i++) {
    if (request->passed[i].number > highest) {
      highest = request->passed[i].number;
    }
  }
  int moved_status = above(highest, status);
  if (moved_status == -1) {
    fail(status, CLINUX_STEP_DUPLICATE);
  }
  if (*gate >= 0) {
    *gate = above(highest, *gate);
    if (*gate == -1) {
      fail(moved_status, CLINUX_STEP_DUPLICATE);
    }
  }
  int copies[CLINUX_PASSED_LIMIT];
  for (int i = 0; i < request->passed_count; i++) {
    copies[i] = above(highest, request->passed[i].source);
    if (copies[i] == -1) {
      fail(moved_status, CLINUX_STEP_DUPLICATE);
    }
  }
  if (request->descriptors == CLINUX_DESCRIPTORS_NAMED &&
      syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == -1) {
    fail(moved_status, CLINUX_STEP_CLOSE_RANGE);
  }
  for (int i = 0; i < request->passed_count; i++) {
    if (dup2(copies[i], request->passed[i].number) == -1) {
      fail(moved_status, CLINUX_STEP_DUPLICATE);
    }
  }
  return moved_status;
}

// Writes the child's number over the zeros of the entry LISTEN_PID (sd_listen_fds(3)), which the parent could
// not know. The memory is the child's own copy.
static void tell_pid(char *const *environment) {
  static const char name[] = "LISTEN_PID=", zeros[] = "0000000000";
  for (; *environment; environment++) {
    if (strncmp(*environment, name, sizeof name - 1) != 0) {
      continue;
    }
    char *digits = *environment + sizeof name - 1;
    if (strcmp(digits, zeros) != 0) {
      continue;
    }
    char text[sizeof zeros];
    int start = sizeof text - 1;
    text[start] = 0;
    for (unsigned rest = (unsigned)getpid(); rest > 0; rest /= 10) {
      text[--start] = (char)('0' + rest % 10);
    }
    memcpy(digits, text + start, sizeof text - (size_t)start);
  }
}

// Waits until the parent opens the gate. Every signal is blocked: what comes meanwhile is for the program.
static void wait_at_gate(int gate) {
  char byte;
  if (read(gate, &byte, 1) != 1) {
    _exit(126);
  }
}

static void limit_open_files(int64_t count) {
  struct rlimit limit;
  if (count >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = (rlim_t)count < limit.rlim_max ? (rlim_t)count : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static _Noreturn void run_child(const struct clinux_spawn_request *request, int *gate, int status) {
  if (gate[1] >= 0) {
    close(gate[1]);
  }
  int group = request->group;
  if (group == CLINUX_GROUP_NEW_SESSION ? setsid() == -1 : group == CLINUX_GROUP_NEW && setpgid(0, 0) == -1) {
    fail(status, CLINUX_STEP_GROUP);
  }
  prctl(PR_SET_PDEATHSIG, request->parent_death_signal, 0, 0, 0);
  if (request->directory >= 0 && fchdir(request->directory) == -1) {
    fail(status, CLINUX_STEP_DIRECTORY);
  }
  status = place_descriptors(request, &gate[0], status);
  limit_open_files(request->open_file_limit);
  if (gate[0] >= 0) {
    wait_at_gate(gate[0]);
  }
  restore_signals(request->mask);
  environ = (char **)request->environment;
  tell_pid(environ);
  execvp(request->arguments[0], request->arguments);
  fail(status, CLINUX_STEP_EXECUTE);
}

static pid_t clone_child(struct clinux_spawn_request *request) {
  int pidfd = -1;
  struct clone_args arguments = {
      .flags = CLONE_PIDFD,
      .pidfd = (uint64_t)(uintptr_t)&pidfd,
      .exit_signal = SIGCHLD,
  };
  if (request->cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = (uint64_t)request->cgroup;
  }
  pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid > 0) {
    request->pidfd = pidfd;
  }
  return pid;
}

static int check(const struct clinux_spawn_request *request) {
  int count = request->passed_count;
  int bad = !request->arguments[0] || count < 0 || count > CLINUX_PASSED_LIMIT;
  for (int i = 0; !bad && i < count; i++) {
    bad = request->passed[i].number < 0 || request->passed[i].source < 0;
  }
  if (bad) {
    errno = EINVAL;
  }
  return bad ? -1 : 0;
}

static void close_both(const int *ends) {
  for (int i = 0; i < 2; i++) {
    if (ends[i] >= 0) {
      close(ends[i]);
    }
  }
}

pid_t clinux_spawn(struct clinux_spawn_request *request) {
  int ends[2], gate[2] = {-1, -1};
  if (check(request) == -1 || pipe2(ends, O_CLOEXEC) == -1) {
    return -1;
  }
  if (request->gated && pipe2(gate, O_CLOEXEC) == -1) {
    close_both(ends);
    return -1;
  }
  // A handler of the parent must not run in the child.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t pid = clone_child(request);
  if (pid == 0) {
    run_child(request, gate, ends[1]);
  }
  int code = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid == -1) {
    close_both(ends);
    close_both(gate);
    errno = code;
    return -1;
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  request->exec_status = ends[0];
  if (request->gated) {
    close(gate[0]);
  }
  request->gate = gate[1];
  return pid;
}
