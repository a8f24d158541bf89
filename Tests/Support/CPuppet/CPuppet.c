#define _GNU_SOURCE
#include "CPuppet.h"

#include <errno.h>
#include <pty.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

int cpuppet_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int cpuppet_enter_network(int descriptor) { return setns(descriptor, CLONE_NEWNET); }

int cpuppet_wait_for_nothing(void) {
  struct epoll_event event;
  int pair[2];
  // Without a socket nothing could wake it, and it would not be frozen.
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) return 0;
  return epoll_wait(epoll_create1(EPOLL_CLOEXEC), &event, 1, -1) < 0 ? errno : 0;
}

int cpuppet_open_terminal(int *slave) {
  int master;
  return openpty(&master, slave, NULL, NULL, NULL) < 0 ? -1 : master;
}
