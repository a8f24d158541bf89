#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The value behind a key at the beginning of a text line, from `*place` on. The keys stand in the order in
// which they are asked for.
static uint64_t value_of(const char **place, const char *key, int base) {
  const char *found = strstr(*place, key);
  if (found == NULL) {
    return 0;
  }
  *place = found;
  return strtoull(found + strlen(key), NULL, base);
}

int clinux_thread_signals(pid_t pid, pid_t thread, struct clinux_signals *signals) {
  char text[4096];
  snprintf(text, sizeof text, "/proc/%d/task/%d/status", pid, thread);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file == -1) {
    return -1;
  }
  // The kernel writes the file in one piece, well below a page.
  ssize_t count = read(file, text, sizeof text - 1);
  int code = errno;
  close(file);
  errno = code;
  if (count < 0) {
    return -1;
  }
  text[count] = 0;
  const char *place = text;
  signals->queued = value_of(&place, "\nSigQ:", 10);
  signals->pending = value_of(&place, "\nSigPnd:", 16) | value_of(&place, "\nShdPnd:", 16);
  signals->blocked = value_of(&place, "\nSigBlk:", 16);
  signals->ignored = value_of(&place, "\nSigIgn:", 16);
  signals->caught = value_of(&place, "\nSigCgt:", 16);
  return 0;
}
