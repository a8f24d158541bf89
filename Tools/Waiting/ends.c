// Sockets, pipes, terminals, processes: what has another end.
#include "waits.h"

#include <net/if.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

static char text[8192];

static void accepted(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof place;
  if (outside) {
    place.sin_port = (in_port_t)told();
    cause();
    connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&place, length);
    return;
  }
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (struct sockaddr *)&place, length);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&place, &length);
  tell(place.sin_port);
  waits();
  expect(accept(listener, NULL, NULL) >= 0);
  seen();
}

// The listener has no room.
static void connecting_unix(void) {
  struct sockaddr_un place = {AF_UNIX, "full"};
  int own = socket(AF_UNIX, SOCK_STREAM, 0);
  if (outside) {
    bind(own, (struct sockaddr *)&place, sizeof place);
    listen(own, 0);
    int other;
    do {
      other = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    } while (!connect(other, (struct sockaddr *)&place, sizeof place));
    tell(0);
    cause();
    accept(own, NULL, NULL);
    return;
  }
  told();
  watch_line();
  waits();
  expect(!connect(own, (struct sockaddr *)&place, sizeof place));
  seen();
}

static void bring_up(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  expect(!ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, &request));
}

// So long as the listener has no room, the kernel asks once a second.
static void connecting_tcp(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof place;
  if (outside) {
    unshare(CLONE_NEWNET);
    bring_up();
    put("/proc/sys/net/ipv4/tcp_syn_linear_timeouts", "100");
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&place, length);
    listen(listener, 0);
    getsockname(listener, (struct sockaddr *)&place, &length);
    connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&place, length);
    int other = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(other, (struct sockaddr *)&place, length);
    give(other);
    cause();
    accept(listener, NULL, NULL);
    accept(listener, NULL, NULL);
    return caused();
  }
  int end = take(), error = 1;
  length = sizeof error;
  waits();
  poll_for(end, POLLOUT);
  expect(!getsockopt(end, SOL_SOCKET, SO_ERROR, &error, &length) && error == 0);
  seen();
}

static void reads(int end) {
  waits();
  expect(read(end, text, sizeof text) > 0);
  seen();
}

static void unix_datagram(void) {
  int end = share(AF_UNIX, SOCK_DGRAM);
  outside ? strike(end) : reads(end);
}

static void unix_sequence(void) {
  int end = share(AF_UNIX, SOCK_SEQPACKET);
  outside ? strike(end) : reads(end);
}

static void socket_pair(void) {
  int end = share(AF_UNIX, SOCK_STREAM);
  outside ? strike(end) : reads(end);
}

static void pipe_read(void) {
  int end = share_pipe(1);
  outside ? strike(end) : reads(end);
}

static void read_vector(void) {
  int end = share_tcp();
  struct iovec parts[] = {{text, 1}, {text + 1, 1}};
  if (outside) return strike(end);
  waits();
  expect(readv(end, parts, 2) == 1);
  seen();
}

