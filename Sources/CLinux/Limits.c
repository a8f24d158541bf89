#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/resource.h>

int clinux_set_limit(pid_t pid, int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return prlimit(pid, (enum __rlimit_resource)resource, &limit, NULL);
}
