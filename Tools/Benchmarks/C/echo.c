// An echo program of three processes: one waits in epoll_wait for TCP and UDP, one blocks in recv on a TCP
// connection, one in recvfrom.
#include "bench.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_echo_buffer = 16384 };

static void bench_echo_all(int line, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(line, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent, length -= (size_t)sent;
  }
}

static void bench_echo_datagram(int socket, int flags) {
  char bytes[bench_echo_buffer];
  struct sockaddr_in peer;
  socklen_t length = sizeof peer;
  ssize_t got = recvfrom(socket, bytes, sizeof bytes, flags, (struct sockaddr *)&peer, &length);
  if (got >= 0) sendto(socket, bytes, (size_t)got, 0, (struct sockaddr *)&peer, length);
}

static _Noreturn void bench_echo_blocking(uint16_t port) {
  char bytes[bench_echo_buffer];
  for (int listener = bench_listen_at(port);;) {
    int line = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ssize_t got;
    while (line >= 0 && ((got = recv(line, bytes, sizeof bytes, 0)) > 0 || (got < 0 && errno == EINTR)))
      if (got > 0) bench_echo_all(line, bytes, (size_t)got);
    close(line);
  }
}

static _Noreturn void bench_echo_datagrams(uint16_t port) {
  for (int socket = bench_datagrams(&port);;) bench_echo_datagram(socket, 0);
}

static void bench_watch_one(int loop, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event) < 0)
    bench_fail("cannot watch a socket: %s", strerror(errno));
}

static void bench_echo_line(int line) {
  char bytes[bench_echo_buffer];
  ssize_t got = recv(line, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got > 0) bench_echo_all(line, bytes, (size_t)got);
  else if (got == 0 || errno != EAGAIN) close(line);
}

static _Noreturn void bench_echo_loop(uint16_t port) {
  int loop = epoll_create1(EPOLL_CLOEXEC), listener = bench_listen_at(port);
  int datagrams = bench_datagrams(&port);
  bench_watch_one(loop, listener), bench_watch_one(loop, datagrams);
  for (;;) {
    struct epoll_event event;
    if (epoll_wait(loop, &event, 1, -1) <= 0) continue;
    if (event.data.fd == datagrams) bench_echo_datagram(datagrams, MSG_DONTWAIT);
    else if (event.data.fd != listener) bench_echo_line(event.data.fd);
    else bench_watch_one(loop, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
  }
}

int bench_echo_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench echo PORT BLOCKING-PORT DATAGRAM-PORT");
  uint16_t ports[3];
  for (int index = 0; index < 3; index++)
    ports[index] = (uint16_t)bench_number(arguments[index], 1, UINT16_MAX);
  if (bench_fork(-1) == 0) bench_echo_blocking(ports[1]);
  if (bench_fork(-1) == 0) bench_echo_datagrams(ports[2]);
  bench_echo_loop(ports[0]);
}
