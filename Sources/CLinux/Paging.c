#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

// struct pm_scan_arg of Linux 6.7, which older headers do not have.
struct scan_argument {
  uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
  uint64_t inverted, all_of, any_of, returned;
};

int clinux_scan_pages(int pagemap, uint64_t start, uint64_t *end, struct clinux_page_region *regions,
                      size_t count) {
  const uint64_t wanted = CLINUX_PAGE_PRESENT | CLINUX_PAGE_SWAPPED;
  struct scan_argument argument = {
      .size = sizeof argument,
      .start = start,
      .end = *end,
      .regions = (uint64_t)(uintptr_t)regions,
      .region_count = count,
      .any_of = wanted,
      .returned = wanted,
  };
  int found = ioctl(pagemap, _IOWR('f', 16, struct scan_argument), &argument);
  *end = argument.walk_end;
  return found;
}

ssize_t clinux_page_out(int pidfd, const struct iovec *ranges, size_t count) {
  return syscall(SYS_process_madvise, pidfd, ranges, count, MADV_PAGEOUT, 0);
}
