// The cost of a process: its memory and its processor time.
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double bench_private_memory(pid_t process) {
  char path[PATH_MAX], line[256];
  unsigned long kilobytes, sum = 0;
  bench_path(path, "/proc/%d/smaps_rollup", process);
  FILE *file = fopen(path, "re");
  if (!file) bench_fail("cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "Private_%*[^:]: %lu", &kilobytes) == 1) sum += kilobytes;
  fclose(file);
  return (double)sum * 1024;
}

double bench_processor_time(pid_t process) {
  char path[PATH_MAX], text[128];
  double sum = 0;
  bench_path(path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (!threads) bench_fail("cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (*entry->d_name == '.') continue;
    bench_path(path, "/proc/%d/task/%s/schedstat", process, entry->d_name);
    int file = bench_open(path, O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    if (length < 0) bench_fail("cannot read %s: %s", path, strerror(errno));
    text[length] = 0;
    sum += strtod(text, NULL) / 1e9;
    close(file);
  }
  closedir(threads);
  return sum;
}
