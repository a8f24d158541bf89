// Started by Tools/waits: `waits inside|outside NAME ID PORT`, or `waits list`.
#include "waits.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/un.h>

int outside, line = -1;
static int meeting = -1;

long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static void say(const char *format, ...) {
  char text[256];
  va_list words;
  va_start(words, format);
  int length = vsnprintf(text, sizeof text - 1, format, words);
  va_end(words);
  length = length < (int)sizeof text - 1 ? length : (int)sizeof text - 2;
  text[length] = '\n';
  (void)!write(outside ? 1 : line, text, (size_t)length + 1);
}

static void die(const char *what) {
  say("died %s: %s", what, strerror(errno));
  _exit(1);
}

static void exchange(long *number, int *descriptor, ssize_t (*move)(int, struct msghdr *)) {
  char room[CMSG_SPACE(sizeof *descriptor)] = {0};
  struct iovec bytes = {number, sizeof *number};
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (descriptor) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    *(struct cmsghdr *)room = (struct cmsghdr){CMSG_LEN(sizeof *descriptor), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA((struct cmsghdr *)room), descriptor, sizeof *descriptor);
  }
  if (move(meeting, &message) != sizeof *number) die("the two have not met");
  if (descriptor) memcpy(descriptor, CMSG_DATA((struct cmsghdr *)room), sizeof *descriptor);
}

static ssize_t put_out(int socket, struct msghdr *message) { return sendmsg(socket, message, 0); }
static ssize_t take_in(int socket, struct msghdr *message) { return recvmsg(socket, message, 0); }

void tell(long number) { exchange(&number, NULL, put_out); }

long told(void) {
  long number = 0;
  exchange(&number, NULL, take_in);
  return number;
}

void give(int descriptor) {
  long number = 0;
  exchange(&number, &descriptor, put_out);
  close(descriptor);
}

int take(void) {
  long number;
  int descriptor = -1;
  exchange(&number, &descriptor, take_in);
  return descriptor;
}

pid_t program(void) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  getsockopt(meeting, SOL_SOCKET, SO_PEERCRED, &peer, &length);
  return peer.pid;
}

int share(int family, int type) {
  int both[2];
  if (!outside) return take();
  if (socketpair(family, type, 0, both)) die("socketpair");
  give(both[1]);
  return both[0];
}

int share_tcp(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof place;
  if (!outside) return take();
  int listener = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (struct sockaddr *)&place, length);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&place, &length);
  if (connect(other, (struct sockaddr *)&place, length)) die("connect");
  int own = accept(listener, NULL, NULL);
  setsockopt(own, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  close(listener);
  give(other);
  return own;
}

int share_pipe(int is_read) {
  int both[2];
  if (!outside) return take();
  if (pipe(both)) die("pipe");
  give(both[!is_read]);
  return both[is_read];
}

int terminal(void) {
  if (!outside) return take();
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(master);
  unlockpt(master);
  give(open(ptsname(master), O_RDWR | O_NOCTTY));
  return master;
}

void *share_page(void) {
  int file = outside ? memfd_create("page", 0) : take();
  if (outside && ftruncate(file, 4096)) die("ftruncate");
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  outside ? give(file) : (void)close(file);
  return page;
}

void caused(void) { say("caused %ld", now()); }

void cause(void) {
  char byte;
  close(meeting);
  say("ready");
  if (read(0, &byte, 1) != 1) exit(0);
  caused();
}

void strike(int descriptor) {
  cause();
  (void)!write(descriptor, "x", 1);
}

void enter(const char *space) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/%s", program(), space);
  if (setns(open(path, O_RDONLY | O_CLOEXEC), 0)) die("setns");
}

void await_end(void) {
  char byte;
  say("done");
  (void)!read(0, &byte, 1);
}

void waits(void) {
  close(meeting);
  say("waiting");
}

void due_in(long seconds) { say("due %ld", now() + seconds * 1000000000); }

void seen(void) {
  say("seen %ld", now());
  _exit(0);
}

void cut(const char *what) {
  int error = errno;
  say("cut %s is not so: %s", what, strerror(error));
  _exit(1);
}

