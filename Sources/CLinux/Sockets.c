#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int clinux_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == -1) {
    return -1;
  }
  *pid = peer.pid;
  *uid = peer.uid;
  return 0;
}

int clinux_peer_pidfd(int socket) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == -1 ? -1 : pidfd;
}

int clinux_tcp_info(int socket, struct clinux_tcp_traffic *traffic) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == -1) {
    return -1;
  }
  const int established = 1;
  traffic->is_established = info.tcpi_state == established;
  traffic->has_sent = info.tcpi_data_segs_out > 0;
  traffic->since_sent = info.tcpi_last_data_sent;
  traffic->since_received = info.tcpi_last_data_recv;
  traffic->received = info.tcpi_bytes_received;
  return 0;
}

int clinux_queue(int listener, uint32_t *length, uint32_t *limit) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &size) == -1) {
    return -1;
  }
  *length = info.tcpi_unacked;
  *limit = info.tcpi_sacked;
  return 0;
}

int clinux_netlink(int family, int space) {
  int home = -1;
  if (space != -1) {
    home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (home == -1) {
      return -1;
    }
    if (setns(space, CLONE_NEWNET) == -1) {
      int code = errno;
      close(home);
      errno = code;
      return -1;
    }
  }
  int made = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, family);
  int code = errno;
  if (home != -1) {
    setns(home, CLONE_NEWNET);
    close(home);
  }
  errno = code;
  return made;
}

ssize_t clinux_send(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec data = {.iov_base = (void *)bytes, .iov_len = count};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {0};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// CMSG_SPACE of one descriptor has room for two because of its alignment, so two can come.
static int keep_one(struct msghdr *message, int *kept) {
  int seen = 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
      if (seen++ == 0) {
        *kept = descriptor;
      } else {
        close(descriptor);
      }
    }
  }
  return seen;
}

ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptor, int *lost) {
  struct iovec data = {.iov_base = bytes, .iov_len = count};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *descriptor)] = {0};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  *descriptor = -1;
  *lost = 0;
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (received == -1) {
    return -1;
  }
  int seen = keep_one(&message, descriptor);
  if (seen > 1 || (message.msg_flags & MSG_CTRUNC)) {
    *lost = 1;
    if (*descriptor >= 0) {
      close(*descriptor);
      *descriptor = -1;
    }
  }
  return received;
}
