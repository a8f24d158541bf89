// What tells of itself by a signal, or is urgent.
#include "waits.h"

#include <mqueue.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/un.h>

static int asynchronous(int descriptor) {
  expect(!fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC | O_NONBLOCK));
  return descriptor;
}

static void readable(int number) {
  int end = share_tcp();
  if (outside) return strike(end);
  handle(number);
  fcntl(end, F_SETOWN, getpid());
  if (number != SIGIO) fcntl(end, F_SETSIG, number);
  asynchronous(end);
  wait_at_line();
}

static void sigio(void) { readable(SIGIO); }
static void sigio_winch(void) { readable(SIGWINCH); }

static void sigio_pipe(void) {
  int end = share_pipe(1);
  if (outside) return strike(end);
  handle(SIGIO);
  fcntl(end, F_SETOWN, getpid());
  asynchronous(end);
  watch_line();
  waits();
  while (1) {
    pause();
  }
}

static void sigio_group(void) {
  int end = share(AF_UNIX, SOCK_STREAM);
  if (outside) return strike(end);
  setpgid(0, 0);
  handle(SIGIO);
  fcntl(end, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_PGRP, getpgrp()});
  asynchronous(end);
  wait_at_line();
}

static void await(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  waits();
  while (sigwaitinfo(&set, NULL) < 0) {
    expect(errno == EINTR);
  }
  seen();
}

static void real_time(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  block(SIGRTMIN + 1);
  watch_line();
  fcntl(end, F_SETOWN, getpid());
  fcntl(end, F_SETSIG, SIGRTMIN + 1);
  asynchronous(end);
  await(SIGRTMIN + 1);
}

static void sigio_signalfd(void) {
  sigset_t set;
  int end = share_tcp();
  if (outside) return strike(end);
  sigemptyset(&set);
  sigaddset(&set, SIGIO);
  block(SIGIO);
  fcntl(end, F_SETOWN, getpid());
  asynchronous(end);
  int signals = signalfd(-1, &set, 0), both = set_of(line, signals, EPOLLIN);
  waits();
  wait_set(both, signals);
  seen();
}

static int of_thread;

static void *own(void *unused) {
  handle(SIGRTMIN + 1);
  fcntl(of_thread, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_TID, gettid()});
  fcntl(of_thread, F_SETSIG, SIGRTMIN + 1);
  asynchronous(of_thread);
  while (1) {
    pause();
  }
  return unused;
}

static void sigio_thread(void) {
  of_thread = share_tcp();
  if (outside) return strike(of_thread);
  start(own);
  wait_at_line();
}

static void sigio_inotify(void) {
  if (outside) {
    cause();
    close(creat("new", 0600));
    return;
  }
  int watch = inotify_init1(0);
  inotify_add_watch(watch, ".", IN_CREATE);
  handle(SIGIO);
  fcntl(watch, F_SETOWN, getpid());
  asynchronous(watch);
  wait_at_line();
}

static void sigio_listener(void) {
  struct sockaddr_un place = {AF_UNIX, "listener"};
  int own = socket(AF_UNIX, SOCK_STREAM, 0);
  if (outside) {
    told();
    cause();
    connect(own, (struct sockaddr *)&place, sizeof place);
    return;
  }
  bind(own, (struct sockaddr *)&place, sizeof place);
  listen(own, 1);
  tell(0);
  handle(SIGIO);
  fcntl(own, F_SETOWN, getpid());
  asynchronous(own);
  wait_at_line();
}

static void urge(int end) {
  cause();
  send(end, "!", 1, MSG_OOB);
}

static void sigurg(void) {
  int end = share_tcp();
  if (outside) return urge(end);
  handle(SIGURG);
  fcntl(end, F_SETOWN, getpid());
  wait_at_line();
}

static void pollpri(void) {
  int end = share_tcp();
  if (outside) return urge(end);
  waits();
  poll_for(end, POLLPRI);
  seen();
}

static void select_exceptional(void) {
  fd_set set;
  int end = share_tcp();
  if (outside) return urge(end);
  FD_ZERO(&set);
  FD_SET(end, &set);
  waits();
  expect(select(end + 1, NULL, NULL, &set, NULL) == 1);
  seen();
}

static mqd_t queue(int flags) {
  char name[64];
  if (outside) {
    snprintf(name, sizeof name, "/waits-%d", getpid());
    struct mq_attr sizes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &sizes);
    tell(getpid());
    told();
    mq_unlink(name);
    return queue;
  }
  snprintf(name, sizeof name, "/waits-%ld", told());
  mqd_t queue = mq_open(name, flags);
  expect(queue >= 0);
  tell(0);
  return queue;
}

static void send_to(mqd_t queue) {
  cause();
  mq_send(queue, "x", 1, 0);
}

static void mq_signal(void) {
  mqd_t end = queue(O_RDONLY);
  if (outside) return send_to(end);
  handle(SIGUSR1);
  expect(!mq_notify(end, &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1}));
  wait_at_line();
}

static void mq_awaited(void) {
  mqd_t end = queue(O_RDONLY);
  if (outside) return send_to(end);
  block(SIGRTMIN + 1);
  watch_line();
  expect(!mq_notify(end, &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1}));
  await(SIGRTMIN + 1);
}

