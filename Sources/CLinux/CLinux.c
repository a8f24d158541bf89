#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char *clinux_error_name(int code) {
  return strerrorname_np(code);
}

const char *clinux_signal_name(int signal) {
  return sigabbrev_np(signal);
}

int clinux_ignore_signal(int number) {
  return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0;
}

char *const *clinux_environment(void) {
  return environ;
}

int clinux_same_file(pid_t one, int number, pid_t other, int other_number) {
  const int kcmp_file = 0; // KCMP_FILE
  return (int)syscall(SYS_kcmp, one, other, kcmp_file, (long)number, (long)other_number);
}

int clinux_pidfd_open(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

int clinux_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int clinux_pidfd_getfd(int pidfd, int number) {
  return (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
}

int clinux_pidfd_wait(int pidfd, int *code, int *status) {
  const int by_pidfd = 3; // P_PIDFD, which glibc 2.35 and older do not define
  siginfo_t info = {0};
  if (waitid((idtype_t)by_pidfd, (id_t)pidfd, &info, WEXITED | WNOHANG) == -1) {
    return -1;
  }
  if (info.si_pid == 0) {
    return 0;
  }
  *code = info.si_code;
  *status = info.si_status;
  return 1;
}

int clinux_set_child_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

int clinux_pipe(int ends[2]) {
  return pipe2(ends, O_CLOEXEC);
}

int clinux_memfd(const char *name) {
  return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int clinux_seal(int fd) {
  return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

int clinux_seals(int fd) {
  return fcntl(fd, F_GET_SEALS);
}
