#define _GNU_SOURCE
#include "CPuppet.h"

#include <errno.h>
#include <netinet/in.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

int cpuppet_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int cpuppet_enter_network(int descriptor) { return setns(descriptor, CLONE_NEWNET); }

int cpuppet_own_descriptors(void) { return unshare(CLONE_FILES); }

int cpuppet_wait_for_nothing(void) {
  struct epoll_event event = {.events = EPOLLIN};
  int set = epoll_create1(EPOLL_CLOEXEC), idle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  // Without a socket to wait for nothing could wake the program, and it would not be frozen.
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(idle, (struct sockaddr *)&any, sizeof any) < 0) return 0;
  if (epoll_ctl(set, EPOLL_CTL_ADD, idle, &event) < 0) return 0;
  return epoll_wait(set, &event, 1, -1) < 0 ? errno : 0;
}

int cpuppet_open_terminal(int *slave) {
  int master;
  return openpty(&master, slave, NULL, NULL, NULL) < 0 ? -1 : master;
}

int cpuppet_signal_thread(int process, int thread, int signal) { return tgkill(process, thread, signal); }
