#define _GNU_SOURCE
#include "CLinux.h"
#include "Threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int clinux_file_status(int fd, struct clinux_file_status *status) {
  struct statx found;
  if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &found) == -1) {
    return -1;
  }
  status->mode = found.stx_mode;
  status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
  status->inode = found.stx_ino;
  status->major = found.stx_rdev_major;
  return 0;
}

// The close of a socket of another family may wait for the other processors (packet sockets), or for its
// peer.
static int socket_may_wait(int fd, int domain) {
  if (domain == AF_UNIX) {
    return 0;
  }
  if (domain != AF_INET && domain != AF_INET6) {
    return 1;
  }
  struct linger linger = {0};
  socklen_t size = sizeof linger;
  getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &size);
  return linger.l_onoff && linger.l_linger > 0;
}

int clinux_close_may_wait(int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0) {
    return socket_may_wait(fd, domain);
  }
  struct clinux_file_status status;
  if (clinux_file_status(fd, &status) == -1) {
    return 1;
  }
  switch (status.mode & S_IFMT) {
  case 0: // an eventfd and the like
  case S_IFIFO: return 0;
  // FUSE and NFS have no block device (major number 0); a file on a block device has nothing to wait for.
  case S_IFREG:
  case S_IFDIR: return major(status.device) == 0;
  // Memory devices and the ends of pseudo-terminals have nothing to drain.
  case S_IFCHR: return status.major != 1 && !(status.major >= 136 && status.major <= 143);
  default: return 1;
  }
}

struct clinux_closer {
  pthread_mutex_t lock;
  int *waiting;
  size_t count, room;
  int threads;
};

struct clinux_closer *clinux_closer_make(void) {
  struct clinux_closer *closer = calloc(1, sizeof *closer);
  if (closer != NULL) {
    pthread_mutex_init(&closer->lock, NULL);
  }
  return closer;
}

// The first descriptor that waits, or -1 when none does: the thread ends then.
static int next(struct clinux_closer *closer) {
  int fd = -1;
  pthread_mutex_lock(&closer->lock);
  if (closer->count > 0) {
    fd = closer->waiting[0];
    closer->count--;
    memmove(closer->waiting, closer->waiting + 1, closer->count * sizeof *closer->waiting);
  } else {
    closer->threads--;
  }
  pthread_mutex_unlock(&closer->lock);
  return fd;
}

static void *close_all(void *argument) {
  for (int fd = next(argument); fd != -1; fd = next(argument)) {
    close(fd);
  }
  return NULL;
}

static int append(struct clinux_closer *closer, int fd) {
  if (closer->count == closer->room) {
    size_t room = closer->room == 0 ? 64 : 2 * closer->room;
    int *waiting = realloc(closer->waiting, room * sizeof *waiting);
    if (waiting == NULL) {
      return -1;
    }
    closer->waiting = waiting;
    closer->room = room;
  }
  closer->waiting[closer->count++] = fd;
  return 0;
}

// A close that waits must not hold up the next ones, so there are several threads.
int clinux_closer_close(struct clinux_closer *closer, int fd) {
  pthread_mutex_lock(&closer->lock);
  int code = append(closer, fd);
  if (code == 0 && closer->threads < CLINUX_CLOSER_THREADS) {
    closer->threads++;
    if (start_thread(NULL, close_all, closer) != 0 && --closer->threads == 0) {
      closer->count--;
      code = -1;
    }
  }
  pthread_mutex_unlock(&closer->lock);
  return code;
}
