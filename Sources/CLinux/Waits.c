#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static struct clinux_wait plain(enum clinux_wait_kind kind) {
  return (struct clinux_wait){.kind = kind, .time_out = CLINUX_TIME_OUT_NONE};
}

static struct clinux_wait timed(enum clinux_wait_kind kind, enum clinux_time_out time_out, int argument) {
  return (struct clinux_wait){.kind = kind, .time_out = time_out, .argument = argument};
}

// The calls that newer architectures do not have.
static struct clinux_wait old_wait_of(long number) {
  switch (number) {
#ifdef SYS_poll
  case SYS_poll:
    return timed(CLINUX_WAIT_POLL, CLINUX_TIME_OUT_MILLISECONDS, 2);
  case SYS_select:
    return timed(CLINUX_WAIT_SELECT, CLINUX_TIME_OUT_TIMEVAL, 4);
  case SYS_epoll_wait:
    return timed(CLINUX_WAIT_EPOLL, CLINUX_TIME_OUT_MILLISECONDS, 3);
  case SYS_pause:
    return plain(CLINUX_WAIT_SIGNAL);
#endif
  default:
    return plain(CLINUX_WAIT_NONE);
  }
}

static struct clinux_wait transfer_of(long number) {
  switch (number) {
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_accept:
  case SYS_accept4:
    return plain(CLINUX_WAIT_READS);
  case SYS_recvfrom:
  case SYS_recvmmsg:
    return timed(CLINUX_WAIT_RECEIVES, CLINUX_TIME_OUT_NONE, 3);
  case SYS_recvmsg:
    return timed(CLINUX_WAIT_RECEIVES, CLINUX_TIME_OUT_NONE, 2);
  case SYS_mq_timedreceive:
    return timed(CLINUX_WAIT_READS, CLINUX_TIME_OUT_REALTIME, 4);
  case SYS_write:
  case SYS_writev:
  case SYS_pwrite64:
  case SYS_pwritev:
  case SYS_pwritev2:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
  case SYS_sendfile:
  case SYS_connect:
    return plain(CLINUX_WAIT_WRITES);
  case SYS_mq_timedsend:
    return timed(CLINUX_WAIT_WRITES, CLINUX_TIME_OUT_REALTIME, 4);
  default:
    return old_wait_of(number);
  }
}

struct clinux_wait clinux_wait_of(long number) {
  switch (number) {
  case SYS_ppoll:
    return timed(CLINUX_WAIT_POLL, CLINUX_TIME_OUT_TIMESPEC, 2);
  case SYS_pselect6:
    return timed(CLINUX_WAIT_SELECT, CLINUX_TIME_OUT_TIMESPEC, 4);
  case SYS_epoll_pwait:
    return timed(CLINUX_WAIT_EPOLL, CLINUX_TIME_OUT_MILLISECONDS, 3);
  case SYS_epoll_pwait2:
    return timed(CLINUX_WAIT_EPOLL, CLINUX_TIME_OUT_TIMESPEC, 3);
  case SYS_nanosleep:
    return timed(CLINUX_WAIT_TIME, CLINUX_TIME_OUT_TIMESPEC, 0);
  case SYS_clock_nanosleep:
    return timed(CLINUX_WAIT_TIME, CLINUX_TIME_OUT_CLOCK, 2);
  case SYS_futex:
    return plain(CLINUX_WAIT_FUTEX);
  case SYS_futex_waitv:
    return plain(CLINUX_WAIT_FUTEXES);
  case SYS_io_uring_enter:
    return plain(CLINUX_WAIT_RING);
  case SYS_rt_sigsuspend:
    return plain(CLINUX_WAIT_SIGNAL);
  case SYS_rt_sigtimedwait:
    return timed(CLINUX_WAIT_TAKES_SIGNAL, CLINUX_TIME_OUT_TIMESPEC, 2);
  case SYS_wait4:
  case SYS_waitid:
    return plain(CLINUX_WAIT_CHILD);
  case SYS_semtimedop:
    return timed(CLINUX_WAIT_SYSTEM_V, CLINUX_TIME_OUT_TIMESPEC, 3);
  case SYS_semop:
  case SYS_msgrcv:
  case SYS_msgsnd:
    return plain(CLINUX_WAIT_SYSTEM_V);
  case SYS_flock:
    return plain(CLINUX_WAIT_FILE_LOCK);
  case SYS_fcntl:
    return plain(CLINUX_WAIT_RECORD_LOCK);
  case SYS_restart_syscall:
    return plain(CLINUX_WAIT_RESTART);
  default:
    return transfer_of(number);
  }
}

ssize_t clinux_read_entry(int directory, pid_t number, const char *name, void *room, size_t count) {
  char path[64];
  snprintf(path, sizeof path, "%d/%s", number, name);
  int file = openat(directory, path, O_RDONLY | O_CLOEXEC);
  if (file == -1) {
    return -1;
  }
  ssize_t size = read(file, room, count);
  int code = errno;
  close(file);
  errno = code;
  return size;
}

// PROCMAP_QUERY of linux/fs.h, since Linux 6.11; older headers do not have it.
struct mapping_query {
  uint64_t size, flags, address;
  uint64_t start, end, mapping_flags, page_size, offset, inode;
  uint32_t device_major, device_minor;
  uint32_t name_size, build_id_size;
  uint64_t name, build_id;
};

int clinux_mapping_by_query(int maps, uint64_t address) {
  const uint64_t shared = 8; // PROCMAP_QUERY_VMA_SHARED
  struct mapping_query query = {.size = sizeof query, .address = address};
  if (ioctl(maps, _IOWR('f', 17, struct mapping_query), &query) == -1) {
    return -1;
  }
  return (query.mapping_flags & shared) != 0;
}

int clinux_mapping_by_text(int maps, uint64_t address) {
  int copy = fcntl(maps, F_DUPFD_CLOEXEC, 0);
  FILE *file = copy == -1 ? NULL : fdopen(copy, "r");
  if (!file) {
    if (copy != -1) {
      close(copy);
    }
    return -1;
  }
  int found = -1;
  char line[256];
  while (found == -1 && fgets(line, sizeof line, file)) {
    uint64_t start, end;
    char rights[5];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) == 3 && start <= address &&
        address < end) {
      found = rights[3] == 's';
    }
  }
  fclose(file);
  errno = ENOENT;
  return found;
}
