#define _GNU_SOURCE
#include "CLinux.h"

#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

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
  int options = WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL;
  if (waitid(P_PID, (id_t)thread, &info, options) == -1) return -1;
  return info.si_pid == 0 ? 0 : info.si_code == CLD_TRAPPED ? 1 : -1;
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

int clinux_open_tracefs(void) {
  int root = -1, context = (int)syscall(SYS_fsopen, "tracefs", 1 /* FSOPEN_CLOEXEC */);
  if (context != -1 && syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, 0, 0, 0) == 0) {
    root = (int)syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
  }
  int error = errno;
  close(context);
  errno = error;
  return root;
}

int clinux_watch_tracepoint(uint64_t id, int processor, const char *filter) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_TRACEPOINT, .size = sizeof attributes, .config = id, .sample_period = 1,
      .wakeup_events = 1};
  int event = (int)syscall(SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);
  if (event != -1 && ioctl(event, PERF_EVENT_IOC_SET_FILTER, filter) == -1) {
    int error = errno;
    close(event);
    errno = error;
    return -1;
  }
  return event;
}

int clinux_map_events(int descriptor, void **memory, size_t *count) {
  *memory = mmap(NULL, *count = 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, descriptor, 0);
  return *memory == MAP_FAILED ? -1 : 0;
}
