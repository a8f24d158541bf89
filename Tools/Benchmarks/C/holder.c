// The least that a program in C must do to freeze another, prove it idle and watch it: a duplicate of each
// socket in an epoll set.
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

/// Calls `look` with each entry of a directory of /proc/PID; returns how many there were.
static size_t bench_walk(struct bench_holder *holder, const char *directory,
                         void (*look)(struct bench_holder *holder, const char *name)) {
  char path[PATH_MAX];
  size_t count = 0;
  bench_path(path, "/proc/%d/%s", holder->pid, directory);
  DIR *entries = opendir(path);
  if (!entries) bench_fail("cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry; (entry = readdir(entries));)
    if (*entry->d_name != '.') look(holder, entry->d_name), count++;
  closedir(entries);
  return count;
}

static void bench_look_at_thread(struct bench_holder *holder, const char *name) {
  char path[PATH_MAX], text[256];
  bench_path(path, "/proc/%d/task/%s/syscall", holder->pid, name);
  int file = bench_open(path, O_RDONLY);
  if (read(file, text, sizeof text) < 0) bench_fail("cannot read %s: %s", path, strerror(errno));
  close(file);
}

double bench_look_once(struct bench_holder *holder) {
  uint64_t from = bench_now();
  if (bench_walk(holder, "task", bench_look_at_thread) != holder->threads) bench_fail("a thread is missing");
  return (double)(bench_now() - from) / 1000;
}

static void bench_take_socket(struct bench_holder *holder, const char *name) {
  char path[PATH_MAX], target[64] = "";
  bench_path(path, "/proc/%d/fd/%s", holder->pid, name);
  if (readlink(path, target, sizeof target - 1) < 0) bench_fail("cannot read %s: %s", path, strerror(errno));
  if (strncmp(target, "socket:", 7) != 0) return;
  if (holder->count == holder->sockets) bench_fail("the program has more than %u sockets", holder->sockets);
  int held = (int)syscall(SYS_pidfd_getfd, holder->process, atoi(name), 0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT};
  if (held < 0 || epoll_ctl(holder->loop, EPOLL_CTL_ADD, held, &event) < 0)
    bench_fail("cannot take a socket: %s", strerror(errno));
  holder->held[holder->count++] = held;
}

double bench_hold_once(struct bench_holder *holder, uint64_t *seed) {
  struct epoll_event event;
  uint64_t from = bench_random_moment(seed);
  bench_write(holder->freeze, "1");
  bench_await_frozen(holder->events, 0);
  size_t threads = bench_walk(holder, "task", bench_look_at_thread);
  bench_walk(holder, "fd", bench_take_socket);
  if (epoll_wait(holder->loop, &event, 1, 0) != 0) bench_fail("bytes came that nobody sent");
  uint64_t to = bench_now();
  if (threads != holder->threads || holder->count != holder->sockets)
    bench_fail("%zu threads and %u sockets are not the program's", threads, holder->count);
  bench_write(holder->freeze, "0");
  while (holder->count > 0) {
    int held = holder->held[--holder->count];
    epoll_ctl(holder->loop, EPOLL_CTL_DEL, held, NULL);
    close(held);
  }
  return (double)(to - from) / 1000;
}

void bench_start_held(struct bench_holder *holder, const char *cgroup, char *const command[]) {
  bench_make_cgroup(cgroup);
  holder->pid = bench_fork(-1);
  if (holder->pid == 0) {
    bench_enter_cgroup(cgroup);
    execv(command[0], command);
    bench_fail("cannot run %s: %s", command[0], strerror(errno));
  }
  holder->loop = epoll_create1(EPOLL_CLOEXEC);
  holder->held = calloc(holder->sockets, sizeof *holder->held);
  holder->process = (int)syscall(SYS_pidfd_open, holder->pid, 0);
  holder->freeze = bench_open_in(cgroup, "cgroup.freeze", O_WRONLY);
  holder->events = bench_open_in(cgroup, "cgroup.events", O_RDONLY);
  if (holder->loop < 0 || holder->process < 0 || !holder->held)
    bench_fail("cannot watch the program: %s", strerror(errno));
}
