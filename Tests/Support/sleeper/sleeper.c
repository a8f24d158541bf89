// A program that stands in the call that it is told to: `sleeper CALL MILLISECONDS`, below zero without
// limit. It writes one byte to its output before the call.
#define _GNU_SOURCE
#include "sleeper.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long milliseconds;
static struct timespec room;

static struct timespec *interval(void) {
  room = (struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  return milliseconds < 0 ? NULL : &room;
}

static struct timespec *moment(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  struct timespec *result = interval();
  if (result) {
    result->tv_sec += now.tv_sec;
    result->tv_nsec += now.tv_nsec;
    if (result->tv_nsec >= 1000000000) {
      result->tv_sec++;
      result->tv_nsec -= 1000000000;
    }
  }
  return result;
}

void announce(void) {
  if (write(1, "\n", 1) != 1) {
    _exit(2);
  }
}

static uint32_t *futex_word(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
}

static void wait_at_futex(int operation, struct timespec *time_out) {
  uint32_t *word = futex_word();
  announce();
  while (*word == 0) {
    syscall(SYS_futex, word, operation, 0, time_out, NULL, FUTEX_BITSET_MATCH_ANY);
  }
}

static void wait_for_descriptor(const char *call) {
  struct pollfd entry = {.fd = 0, .events = POLLIN};
  struct epoll_event event = {.events = EPOLLIN};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
  announce();
  if (!strcmp(call, "poll")) {
    poll(&entry, 1, (int)milliseconds);
  } else if (!strcmp(call, "ppoll")) {
    syscall(SYS_ppoll, &entry, 1, interval(), NULL, 0);
  } else if (!strcmp(call, "pselect6")) {
    syscall(SYS_pselect6, 1, &set, NULL, NULL, interval(), NULL);
#ifdef SYS_select
  } else if (!strcmp(call, "select")) {
    syscall(SYS_select, 1, &set, NULL, NULL, milliseconds < 0 ? NULL : &time);
#endif
  } else if (!strcmp(call, "epoll_wait")) {
    epoll_wait(epoll, &event, 1, (int)milliseconds);
  } else if (!strcmp(call, "epoll_pwait2")) {
    syscall(SYS_epoll_pwait2, epoll, &event, 1, interval(), NULL, 0);
  }
  (void)time;
}

static void take(const char *call) {
  if (!strcmp(call, "wait4")) {
    if (fork() == 0) {
      pause();
    }
    announce();
    wait(NULL);
  } else if (!strcmp(call, "sigtimedwait")) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    announce();
    syscall(SYS_rt_sigtimedwait, &set, NULL, interval(), NSIG / 8);
  } else if (!strcmp(call, "accept")) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    listen(listener, 1);
    announce();
    accept(listener, NULL, NULL);
  } else if (!strcmp(call, "recv")) {
    char byte;
    struct timeval time = {.tv_sec = milliseconds / 1000};
    if (milliseconds >= 0) {
      setsockopt(0, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    }
    announce();
    recv(0, &byte, 1, 0);
  }
}

static void *wait_for_ever(void *unused) {
  announce();
  while (1) {
    pause();
  }
  return unused;
}

static void *writes(void *unused) {
  wait_otherwise("write", -1);
  return unused;
}

static void echo(const char *call) {
  struct pollfd entry = {.fd = 0, .events = POLLIN};
  struct epoll_event event = {.events = EPOLLIN};
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
  if (!strcmp(call, "named-echo")) {
    prctl(PR_SET_NAME, "data-loop.0");
  }
  char byte;
  do {
    if (!strcmp(call, "epoll-echo")) {
      epoll_wait(epoll, &event, 1, -1);
    } else {
      poll(&entry, 1, -1);
    }
  } while (read(0, &byte, 1) == 1 && write(1, &byte, 1) == 1);
}

// A child that reads, traced by its parent.
static void trace(void) {
  pid_t child = fork();
  if (child == 0) {
    char byte;
    (void)!read(0, &byte, 1);
    _exit(0);
  }
  ptrace(PTRACE_SEIZE, child, 0, 0);
  announce();
  while (1) {
    pause();
  }
}

static void handle(int number) { (void)number; }

static void threads(long count) {
  pthread_t thread;
  signal(SIGUSR2, handle);
  while (--count > 0) {
    pthread_create(&thread, NULL, wait_for_ever, NULL);
  }
}

// The kernel tells of the input by SIGWINCH: the process that has it, or its parent.
static void raises(const char *call) {
  pid_t owner = getpid();
  signal(SIGWINCH, handle);
  if (!strcmp(call, "raises-other")) {
    if (fork() > 0) {
      close(0);
      close(1);
      pause();
    }
    signal(SIGWINCH, SIG_DFL);
  }
  fcntl(0, F_SETOWN, owner);
  fcntl(0, F_SETSIG, SIGWINCH);
  fcntl(0, F_SETFL, O_ASYNC);
  wait_for_ever(NULL);
}

int main(int count, char **arguments) {
  if (count != 3) {
    return 1;
  }
  const char *call = arguments[1];
  milliseconds = atol(arguments[2]);
  if (wait_otherwise(call, milliseconds)) {
    return 0;
  }
  if (!strcmp(call, "nanosleep")) {
    announce();
    syscall(SYS_nanosleep, interval(), NULL);
  } else if (!strcmp(call, "clock_nanosleep")) {
    announce();
    syscall(SYS_clock_nanosleep, CLOCK_BOOTTIME, 0, interval(), NULL);
  } else if (!strcmp(call, "clock_nanosleep_until")) {
    announce();
    syscall(SYS_clock_nanosleep, CLOCK_BOOTTIME, TIMER_ABSTIME, moment(CLOCK_BOOTTIME), NULL);
  } else if (!strcmp(call, "futex")) {
    wait_at_futex(FUTEX_WAIT, interval());
  } else if (!strcmp(call, "futex_until")) {
    wait_at_futex(FUTEX_WAIT_BITSET, moment(CLOCK_MONOTONIC));
  } else if (!strcmp(call, "futex_until_date")) {
    wait_at_futex(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, moment(CLOCK_REALTIME));
  } else if (!strcmp(call, "spin")) {
    announce();
    for (volatile long turn = 0;; turn++) {
    }
  } else if (!strcmp(call, "threads")) {
    threads(milliseconds);
    wait_for_ever(NULL);
  } else if (!strcmp(call, "last-writes")) {
    pthread_t last;
    threads(milliseconds);
    pthread_create(&last, NULL, writes, NULL);
    wait_for_ever(NULL);
  } else if (!strcmp(call, "leader-ends")) {
    threads(2);
    pthread_exit(NULL);
  } else if (!strncmp(call, "raises", 6)) {
    raises(call);
  } else if (!strcmp(call, "traced")) {
    trace();
  } else if (strstr(call, "echo")) {
    echo(call);
  } else if (strstr(call, "poll") || strstr(call, "select")) {
    wait_for_descriptor(call);
  } else {
    take(call);
  }
  return 0;
}