void whole_of(const char *call, long count, long size) {
  if (count == size) return;
  if (count < 0) cut(call);
  say("cut %s is %ld of %ld", call, count, size);
  _exit(1);
}

void on_signal(int number) {
  (void)number;
  seen();
}

void handle(int number) { sigaction(number, &(struct sigaction){.sa_handler = on_signal}, NULL); }

void block(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void wait_at_line(void) {
  waits();
  while (poll(&(struct pollfd){line, POLLIN, 0}, 1, -1) < 1) {
  }
  _exit(2);
}

static void *hold_line(void *unused) {
  char byte;
  while (recv(line, &byte, 1, 0) > 0) {
  }
  _exit(2);
  return unused;
}

void start(void *(*run)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL)) die("pthread_create");
}

void watch_line(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  start(hold_line);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

pid_t split(void) {
  pid_t child = fork();
  if (!child) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}

void nap(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

// Where cgroup2 is mounted.
const char *cgroups(void) {
  static char place[256];
  char text[1024];
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  while (fgets(text, sizeof text, mounts) &&
         !(strstr(text, " - cgroup2 ") && sscanf(text, "%*s %*s %*s %*s %255s", place) == 1)) {
  }
  fclose(mounts);
  return place;
}

void put(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) die(path);
  close(file);
}

pid_t reader(int descriptor) {
  char byte;
  pid_t child = split();
  if (!child) _exit(read(descriptor, &byte, 1) != 1);
  tell(child);
  told();
  return child;
}

void move_out(void) {
  char path[300], number[16];
  snprintf(path, sizeof path, "%s/cgroup.procs", cgroups());
  snprintf(number, sizeof number, "%ld", told());
  put(path, number);
  tell(0);
}

void poll_for(int descriptor, short events) {
  struct pollfd entry = {descriptor, events, 0};
  expect(poll(&entry, 1, -1) == 1);
}

int set_of(int first, int second, uint32_t events) {
  int set = epoll_create1(0);
  struct epoll_event event = {events, {.fd = first}};
  expect(!epoll_ctl(set, EPOLL_CTL_ADD, first, &event));
  event = (struct epoll_event){EPOLLIN, {.fd = second}};
  expect(second < 0 || !epoll_ctl(set, EPOLL_CTL_ADD, second, &event));
  return set;
}

// The kernel ends epoll_wait with EINTR at every freeze (signal(7)).
void wait_set(int set, int descriptor) {
  struct epoll_event event;
  int count;
  while ((count = epoll_wait(set, &event, 1, -1)) < 0 && errno == EINTR) {
  }
  expect(count == 1 && event.data.fd == descriptor);
}

static void meet(void) {
  struct sockaddr_un place = {AF_UNIX, "meeting"};
  meeting = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (outside) {
    if (bind(meeting, (struct sockaddr *)&place, sizeof place) || listen(meeting, 1)) die("bind");
    say("listening");
    int listener = meeting;
    meeting = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(listener);
  } else if (connect(meeting, (struct sockaddr *)&place, sizeof place)) {
    die("the one outside is not there");
  }
}

int main(int count, char **words) {
  const struct wait *all[] = {timers, signals, sets, calls, ends, files, locks, NULL};
  const char *groups[] = {"timers", "signals", "sets", "calls", "ends", "files", "locks"};
  const struct wait *found = NULL;
  for (int i = 0; all[i]; i++) {
    for (const struct wait *wait = all[i]; wait->name; wait++) {
      if (count == 2) printf("%s %s\n", wait->name, groups[i]);
      if (count == 5 && !strcmp(wait->name, words[2])) found = wait;
    }
  }
  if (!found) return count == 2 ? 0 : 64;
  outside = !strcmp(words[1], "outside");
  if (!outside) {
    struct sockaddr_in place = {AF_INET, htons((uint16_t)atoi(words[4])), {htonl(INADDR_LOOPBACK)}, {0}};
    line = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(line, (struct sockaddr *)&place, sizeof place)) return 1;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    say("%s %d", words[3], getpid());
  }
  signal(SIGPIPE, SIG_IGN);
  meet();
  found->run();
  await_end();
  return 0;
}
