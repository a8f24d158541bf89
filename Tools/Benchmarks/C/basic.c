#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Noreturn void bench_fail(const char *format, ...) {
  va_list arguments;
  fputs("lull-bench: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

uint64_t bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * BENCH_SECOND + (uint64_t)now.tv_nsec;
}

void bench_pause(uint64_t nanoseconds) {
  struct timespec left = {(time_t)(nanoseconds / BENCH_SECOND), (long)(nanoseconds % BENCH_SECOND)};
  while (nanosleep(&left, &left) < 0 && errno == EINTR) continue;
}

uint64_t bench_random(uint64_t *state, uint64_t limit) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state % limit;
}

void bench_path(char path[PATH_MAX], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(path, PATH_MAX, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= PATH_MAX) bench_fail("a path is too long");
}

int bench_open(const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC);
  if (descriptor < 0) bench_fail("cannot open %s: %s", path, strerror(errno));
  return descriptor;
}

void bench_write(int descriptor, const char *text) {
  size_t length = strlen(text);
  if (pwrite(descriptor, text, length, 0) != (ssize_t)length)
    bench_fail("cannot write \"%s\": %s", text, strerror(errno));
}

unsigned bench_number(const char *text, unsigned least, unsigned most) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  if (errno || *text < '0' || *text > '9' || *end || number < least || number > most)
    bench_fail("\"%s\" is not a number from %u to %u", text, least, most);
  return (unsigned)number;
}

uint64_t bench_random_moment(uint64_t *seed) {
  enum { hot = 100 * 1000 };  // nanoseconds
  uint64_t pause = BENCH_MILLISECOND / 2 + bench_random(seed, 2 * BENCH_MILLISECOND);
  uint64_t start = bench_now() + pause;
  bench_pause(pause - hot);
  while (bench_now() < start) continue;
  return bench_now();
}
