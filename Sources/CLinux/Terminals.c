#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int clinux_pipe(int ends[2]) {
  return pipe2(ends, O_CLOEXEC);
}

int clinux_open_terminal(int *terminal) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master == -1) {
    return -1;
  }
  char name[64];
  *terminal = -1;
  if (unlockpt(master) == 0 && ptsname_r(master, name, sizeof name) == 0) {
    *terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  if (*terminal == -1) {
    close(master);
    return -1;
  }
  return master;
}
