#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

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

static struct sockaddr_in bench_loopback(uint16_t port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

uint16_t bench_local_port(int descriptor) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) < 0)
    bench_fail("a socket has no address: %s", strerror(errno));
  return ntohs(address.sin_port);
}

static uint16_t bench_bind(int descriptor, uint16_t port) {
  struct sockaddr_in address = bench_loopback(port);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0)
    bench_fail("cannot bind port %u of the loopback: %s", port, strerror(errno));
  return bench_local_port(descriptor);
}

int bench_listen(uint16_t *port) {
  int listener = bench_tcp();
  *port = bench_bind(listener, 0);
  if (listen(listener, SOMAXCONN) < 0) bench_fail("cannot listen on the loopback: %s", strerror(errno));
  return listener;
}

int bench_listen_at(uint16_t port) {
  int listener = bench_tcp(), on = 1;
  // As every server does that is to be started again while its old connections are in TIME_WAIT.
  if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0)
    bench_fail("cannot set SO_REUSEADDR: %s", strerror(errno));
  bench_bind(listener, port);
  if (listen(listener, 128) < 0) bench_fail("cannot listen on port %u: %s", port, strerror(errno));
  return listener;
}

static int bench_udp(void) {
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) bench_fail("cannot make a UDP socket: %s", strerror(errno));
  return descriptor;
}

int bench_datagrams(uint16_t *port) {
  int descriptor = bench_udp();
  *port = bench_bind(descriptor, *port);
  return descriptor;
}

int bench_datagrams_to(uint16_t port) {
  struct sockaddr_in address = bench_loopback(port);
  int descriptor = bench_udp();
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0)
    bench_fail("cannot connect a UDP socket: %s", strerror(errno));
  return descriptor;
}

uint16_t bench_free_port(void) {
  for (;;) {
    uint16_t port;
    int listener = bench_listen(&port), datagrams = bench_udp();
    struct sockaddr_in address = bench_loopback(port);
    bool free = bind(datagrams, (struct sockaddr *)&address, sizeof address) == 0;
    close(listener), close(datagrams);
    if (free) return port;
  }
}

void bench_limit_receive(int descriptor, unsigned seconds) {
  struct timeval limit = {.tv_sec = seconds};
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0)
    bench_fail("cannot set SO_RCVTIMEO: %s", strerror(errno));
}

int bench_try_connect(uint16_t port) {
  struct sockaddr_in address = bench_loopback(port);
  int line = bench_tcp();
  if (connect(line, (struct sockaddr *)&address, sizeof address) == 0) {
    bench_send_at_once(line);
    return line;
  }
  close(line);
  return -1;
}

int bench_connect(uint16_t port) {
  int line = bench_try_connect(port);
  if (line < 0) bench_fail("cannot connect to port %u: %s", port, strerror(errno));
  return line;
}

int bench_accept(int listener) {
  bench_limit_receive(listener, 10);
  int line = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (line < 0) bench_fail("a program did not connect: %s", strerror(errno));
  bench_limit_receive(line, 10);
  bench_send_at_once(line);
  return line;
}

void bench_own_network(void) {
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  if (unshare(CLONE_NEWNET) < 0) return;
  int descriptor = bench_udp();
  if (ioctl(descriptor, SIOCSIFFLAGS, &loopback) < 0)
    bench_fail("cannot set up the loopback of a network namespace: %s", strerror(errno));
  close(descriptor);
}
