// What a program has due by itself, after so many seconds.
#include "waits.h"

#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <termios.h>

enum { delay = 14 };

static const struct itimerspec once = {.it_value = {.tv_sec = delay}};

static void arm(void) {
  alarm(delay);
  due_in(delay);
}

static void by_alarm(void) {
  if (outside) return;
  handle(SIGALRM);
  arm();
  wait_at_line();
}

static void by_setitimer(void) {
  if (outside) return;
  handle(SIGALRM);
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = delay}}, NULL);
  due_in(delay);
  wait_at_line();
}

static void on_thread(union sigval unused) {
  (void)unused;
  seen();
}

static void arm_timer(struct sigevent event, const struct itimerspec *time) {
  timer_t timer;
  expect(!timer_create(CLOCK_MONOTONIC, &event, &timer));
  expect(!timer_settime(timer, 0, time, NULL));
}

static void by_timer_signal(void) {
  if (outside) return;
  handle(SIGRTMIN + 2);
  arm_timer((struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2}, &once);
  due_in(delay);
  wait_at_line();
}

static void by_timer_thread(void) {
  if (outside) return;
  arm_timer((struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread}, &once);
  due_in(delay);
  wait_at_line();
}

static void *of_thread(void *unused) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  event._sigev_un._tid = gettid();
  handle(SIGUSR1);
  arm_timer(event, &once);
  while (1) {
    pause();
  }
  return unused;
}

static void by_timer_thread_id(void) {
  if (outside) return;
  start(of_thread);
  due_in(delay);
  wait_at_line();
}

// One that is due among 10,000.
static void by_many_timers(void) {
  if (outside) return;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  handle(SIGALRM);
  for (int i = 1; i < 10000; i++) {
    arm_timer(event, &(struct itimerspec){.it_value = {.tv_sec = 3600}});
  }
  arm_timer(event, &once);
  due_in(delay);
  wait_at_line();
}

static int timerfd(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &once, NULL);
  due_in(delay);
  return timer;
}

static void by_timerfd_read(void) {
  uint64_t count;
  if (outside) return;
  watch_line();
  int timer = timerfd();
  waits();
  expect(read(timer, &count, sizeof count) == sizeof count);
  seen();
}

static void by_timerfd_epoll(void) {
  if (outside) return;
  int timer = timerfd(), set = set_of(line, timer, EPOLLIN);
  waits();
  wait_set(set, timer);
  seen();
}

static void to_signalfd(void (*arm_it)(void)) {
  sigset_t set;
  if (outside) return;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  block(SIGALRM);
  int signals = signalfd(-1, &set, 0), both = set_of(line, signals, EPOLLIN);
  arm_it();
  waits();
  wait_set(both, signals);
  seen();
}

static void arm_signal(void) {
  arm_timer((struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}, &once);
  due_in(delay);
}

static void by_signalfd(void) { to_signalfd(arm); }
static void by_timer_signalfd(void) { to_signalfd(arm_signal); }

static void by_sigwaitinfo(void) {
  sigset_t set;
  if (outside) return;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  block(SIGALRM);
  watch_line();
  arm();
  waits();
  while (sigwaitinfo(&set, NULL) < 0) {
    expect(errno == EINTR);
  }
  seen();
}

static void by_sigsuspend(void) {
  sigset_t none;
  if (outside) return;
  sigemptyset(&none);
  block(SIGALRM);
  handle(SIGALRM);
  watch_line();
  arm();
  waits();
  while (1) {
    sigsuspend(&none);
  }
}

static void by_pause(void) {
  if (outside) return;
  handle(SIGALRM);
  watch_line();
  arm();
  waits();
  while (1) {
    pause();
  }
}

static void by_ppoll(void) {
  sigset_t none;
  if (outside) return;
  sigemptyset(&none);
  block(SIGALRM);
  handle(SIGALRM);
  arm();
  waits();
  while (ppoll(&(struct pollfd){line, POLLIN, 0}, 1, NULL, &none) < 1) {
  }
  _exit(2);
}

