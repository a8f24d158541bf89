// The program whose freeze is measured: eight sockets (four TCP connections, two for UDP, a listening one, a
// Unix one) and four threads, which wait in epoll_wait, poll, recv and on a condition.
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { bench_connections = 4 };

static int bench_listen_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (length < 0 || (size_t)length >= sizeof address.sun_path || listener < 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0)
    bench_fail("cannot listen at %s: %s", path, strerror(errno));
  return listener;
}

static void *bench_poll_connections(void *connections) {
  while (poll(connections, bench_connections, -1) < 0) continue;
  _exit(0);
}

static void *bench_receive_datagrams(void *socket) {
  char bytes[64];
  while (recv(*(int *)socket, bytes, sizeof bytes, 0) >= 0 || errno == EINTR) continue;
  _exit(0);
}

static void *bench_wait_for_ever(void *unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  return unused;
}

/// Stands in the middle of a call that a freeze would cut short.
static void *bench_write_for_ever(void *unused) {
  static const char bytes[1 << 20];
  int ends[2];
  if (pipe(ends) < 0) bench_fail("no pipe: %s", strerror(errno));
  while (write(ends[1], bytes, sizeof bytes) != 0) continue;
  return unused;
}

static void bench_start_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, body, argument);
  if (error) bench_fail("cannot start a thread: %s", strerror(error));
}

int bench_eight_command(int count, char **arguments) {
  if (count < 2) bench_fail("usage: lull-bench eight PORT PATH [writes]");
  struct pollfd connections[bench_connections];
  uint16_t ports[3] = {0}, port = (uint16_t)bench_number(arguments[0], 1, UINT16_MAX);
  int loop = epoll_create1(EPOLL_CLOEXEC), datagrams = bench_datagrams(&ports[0]);
  int watched[] = {bench_datagrams(&ports[1]), bench_listen(&ports[2]), bench_listen_unix(arguments[1])};
  for (size_t index = 0; index < sizeof watched / sizeof *watched; index++) {
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll_ctl(loop, EPOLL_CTL_ADD, watched[index], &event) < 0)
      bench_fail("cannot watch a socket: %s", strerror(errno));
  }
  for (size_t index = 0; index < bench_connections; index++)
    connections[index] = (struct pollfd){.fd = bench_connect(port), .events = POLLIN};
  bench_start_thread(bench_poll_connections, connections);
  bench_start_thread(bench_receive_datagrams, &datagrams);
  bench_start_thread(count == 2 ? bench_wait_for_ever : bench_write_for_ever, NULL);
  for (;;) {
    struct epoll_event event;
    if (epoll_wait(loop, &event, 1, -1) > 0) return 0;
  }
}
