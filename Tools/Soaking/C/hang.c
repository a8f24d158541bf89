// `hang PID`: makes a daemon loop for ever in the middle of a turn, as a defect would: it is stopped where it
// answers on a socket, and its next instruction becomes a jump to itself. Prints `hung` when it is done.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <elf.h>

static int fail(const char *what) {
  fprintf(stderr, "hang: %s: %s\n", what, strerror(errno));
  return 1;
}

#if defined(__x86_64__)
enum { jump = 0xfeeb, jump_bits = 0xffff };
static unsigned long place(const struct user_regs_struct *registers) { return registers->rip; }
static unsigned long call(const struct user_regs_struct *registers) { return registers->orig_rax; }
#elif defined(__aarch64__)
enum { jump = 0x14000000, jump_bits = -1 };
static unsigned long place(const struct user_regs_struct *registers) { return registers->pc; }
static unsigned long call(const struct user_regs_struct *registers) { return registers->regs[8]; }
#endif

int main(int count, char **words) {
  struct user_regs_struct registers;
  struct iovec part = {&registers, sizeof registers};
  pid_t process = count == 2 ? atoi(words[1]) : 0;
  int status;
  if (ptrace(PTRACE_ATTACH, process, 0, 0) < 0 || waitpid(process, &status, 0) < 0)
    return fail("cannot attach");
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, process, 0, 0) < 0 || waitpid(process, &status, 0) < 0)
      return fail("cannot go on");
    if (!WIFSTOPPED(status)) return fail("it has ended");
    if (ptrace(PTRACE_GETREGSET, process, NT_PRSTATUS, &part) < 0) return fail("cannot read its registers");
    if (WSTOPSIG(status) == SIGTRAP && call(&registers) == SYS_sendmsg) break;
  }
  errno = 0;
  long word = ptrace(PTRACE_PEEKTEXT, process, place(&registers), 0);
  word = (word & ~(long)(unsigned)jump_bits) | jump;
  if (ptrace(PTRACE_POKETEXT, process, place(&registers), word) < 0) return fail("cannot write to it");
  if (ptrace(PTRACE_DETACH, process, 0, 0) < 0) return fail("cannot let it go");
  puts("hung");
  return 0;
}
