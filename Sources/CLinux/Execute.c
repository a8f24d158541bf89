#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

static int mark(const int *numbers, int count, int flags) {
  for (int i = 0; i < count; i++) {
    if (fcntl(numbers[i], F_SETFD, flags) == -1) {
      return -1;
    }
  }
  return 0;
}

int clinux_execute(
    const char *path, char *const *arguments, char *const *environment, const int *kept, int count) {
  // A descriptor that was passed to this process is not closed on exec by itself.
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == -1) {
    return -1;
  }
  if (mark(kept, count, 0) == 0) {
    execve(path, arguments, environment);
  }
  int code = errno;
  mark(kept, count, FD_CLOEXEC);
  errno = code;
  return -1;
}