static void by_child(void) {
  if (outside) return;
  due_in(delay);
  if (!split()) {
    handle(SIGALRM);
    alarm(delay);
    while (1) {
      pause();
    }
  }
  wait_at_line();
}

static void by_poll_time_out(void) {
  struct pollfd entry = {line, POLLIN, 0};
  if (outside) return;
  due_in(delay);
  waits();
  expect(poll(&entry, 1, delay * 1000) == 0);
  seen();
}

static void by_nanosleep(void) {
  struct timespec end;
  if (outside) return;
  watch_line();
  due_in(delay);
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += delay;
  waits();
  expect(!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL));
  seen();
}

// Time-outs that a thaw ends with EINTR, or that the kernel begins anew. The wake for one cuts it off once
// more: after that it is to run out.
enum { short_delay = 3 };

static const struct timeval short_time = {.tv_sec = short_delay};

static void due_after_wake(void) { due_in(2 * short_delay + 1); }

static void by_epoll_time_out(void) {
  struct epoll_event event;
  int count, set = epoll_create1(0);
  if (outside) return;
  epoll_ctl(set, EPOLL_CTL_ADD, line, &(struct epoll_event){.events = EPOLLIN});
  due_after_wake();
  waits();
  while ((count = epoll_wait(set, &event, 1, short_delay * 1000)) < 0) {
    expect(errno == EINTR);
  }
  expect(count == 0);
  seen();
}

static void by_receive_time_out(void) {
  char byte;
  if (outside) return;
  setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
  due_after_wake();
  waits();
  while (recv(line, &byte, 1, 0) < 0 && errno == EINTR) {
  }
  expect(errno == EAGAIN);
  seen();
}

static void by_send_time_out(void) {
  static char bytes[65536];
  int end = share_tcp();
  if (outside) return;
  watch_line();
  while (send(end, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
  }
  setsockopt(end, SOL_SOCKET, SO_SNDTIMEO, &short_time, sizeof short_time);
  due_after_wake();
  waits();
  while (send(end, bytes, sizeof bytes, 0) < 0 && errno == EINTR) {
  }
  expect(errno == EAGAIN);
  seen();
}

static void by_terminal_time_out(void) {
  struct termios modes;
  char byte;
  int end = terminal();
  if (outside) return;
  tcgetattr(end, &modes);
  cfmakeraw(&modes);
  modes.c_cc[VMIN] = 0;
  modes.c_cc[VTIME] = 10 * short_delay;
  tcsetattr(end, TCSANOW, &modes);
  watch_line();
  due_after_wake();
  waits();
  expect(read(end, &byte, 1) == 0);
  seen();
}

const struct wait timers[] = {
    {"alarm", by_alarm},
    {"alarm-default", by_alarm},
    {"setitimer", by_setitimer},
    {"timer-signal", by_timer_signal},
    {"timer-thread", by_timer_thread},
    {"timer-thread-id", by_timer_thread_id},
    {"timer-signalfd", by_timer_signalfd},
    {"timers-10000", by_many_timers},
    {"timerfd-read", by_timerfd_read},
    {"timerfd-epoll", by_timerfd_epoll},
    {"alarm-signalfd", by_signalfd},
    {"alarm-sigwaitinfo", by_sigwaitinfo},
    {"alarm-sigsuspend", by_sigsuspend},
    {"alarm-pause", by_pause},
    {"alarm-ppoll", by_ppoll},
    {"alarm-child", by_child},
    {"poll-time-out", by_poll_time_out},
    {"nanosleep", by_nanosleep},
    {"epoll-time-out", by_epoll_time_out},
    {"receive-time-out", by_receive_time_out},
    {"send-time-out", by_send_time_out},
    {"terminal-time-out", by_terminal_time_out},
    {0},
};