static void receive_message(void) {
  int end = share_tcp();
  struct iovec part = {text, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (outside) return strike(end);
  waits();
  expect(recvmsg(end, &message, 0) == 1);
  seen();
}

static void pipe_full(void) {
  int end = share_pipe(0);
  if (outside) {
    cause();
    (void)!read(end, text, sizeof text);
    return;
  }
  fcntl(end, F_SETPIPE_SZ, 4096);
  expect(write(end, text, 4096) == 4096);
  waits();
  expect(write(end, "x", 1) == 1);
  seen();
}

static void fifo(int is_opening) {
  if (outside) {
    mkfifo("fifo", 0600);
    tell(0);
    int end = is_opening ? -1 : open("fifo", O_RDWR);
    if (!is_opening) return strike(end);
    cause();
    open("fifo", O_WRONLY);
    return;
  }
  told();
  watch_line();
  int end = is_opening ? -1 : open("fifo", O_RDWR);
  if (!is_opening) reads(end);
  waits();
  expect(open("fifo", O_RDONLY) >= 0);
  seen();
}

static void fifo_open(void) { fifo(1); }
static void fifo_read(void) { fifo(0); }

static void terminal_line(void) {
  int end = terminal();
  if (!outside) reads(end);
  cause();
  (void)!write(end, "x\n", 2);
}

static void terminal_hang_up(void) {
  int end = terminal();
  if (!outside) {
    waits();
    poll_for(end, POLLIN);
    seen();
  }
  cause();
  close(end);
}

static int of_netlink(int protocol, uint32_t groups) {
  struct sockaddr_nl place = {.nl_family = AF_NETLINK, .nl_groups = groups};
  int end = socket(AF_NETLINK, SOCK_RAW, protocol);
  expect(!bind(end, (struct sockaddr *)&place, sizeof place));
  return end;
}

// In a network of its own, in which somebody outside acts.
static void netlink_link(void) {
  if (outside) {
    told();
    enter("net");
    cause();
    return bring_up();
  }
  expect(!unshare(CLONE_NEWNET));
  int end = of_netlink(NETLINK_ROUTE, RTMGRP_LINK);
  tell(0);
  reads(end);
}

static void uevent(void) {
  if (outside) {
    cause();
    return put("/sys/class/mem/null/uevent", "change");
  }
  int end = of_netlink(NETLINK_KOBJECT_UEVENT, 1);
  waits();
  do {
    expect(read(end, text, sizeof text) > 0);
  } while (!strstr(text, "mem/null"));
  seen();
}

static void raw(int family, int protocol) {
  if (outside) {
    struct sockaddr_in place = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    told();
    enter("net");
    int end = socket(AF_INET, SOCK_DGRAM, 0);
    cause();
    sendto(end, "x", 1, 0, (struct sockaddr *)&place, sizeof place);
    return;
  }
  expect(!unshare(CLONE_NEWNET));
  bring_up();
  int end = socket(family, SOCK_RAW, protocol);
  tell(0);
  reads(end);
}

static void packets(void) { raw(AF_PACKET, htons(ETH_P_ALL)); }
static void raw_icmp(void) { raw(AF_INET, IPPROTO_ICMP); }

static void pidfd(void) {
  if (outside) {
    pid_t child = split();
    if (!child) {
      pause();
      _exit(0);
    }
    tell(child);
    told();
    cause();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return;
  }
  int other = (int)syscall(SYS_pidfd_open, (pid_t)told(), 0);
  tell(0);
  waits();
  poll_for(other, POLLIN);
  seen();
}

static void child_inside(void) {
  int end = share_pipe(1), status = -1;
  char byte;
  if (outside) return strike(end);
  pid_t child = split();
  if (!child) _exit(read(end, &byte, 1) != 1);
  waits();
  expect(waitpid(child, &status, 0) == child && status == 0);
  seen();
}

static void child_outside(void) {
  int end = share_pipe(1);
  if (outside) {
    move_out();
    return strike(end);
  }
  siginfo_t info;
  pid_t child = reader(end);
  close(end);
  waits();
  expect(!waitid(P_PID, (id_t)child, &info, WEXITED) && info.si_status == 0);
  seen();
}

// What is not of this machine's width.
static void narrow(void) {
  int end = share_tcp();
  char first[16], second[16];
  if (outside) return strike(end);
  snprintf(first, sizeof first, "%c", end);
  snprintf(second, sizeof second, "%c", line);
  waits();
  execl("./narrow", "narrow", first, second, NULL);
  cut("a program of 32 bits");
}

// The signal is for the process that has not the descriptor.
static void sigio_other_process(void) {
  int end = share_tcp();
  pid_t parent = getpid();
  if (outside) return strike(end);
  handle(SIGIO);
  if (!split()) {
    signal(SIGIO, SIG_DFL);
    fcntl(end, F_SETOWN, parent);
    fcntl(end, F_SETFL, O_ASYNC | O_NONBLOCK);
    pause();
  }
  close(end);
  wait_at_line();
}

const struct wait ends[] = {
    {"accept", accepted},
    {"connect-unix", connecting_unix},
    {"connect-tcp", connecting_tcp},
    {"unix-datagram", unix_datagram},
    {"unix-seqpacket", unix_sequence},
    {"socketpair", socket_pair},
    {"pipe", pipe_read},
    {"pipe-full", pipe_full},
    {"readv", read_vector},
    {"recvmsg", receive_message},
    {"fifo", fifo_read},
    {"fifo-open", fifo_open},
    {"terminal", terminal_line},
    {"terminal-hang-up", terminal_hang_up},
    {"netlink-link", netlink_link},
    {"netlink-uevent", uevent},
    {"packet-socket", packets},
    {"raw-socket", raw_icmp},
    {"pidfd", pidfd},
    {"child-inside", child_inside},
    {"child-outside", child_outside},
    {"sigio-other-process", sigio_other_process},
    {"32-bit", narrow},
    {0},
};
