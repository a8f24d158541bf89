#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

static int bench_tcp(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) bench_fail("cannot make a TCP socket: %s", strerror(errno));
  return descriptor;
}

static void bench_send_at_once(int descriptor) {
  int on = 1;
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
    bench_fail("cannot set TCP_NODELAY: %s", strerror(errno));
}

int bench_listen(uint16_t *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = bench_tcp();
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 128) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) < 0)
    bench_fail("cannot listen on the loopback: %s", strerror(errno));
  *port = ntohs(address.sin_port);
  return listener;
}

int bench_connect(uint16_t port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int line = bench_tcp();
  if (connect(line, (struct sockaddr *)&address, sizeof address) < 0)
    bench_fail("cannot connect to the sender: %s", strerror(errno));
  bench_send_at_once(line);
  return line;
}

int bench_accept(int listener) {
  struct timeval limit = {.tv_sec = 10};
  if (setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0)
    bench_fail("cannot set SO_RCVTIMEO: %s", strerror(errno));
  int line = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (line < 0) bench_fail("a program did not connect: %s", strerror(errno));
  if (setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0)
    bench_fail("cannot set SO_RCVTIMEO: %s", strerror(errno));
  bench_send_at_once(line);
  return line;
}
