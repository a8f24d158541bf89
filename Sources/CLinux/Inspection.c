#define _GNU_SOURCE
#include "CLinux.h"
#include "Threads.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

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

// Without WEXITED: the end of a child is left for whoever waits for the child.
static int has_stopped(pid_t thread) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)thread, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid == thread;
}

// A thread stops as soon as it gets a processor: at once on an idle machine, so the first turns do not sleep.
static int await_stop(pid_t thread, int64_t deadline) {
  const struct timespec pause = {.tv_nsec = 50000};
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

static enum clinux_inspection_outcome begin_inspection(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) == -1) {
    return errno == ESRCH ? CLINUX_INSPECTION_GONE : CLINUX_INSPECTION_REFUSED;
  }
  ptrace(PTRACE_INTERRUPT, thread, 0, 0);
  return CLINUX_INSPECTION_WAITS;
}

static enum clinux_inspection_outcome finish_inspection(pid_t thread, int64_t deadline) {
  enum clinux_inspection_outcome outcome = CLINUX_INSPECTION_REFUSED;
  if (await_stop(thread, deadline)) {
    struct user_regs_struct registers;
    struct iovec room = {.iov_base = &registers, .iov_len = sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &room) == 0) {
      outcome = was_waiting(result_of(&registers)) ? CLINUX_INSPECTION_WAITS : CLINUX_INSPECTION_BUSY;
    }
  }
  ptrace(PTRACE_DETACH, thread, 0, 0);
  return outcome;
}

// All threads are told to stop before the first is waited for, so that they stop side by side, within one
// time-out. After a refusal the end of this thread lets the rest go.
static void *look_at_all(void *argument) {
  struct clinux_inspection_list *list = argument;
  int64_t deadline = now() + CLINUX_INSPECTION_NANOSECONDS;
  enum clinux_inspection_outcome outcome = CLINUX_INSPECTION_WAITS;
  for (size_t i = 0; i < list->count && outcome != CLINUX_INSPECTION_REFUSED; i++) {
    outcome = list->inspections[i].outcome = begin_inspection(list->inspections[i].thread);
  }
  for (size_t i = 0; i < list->count && outcome != CLINUX_INSPECTION_REFUSED; i++) {
    if (list->inspections[i].outcome == CLINUX_INSPECTION_WAITS) {
      outcome = list->inspections[i].outcome = finish_inspection(list->inspections[i].thread, deadline);
    }
  }
  return NULL;
}

// A thread that has not stopped cannot be detached, and a thread that is killed while it is traced stays a
// zombie until its tracer waits for it. The end of the tracing thread solves both, so a thread of its own
// does the tracing.
int clinux_inspect_threads(struct clinux_inspection_list *list) {
  pthread_t looker;
  int code = start_thread(&looker, look_at_all, list);
  if (code == 0) {
    code = pthread_join(looker, NULL);
  }
  errno = code;
  return code == 0 ? 0 : -1;
}

#else

int clinux_inspect_threads(struct clinux_inspection_list *list) {
  (void)list;
  return 0;
}

#endif