static void on_thread(union sigval unused) {
  (void)unused;
  seen();
}

static void mq_thread(void) {
  mqd_t end = queue(O_RDONLY);
  if (outside) return send_to(end);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread};
  expect(!mq_notify(end, &event));
  wait_at_line();
}

static void mq_read(void) {
  char text[8];
  mqd_t end = queue(O_RDONLY);
  if (outside) return send_to(end);
  waits();
  expect(mq_receive(end, text, sizeof text, NULL) == 1);
  seen();
}

static void mq_write(void) {
  char text[8];
  mqd_t end = queue(O_RDWR);
  if (outside) {
    cause();
    mq_receive(end, text, sizeof text, NULL);
    return;
  }
  mq_send(end, "x", 1, 0);
  waits();
  expect(!mq_send(end, "x", 1, 0));
  seen();
}

static void mq_poll(void) {
  mqd_t end = queue(O_RDONLY);
  if (outside) return send_to(end);
  waits();
  poll_for(end, POLLIN);
  seen();
}

static void dnotify(void) {
  if (outside) {
    cause();
    close(creat("new", 0600));
    return;
  }
  handle(SIGIO);
  expect(!fcntl(open(".", O_RDONLY), F_NOTIFY, DN_CREATE));
  wait_at_line();
}

static void dnotify_real_time(void) {
  if (outside) {
    cause();
    close(creat("new", 0600));
    return;
  }
  int folder = open(".", O_RDONLY);
  block(SIGRTMIN + 1);
  watch_line();
  fcntl(folder, F_SETSIG, SIGRTMIN + 1);
  expect(!fcntl(folder, F_NOTIFY, DN_CREATE));
  await(SIGRTMIN + 1);
}

static int leased(int kind) {
  close(creat("leased", 0600));
  int file = open("leased", O_RDONLY);
  expect(!fcntl(file, F_SETLEASE, kind));
  return file;
}

static void breaks(int number) {
  if (outside) {
    cause();
    close(open("leased", O_WRONLY));
    return;
  }
  handle(number);
  int file = leased(F_RDLCK);
  if (number != SIGIO) fcntl(file, F_SETSIG, number);
  wait_at_line();
}

static void lease(void) { breaks(SIGIO); }
static void lease_hup(void) { breaks(SIGHUP); }

static void lease_real_time(void) {
  if (outside) {
    cause();
    close(open("leased", O_RDWR));
    return;
  }
  block(SIGRTMIN + 1);
  watch_line();
  fcntl(leased(F_RDLCK), F_SETSIG, SIGRTMIN + 1);
  await(SIGRTMIN + 1);
}

// The end of a child that lives in another cgroup.
static void sigchld(void) {
  int end = share_pipe(1);
  if (outside) {
    move_out();
    return strike(end);
  }
  handle(SIGCHLD);
  reader(end);
  wait_at_line();
}

// Nothing reaches it by a signal.
static void all_blocked(void) {
  sigset_t all;
  int end = share_tcp();
  if (outside) return strike(end);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  waits();
  poll_for(end, POLLIN);
  seen();
}

// It takes on and off its handlers without end.
static void changing(void) {
  struct pollfd entry = {share_tcp(), POLLIN, 0};
  if (outside) return strike(entry.fd);
  waits();
  while (poll(&entry, 1, 1) == 0) {
    signal(SIGIO, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    handle(SIGIO);
    handle(SIGALRM);
  }
  seen();
}

static void many_timers(void) {
  timer_t timer;
  int end = share_tcp();
  if (outside) return strike(end);
  handle(SIGALRM);
  for (int i = 0; i < 10000; i++) {
    expect(!timer_create(CLOCK_MONOTONIC, NULL, &timer));
    timer_settime(timer, 0, &(struct itimerspec){.it_value = {.tv_sec = 3600}}, NULL);
  }
  waits();
  poll_for(end, POLLIN);
  seen();
}

const struct wait signals[] = {
    {"sigio", sigio},
    {"sigio-winch", sigio_winch},
    {"sigio-pipe", sigio_pipe},
    {"sigio-group", sigio_group},
    {"sigio-real-time", real_time},
    {"sigio-signalfd", sigio_signalfd},
    {"sigio-thread", sigio_thread},
    {"sigio-inotify", sigio_inotify},
    {"sigio-listener", sigio_listener},
    {"sigurg", sigurg},
    {"pollpri", pollpri},
    {"select-exceptional", select_exceptional},
    {"mq-signal", mq_signal},
    {"mq-awaited", mq_awaited},
    {"mq-thread", mq_thread},
    {"mq-receive", mq_read},
    {"mq-send", mq_write},
    {"mq-poll", mq_poll},
    {"dnotify", dnotify},
    {"dnotify-real-time", dnotify_real_time},
    {"lease", lease},
    {"lease-hup", lease_hup},
    {"lease-real-time", lease_real_time},
    {"sigchld", sigchld},
    {"signals-blocked", all_blocked},
    {"handlers-changing", changing},
    {"byte-timers-10000", many_timers},
    {0},
};
