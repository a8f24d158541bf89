// The calls that wait for other things than one descriptor.
#define _GNU_SOURCE
#include "sleeper.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// The number of the descriptor that the tests expect.
enum { known = 20 };

static uint32_t word;

static struct timespec *interval(long milliseconds) {
  static struct timespec room;
  room = (struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  return milliseconds < 0 ? NULL : &room;
}

// A pipe of `pages` pages, full but for `rest` of them; its writing end is the known descriptor.
static void make_full_pipe(int pages, int rest) {
  char page[4096] = {0};
  int ends[2];
  (void)!pipe(ends);
  fcntl(ends[1], F_SETPIPE_SZ, pages * 4096);
  dup2(ends[1], known);
  for (int i = 0; i < pages - rest; i++) {
    (void)!write(known, page, sizeof page);
  }
}

static void *hold(void *unused) {
  announce();
  while (1) {
    pause();
  }
  return unused;
}

static void *take_lock(void *unused) {
  announce();
  syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
  return unused;
}

static void at_futex(const char *call, long milliseconds) {
  struct {
    uint64_t value, address;
    uint32_t flags, reserved;
  } waiter = {.address = (uint64_t)(uintptr_t)&word, .flags = 2 | (strcmp(call, "waitv-private") ? 0 : 128)};
  pthread_t thread;
  if (!strcmp(call, "join")) {
    pthread_create(&thread, NULL, hold, NULL);
    announce();
    pthread_join(thread, NULL);
  } else if (!strcmp(call, "lock")) {
    word = (uint32_t)getpid();
    pthread_create(&thread, NULL, take_lock, NULL);
    hold(NULL);
  } else if (!strncmp(call, "waitv", 5)) {
    announce();
    syscall(SYS_futex_waitv, &waiter, 1, 0, NULL, 0);
  } else {
    announce();
    syscall(SYS_futex, &word, strcmp(call, "own-word") ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT, 0,
            interval(milliseconds), NULL, 0);
  }
}

static void at_system_v(const char *call) {
  struct {
    long type;
    char text[8];
  } message = {.type = 1};
  struct sembuf down = {.sem_op = -1};
  // Queues outlive their makers, but not their namespace.
  unshare(CLONE_NEWIPC);
  int queue = msgget(IPC_PRIVATE, 0600);
  int semaphore = semget(IPC_PRIVATE, 1, 0600);
  announce();
  if (!strcmp(call, "msgrcv")) {
    msgrcv(queue, &message, sizeof message.text, 0, 0);
  } else if (!strcmp(call, "semtimedop")) {
    semtimedop(semaphore, &down, 1, interval(60000));
  } else {
    semop(semaphore, &down, 1);
  }
}

static void at_lock(const char *call) {
  struct flock lock = {.l_type = F_WRLCK};
  char path[64];
  int file = memfd_create("lock", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  int other = open(path, O_RDWR | O_CLOEXEC);
  if (!strcmp(call, "flock")) {
    flock(file, LOCK_EX);
    announce();
    flock(other, LOCK_EX);
  } else {
    fcntl(file, F_OFD_SETLK, &lock);
    announce();
    fcntl(other, strcmp(call, "setlkw") ? F_OFD_SETLKW : F_SETLKW, &lock);
  }
}

static void at_descriptors(const char *call, long milliseconds) {
  char page[8192] = {0};
  make_full_pipe(2, strcmp(call, "write-part") ? 0 : 1);
  struct pollfd entries[] = {
      {.fd = -1, .events = POLLIN},
      {.fd = known, .events = POLLOUT},
      {.fd = 0, .events = POLLRDNORM | POLLPRI | POLLRDHUP},
      {.fd = 1, .events = 0},
  };
  fd_set readable, writable, exceptional;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  FD_ZERO(&exceptional);
  FD_SET(0, &readable);
  FD_SET(0, &exceptional);
  FD_SET(known, &writable);
  announce();
  if (!strncmp(call, "write", 5)) {
    (void)!write(known, page, sizeof page);
  } else if (!strcmp(call, "poll-several")) {
    poll(entries, 4, (int)milliseconds);
  } else if (!strcmp(call, "poll-nothing")) {
    poll(entries, 1, (int)milliseconds);
  } else if (!strcmp(call, "select-nothing")) {
    syscall(SYS_pselect6, 0, NULL, NULL, NULL, interval(milliseconds), NULL);
  } else if (!strcmp(call, "select-several")) {
    syscall(SYS_pselect6, known + 1, &readable, &writable, &exceptional, interval(milliseconds), NULL);
  }
}

static void at_connection(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t size = sizeof address;
  bind(listener, (struct sockaddr *)&address, sizeof address.sun_family);
  getsockname(listener, (struct sockaddr *)&address, &size);
  listen(listener, 0);
  while (connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&address, size) == 0) {
  }
  dup2(socket(AF_UNIX, SOCK_STREAM, 0), known);
  announce();
  connect(known, (struct sockaddr *)&address, size);
}

static void at_set(long count) {
  struct rlimit limit = {.rlim_cur = 20000, .rlim_max = 20000};
  setrlimit(RLIMIT_NOFILE, &limit);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  dup2(epoll_create1(0), known);
  for (long i = 0; i < count; i++) {
    epoll_ctl(known, EPOLL_CTL_ADD, i == 0 ? 0 : eventfd(0, 0), &event);
  }
  announce();
  epoll_wait(known, &event, 1, -1);
}

static void at_ring(int holds_files) {
  struct io_uring_params parameters = {0};
  int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  dup2(ring, known);
  if (holds_files) {
    int file = 0;
    syscall(SYS_io_uring_register, known, IORING_REGISTER_FILES, &file, 1);
  }
  announce();
  syscall(SYS_io_uring_enter, known, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

// Calls in the middle of what they do: a part of it has come.
static void at_transfer(const char *call) {
  struct iovec rooms[2];
  struct mmsghdr messages[2] = {0};
  char room[2][64];
  int ends[2];
  socketpair(AF_UNIX, strcmp(call, "waitall") ? SOCK_DGRAM : SOCK_STREAM, 0, ends);
  for (int i = 0; i < 2; i++) {
    rooms[i] = (struct iovec){.iov_base = room[i], .iov_len = sizeof room[i]};
    messages[i].msg_hdr.msg_iov = &rooms[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  if (!strcmp(call, "vfork")) {
    if (vfork() == 0) {
      announce();
      pause();
      _exit(0);
    }
  } else if (!strcmp(call, "splice")) {
    make_full_pipe(2, 0);
    announce();
    splice(0, NULL, known, NULL, 4096, 0);
  } else if (!strcmp(call, "recvmmsg-one")) {
    announce();
    recvmmsg(ends[0], messages, 2, MSG_WAITFORONE, NULL);
  } else if (!strcmp(call, "recvmmsg")) {
    (void)!write(ends[1], "1", 1);
    announce();
    recvmmsg(ends[0], messages, 2, 0, NULL);
  } else {
    (void)!write(ends[1], "1", 1);
    announce();
    recv(ends[0], room[0], sizeof room[0], MSG_WAITALL);
  }
}

static void with_timers(void) {
  struct itimerspec hour = {.it_value = {.tv_sec = 3600}}, soon = {.it_value = {.tv_nsec = 1}};
  dup2(timerfd_create(CLOCK_BOOTTIME, 0), known);
  dup2(timerfd_create(CLOCK_MONOTONIC, 0), known + 1);
  dup2(timerfd_create(CLOCK_BOOTTIME_ALARM, 0), known + 2);
  timerfd_settime(known, 0, &hour, NULL);
  timerfd_settime(known + 2, 0, &soon, NULL);
  announce();
  pause();
}

static void at_signal(void) {
  sigset_t none;
  sigemptyset(&none);
  announce();
  sigsuspend(&none);
}

int wait_otherwise(const char *call, long milliseconds) {
  if (!strcmp(call, "join") || !strcmp(call, "lock") || !strncmp(call, "waitv", 5) || strstr(call, "-word")) {
    at_futex(call, milliseconds);
  } else if (!strcmp(call, "msgrcv") || !strncmp(call, "sem", 3)) {
    at_system_v(call);
  } else if (strstr(call, "lk") || !strcmp(call, "flock")) {
    at_lock(call);
  } else if (!strncmp(call, "write", 5) || strstr(call, "several") || strstr(call, "nothing")) {
    at_descriptors(call, milliseconds);
  } else if (!strcmp(call, "connect")) {
    at_connection();
  } else if (!strcmp(call, "set")) {
    at_set(milliseconds);
  } else if (!strcmp(call, "ring") || !strcmp(call, "ring-files")) {
    at_ring(!strcmp(call, "ring-files"));
  } else if (!strncmp(call, "recvmmsg", 8) || strstr("waitall splice vfork", call)) {
    at_transfer(call);
  } else if (!strcmp(call, "timers")) {
    with_timers();
  } else if (!strcmp(call, "sigsuspend")) {
    at_signal();
  } else {
    return 0;
  }
  return 1;
}
