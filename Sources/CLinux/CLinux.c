#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

const char *clinux_error_name(int code) {
  return strerrorname_np(code);
}

const char *clinux_signal_name(int signal) {
  return sigabbrev_np(signal);
}

int clinux_ignores_signal(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int clinux_same_file(pid_t one, int number, pid_t other, int other_number) {
  const int kcmp_file = 0; // KCMP_FILE
  return (int)syscall(SYS_kcmp, one, other, kcmp_file, (long)number, (long)other_number);
}

int clinux_same_files(pid_t one, pid_t other) {
  const int kcmp_files = 2; // KCMP_FILES
  return (int)syscall(SYS_kcmp, one, other, kcmp_files, 0L, 0L);
}

int clinux_raised_signals(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags == -1) {
    return -1;
  }
  struct f_owner_ex owner = {0};
  int owned = fcntl(descriptor, F_GETOWN_EX, &owner) == 0 && owner.pid != 0;
  int lease = fcntl(descriptor, F_GETLEASE);
  return (flags & O_ASYNC ? CLINUX_RAISES_FOR_READINESS : 0) | (owned ? CLINUX_HAS_OWNER : 0) |
         (lease == F_RDLCK || lease == F_WRLCK ? CLINUX_HAS_LEASE : 0);
}

int clinux_file_status(int fd, struct clinux_file_status *status) {
  struct statx found;
  if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &found) == -1) {
    return -1;
  }
  status->mode = found.stx_mode;
  status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
  status->inode = found.stx_ino;
  status->major = found.stx_rdev_major;
  status->disk_major = found.stx_dev_major;
  return 0;
}

int clinux_is_message_queue(int descriptor) {
  const long mqueue_magic = 0x19800202; // ipc/mqueue.c
  struct statfs system;
  return fstatfs(descriptor, &system) == 0 && system.f_type == mqueue_magic;
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

static const int by_pidfd = 3; // P_PIDFD, which glibc 2.35 and older do not define

int clinux_pidfd_wait(int pidfd, int *code, int *status) {
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

int clinux_pidfd_stopped(int pidfd) {
  siginfo_t info = {0};
  if (waitid((idtype_t)by_pidfd, (id_t)pidfd, &info, WSTOPPED | WNOHANG) == -1) {
    return -1;
  }
  return info.si_pid != 0;
}

int clinux_child_change(pid_t pid, enum clinux_child_change *change, int *status) {
  siginfo_t info = {0};
  *change = CLINUX_CHILD_UNCHANGED;
  if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WCONTINUED | WNOHANG) == -1 && errno != ECHILD) {
    return -1;
  }
  if (info.si_pid == 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == -1) {
    return -1;
  }
  if (info.si_pid != 0) {
    *status = info.si_status;
    *change = info.si_code == CLD_EXITED      ? CLINUX_CHILD_EXITED
              : info.si_code == CLD_STOPPED   ? CLINUX_CHILD_STOPPED
              : info.si_code == CLD_CONTINUED ? CLINUX_CHILD_CONTINUED
                                              : CLINUX_CHILD_SIGNALED;
  }
  return 0;
}

int clinux_act(int number, int ends) {
  if (ends) {
    // A handler of core files behind a pipe ignores the limit of their size.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  }
  struct sigaction standard = {.sa_handler = SIG_DFL}, before;
  if (number != SIGKILL && number != SIGSTOP && sigaction(number, &standard, &before) == -1) {
    return -1;
  }
  sigset_t set, mask;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  int code = pthread_sigmask(SIG_UNBLOCK, &set, &mask);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (number != SIGKILL && number != SIGSTOP) {
    sigaction(number, &before, NULL);
  }
  int continued = 0;
  if (!ends && sigismember(&mask, SIGCONT)) {
    sigset_t news;
    sigemptyset(&news);
    sigaddset(&news, SIGCONT);
    continued = sigtimedwait(&news, NULL, &(struct timespec){0}) == SIGCONT;
  }
  errno = code;
  return code == 0 ? continued : -1;
}

// struct pidfd_info of Linux 6.15, which older headers do not have; 6.13 knows all but the exit code.
struct pidfd_facts {
  uint64_t mask, cgroup;
  uint32_t numbers[11];
  int32_t exit_code;
};

static int get_facts(int pidfd, struct pidfd_facts *facts) {
  return ioctl(pidfd, _IOC(_IOC_READ | _IOC_WRITE, 0xFF, 11, sizeof *facts), facts);
}

int clinux_pidfd_exit(int pidfd, int *status) {
  const uint64_t asks_exit = 1 << 3; // PIDFD_INFO_EXIT
  struct pidfd_facts facts = {.mask = asks_exit};
  if (get_facts(pidfd, &facts) == -1) {
    return errno == ESRCH ? 0 : -1;
  }
  *status = facts.exit_code;
  return facts.mask & asks_exit ? 1 : 0;
}

int clinux_pidfd_cgroup(int pidfd, uint64_t *id) {
  const uint64_t asks_cgroup = 1 << 2; // PIDFD_INFO_CGROUPID
  struct pidfd_facts facts = {.mask = asks_cgroup};
  if (get_facts(pidfd, &facts) == -1) {
    return -1;
  }
  *id = facts.cgroup;
  return facts.mask & asks_cgroup ? 1 : 0;
}

int clinux_set_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}

int clinux_set_parent_death_signal(int signal) {
  int known = 0;
  if (prctl(PR_GET_PDEATHSIG, &known, 0, 0, 0) || known) return 0;
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

int clinux_set_child_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
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

int clinux_set_limit(pid_t pid, int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return prlimit(pid, (enum __rlimit_resource)resource, &limit, NULL);
}
