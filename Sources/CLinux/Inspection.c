#define _GNU_SOURCE
#include "CLinux.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

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

int clinux_trace(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) == -1) {
    return -1;
  }
  ptrace(PTRACE_INTERRUPT, thread, 0, 0);
  return 0;
}

int clinux_trace_stopped(pid_t thread) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)thread, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid == thread;
}

int clinux_trace_result(pid_t thread, int64_t *result) {
#if defined(__x86_64__) || defined(__aarch64__)
  struct user_regs_struct registers;
  struct iovec room = {.iov_base = &registers, .iov_len = sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &room) == -1) {
    return -1;
  }
#if defined(__x86_64__)
  *result = (int64_t)registers.rax;
#else
  *result = (int64_t)registers.regs[0];
#endif
  return 0;
#else
  (void)thread, (void)result;
  errno = ENOSYS;
  return -1;
#endif
}

int clinux_trace_end(pid_t thread) {
  return ptrace(PTRACE_DETACH, thread, 0, 0) == -1 ? -1 : 0;
}
