#define _GNU_SOURCE
#include "CLinux.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static struct clinux_call call(enum clinux_call_kind kind, enum clinux_time_out time_out, int argument) {
  return (struct clinux_call){.kind = kind, .time_out = time_out, .argument = argument};
}

struct clinux_call clinux_call_of(long number) {
  switch (number) {
#ifdef SYS_poll
  case SYS_poll:
    return call(CLINUX_CALL_POLLS, CLINUX_TIME_OUT_MILLISECONDS, 2);
  case SYS_select:
    return call(CLINUX_CALL_WAITS, CLINUX_TIME_OUT_TIMEVAL, 4);
  case SYS_epoll_wait:
    return call(CLINUX_CALL_EPOLLS, CLINUX_TIME_OUT_MILLISECONDS, 3);
  case SYS_pause:
#endif
  case SYS_rt_sigsuspend:
  case SYS_io_uring_enter:
  case SYS_restart_syscall:
    return call(CLINUX_CALL_WAITS, CLINUX_TIME_OUT_NONE, 0);
  case SYS_ppoll:
    return call(CLINUX_CALL_POLLS, CLINUX_TIME_OUT_TIMESPEC, 2);
  case SYS_pselect6:
    return call(CLINUX_CALL_WAITS, CLINUX_TIME_OUT_TIMESPEC, 4);
  case SYS_epoll_pwait:
    return call(CLINUX_CALL_EPOLLS, CLINUX_TIME_OUT_MILLISECONDS, 3);
  case SYS_epoll_pwait2:
    return call(CLINUX_CALL_EPOLLS, CLINUX_TIME_OUT_TIMESPEC, 3);
  case SYS_nanosleep:
    return call(CLINUX_CALL_WAITS, CLINUX_TIME_OUT_TIMESPEC, 0);
  case SYS_clock_nanosleep:
    return call(CLINUX_CALL_WAITS, CLINUX_TIME_OUT_CLOCK, 2);
  case SYS_futex:
    return call(CLINUX_CALL_FUTEX, CLINUX_TIME_OUT_NONE, 3);
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_accept:
  case SYS_accept4:
    return call(CLINUX_CALL_READS, CLINUX_TIME_OUT_NONE, 0);
  case SYS_rt_sigtimedwait:
    return call(CLINUX_CALL_TAKES, CLINUX_TIME_OUT_TIMESPEC, 2);
  case SYS_semtimedop:
    return call(CLINUX_CALL_TAKES, CLINUX_TIME_OUT_TIMESPEC, 3);
  case SYS_mq_timedreceive:
    return call(CLINUX_CALL_TAKES, CLINUX_TIME_OUT_REALTIME, 4);
  case SYS_wait4:
  case SYS_waitid:
  case SYS_msgrcv:
  case SYS_semop:
  case SYS_futex_waitv:
    return call(CLINUX_CALL_TAKES, CLINUX_TIME_OUT_NONE, 0);
  default:
    return call(CLINUX_CALL_RUNS, CLINUX_TIME_OUT_NONE, 0);
  }
}

int clinux_read_memory(pid_t thread, uint64_t address, void *room, size_t count) {
  struct iovec here = {.iov_base = room, .iov_len = count};
  struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
  ssize_t copied = process_vm_readv(thread, &here, 1, &there, 1, 0);
  if (copied == (ssize_t)count) {
    return 0;
  }
  if (copied >= 0) {
    errno = EFAULT;
  }
  return -1;
}

#if defined(__x86_64__)
static int64_t result_of(const struct user_regs_struct *registers) { return (int64_t)registers->rax; }
#define CAN_LOOK 1
#elif defined(__aarch64__)
static int64_t result_of(const struct user_regs_struct *registers) { return (int64_t)registers->regs[0]; }
#define CAN_LOOK 1
#else
#define CAN_LOOK 0
#endif

#if CAN_LOOK

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Without WEXITED: the end of a child must be left for the one who waits for it.
static int has_stopped(pid_t thread) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)thread, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid == thread;
}

// It stops as soon as it gets a processor: at once on an idle machine, so the first turns do not sleep.
static int await_stop(pid_t thread) {
  const struct timespec pause = {.tv_nsec = 50000};
  int64_t deadline = now() + CLINUX_LOOK_NANOSECONDS;
  for (int turn = 0; !has_stopped(thread); turn++) {
    if (now() > deadline) {
      return 0;
    }
    if (turn < 100) {
      sched_yield();
    } else {
      nanosleep(&pause, NULL);
    }
  }
  return 1;
}

// A frozen call that was cut off in its wait has one of the kernel's restart codes (ERESTARTSYS to
// ERESTARTNOHAND, ERESTART_RESTARTBLOCK) or EINTR for a result, and has taken nothing.
static int was_waiting(int64_t result) {
  return (result <= -512 && result >= -514) || result == -516 || result == -EINTR;
}

static enum clinux_look_outcome look_at(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) == -1) {
    return errno == ESRCH ? CLINUX_LOOK_GONE : CLINUX_LOOK_REFUSED;
  }
  enum clinux_look_outcome outcome = CLINUX_LOOK_REFUSED;
  if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0 && await_stop(thread)) {
    struct user_regs_struct registers;
    struct iovec room = {.iov_base = &registers, .iov_len = sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &room) == 0) {
      outcome = was_waiting(result_of(&registers)) ? CLINUX_LOOK_WAITS : CLINUX_LOOK_BUSY;
    }
  }
  ptrace(PTRACE_DETACH, thread, 0, 0);
  return outcome;
}

static void *look_at_all(void *argument) {
  struct clinux_look_list *list = argument;
  enum clinux_look_outcome outcome = CLINUX_LOOK_WAITS;
  for (size_t i = 0; i < list->count && outcome != CLINUX_LOOK_BUSY && outcome != CLINUX_LOOK_REFUSED; i++) {
    outcome = look_at(list->looks[i].thread);
    list->looks[i].outcome = outcome;
  }
  return NULL;
}

// A thread that has not stopped cannot be detached, and one that is killed while it is traced stays a zombie until
// its tracer waits for it. The end of the tracing thread solves both, so the looking is done by a thread of its own.
int clinux_look_at_threads(struct clinux_look_list *list) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t looker;
  int code = pthread_create(&looker, &attributes, look_at_all, list);
  pthread_attr_destroy(&attributes);
  if (code == 0) {
    code = pthread_join(looker, NULL);
  }
  errno = code;
  return code == 0 ? 0 : -1;
}

#else

int clinux_look_at_threads(struct clinux_look_list *list) {
  (void)list;
  return 0;
}

#endif
