#define _GNU_SOURCE
#include "Paging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

// PAGEMAP_SCAN (Linux 6.7), which the headers of older systems leave out.
struct page_region {
  uint64_t start, end, categories;
};
struct scan_argument {
  uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
  uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_REQUEST _IOWR('f', 16, struct scan_argument)
#define PAGE_PRESENT (1 << 3)
#define PAGE_SWAPPED (1 << 4)

// Without PAGEMAP_SCAN a mapping is walked in steps, and one that is larger than this is left alone.
#define LARGEST_UNSCANNED (1ULL << 36)

struct work {
  const int *is_stopped;
  int pidfd, pagemap;
  uint64_t page;
  const struct history *before;
  struct history *after;
  // The chunk that is being gathered, and its pages that are to go.
  uint64_t chunk, pages;
};

static int is_stopped(const struct work *work) {
  return __atomic_load_n(work->is_stopped, __ATOMIC_ACQUIRE);
}

static int is_alive(int pidfd) {
  return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 || errno == EPERM;
}

// The start time: with the number it names a process for ever.
static int start_time(pid_t pid, uint64_t *start) {
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd == -1) {
    return -1;
  }
  ssize_t count = read(fd, text, sizeof text - 1);
  close(fd);
  if (count <= 0) {
    return -1;
  }
  text[count] = '\0';
  char *field = strrchr(text, ')');
  for (int number = 2; field != NULL && number < 22; number++) {
    field = strchr(field + 1, ' ');
  }
  if (field == NULL) {
    return -1;
  }
  *start = strtoull(field + 1, NULL, 10);
  return 0;
}

static int64_t scan(int pagemap, uint64_t start, uint64_t end, struct page_region *regions, size_t count,
                    uint64_t *walked) {
  struct scan_argument argument = {
      .size = sizeof argument,
      .start = start,
      .end = end,
      .regions = (uint64_t)(uintptr_t)regions,
      .region_count = count,
      .any_of = PAGE_PRESENT | PAGE_SWAPPED,
      .returned = PAGE_PRESENT | PAGE_SWAPPED,
  };
  int found = ioctl(pagemap, SCAN_REQUEST, &argument);
  *walked = argument.walk_end;
  return found;
}

static uint64_t pages_between(const struct work *work, uint64_t start, uint64_t end) {
  uint64_t base = work->chunk * CHUNK_PAGES * work->page;
  uint64_t first = (start - base) / work->page, last = (end - base) / work->page;
  uint64_t below = last >= CHUNK_PAGES ? ~0ULL : (1ULL << last) - 1;
  return below & ~((1ULL << first) - 1);
}

// Pages that another process maps too stay where they are, and pages for which there is no room.
static uint64_t still_present(struct work *work) {
  uint64_t base = work->chunk * CHUNK_PAGES * work->page, walked = base, present = 0;
  uint64_t end = base + CHUNK_PAGES * work->page;
  struct page_region regions[16];
  while (walked < end) {
    uint64_t from = walked;
    int64_t count = scan(work->pagemap, from, end, regions, 16, &walked);
    if (count < 0 || walked <= from) {
      return ~0ULL;
    }
    for (int64_t index = 0; index < count; index++) {
      if (regions[index].categories & PAGE_PRESENT) {
        present |= pages_between(work, regions[index].start, regions[index].end);
      }
    }
  }
  return present;
}

static int page_out(struct work *work, const struct iovec *ranges, size_t count) {
  long done = syscall(SYS_process_madvise, work->pidfd, ranges, count, MADV_PAGEOUT, 0);
  // A range that cannot go, such as that of a device, is no failure of the whole.
  return done == -1 && (errno == EPERM || errno == ENOSYS || errno == ESRCH) ? -1 : 0;
}

static int finish_chunk(struct work *work) {
  struct iovec ranges[CHUNK_PAGES / 2];
  size_t count = 0;
  uint64_t base = work->chunk * CHUNK_PAGES * work->page;
  for (unsigned place = 0; place < CHUNK_PAGES; place++) {
    if (!(work->pages >> place & 1)) {
      continue;
    }
    unsigned end = place + 1;
    while (end < CHUNK_PAGES && work->pages >> end & 1) {
      end++;
    }
    ranges[count++] = (struct iovec){(void *)(uintptr_t)(base + place * work->page), // NOLINT
                                     (end - place) * work->page};
    place = end;
  }
  if (count == 0) {
    return 0;
  }
  if (page_out(work, ranges, count) == -1) {
    return -1;
  }
  uint64_t gone = work->pages & ~still_present(work);
  work->pages = 0;
  return gone == 0 ? 0 : history_add(work->after, work->chunk, gone);
}

// A page is given back once. One that was given back and is there again came back at a wake, and belongs to
// what the program works with.
static int take_region(struct work *work, const struct page_region *region) {
  uint64_t size = CHUNK_PAGES * work->page;
  for (uint64_t start = region->start; start < region->end;) {
    uint64_t chunk = start / size;
    uint64_t end = (chunk + 1) * size < region->end ? (chunk + 1) * size : region->end;
    if (chunk != work->chunk) {
      if (finish_chunk(work) == -1) {
        return -1;
      }
      work->chunk = chunk;
      if (is_stopped(work)) {
        return 1;
      }
    }
    uint64_t pages = pages_between(work, start, end), known = history_of(work->before, chunk);
    uint64_t given = region->categories & PAGE_PRESENT ? pages & known : pages;
    work->pages |= pages & ~given;
    if (given != 0 && history_add(work->after, chunk, given) == -1) {
      return -1;
    }
    start = end;
  }
  return 0;
}

static int take_mapping(struct work *work, uint64_t start, uint64_t end) {
  struct page_region regions[64];
  while (start < end) {
    uint64_t walked = start;
    int64_t count = scan(work->pagemap, start, end, regions, 64, &walked);
    if (count < 0 || walked <= start) {
      return 0;
    }
    for (int64_t index = 0; index < count; index++) {
      int code = take_region(work, &regions[index]);
      if (code != 0) {
        return code;
      }
    }
    start = walked;
    if (is_stopped(work)) {
      return 1;
    }
  }
  return 0;
}

// Before Linux 6.7 nobody tells what came back, so a mapping goes once.
static int take_mapping_unscanned(struct work *work, uint64_t start, uint64_t end) {
  uint64_t size = CHUNK_PAGES * work->page;
  if (end - start > LARGEST_UNSCANNED) {
    return 0;
  }
  for (; start < end; start += size) {
    struct iovec range = {(void *)(uintptr_t)start, end - start < size ? end - start : size}; // NOLINT
    if (page_out(work, &range, 1) == -1) {
      return -1;
    }
    if (is_stopped(work)) {
      return 1;
    }
  }
  return 0;
}

// Shared files stay: their pages would be written to the disk, and others read them too.
static int may_go(const char *permissions, uint64_t inode, const char *name) {
  if (permissions[0] != 'r' && permissions[1] != 'w') {
    return 0;
  }
  if (permissions[3] == 'p') {
    return inode != 0 || name[0] != '[' || strncmp(name, "[v", 2) != 0;
  }
  return strncmp(name, "/memfd:", 7) == 0 || strncmp(name, "/dev/zero", 9) == 0 ||
         strncmp(name, "/SYSV", 5) == 0;
}

static int take_mappings(struct work *work, FILE *maps, int is_scanned) {
  char *line = NULL;
  size_t room = 0;
  int code = 0;
  while (code == 0 && getline(&line, &room, maps) > 0) {
    unsigned long long start = 0, end = 0, inode = 0;
    char permissions[5] = "";
    int name = 0;
    if (sscanf(line, "%llx-%llx %4s %*x %*x:%*x %llu %n", &start, &end, permissions, &inode, &name) < 4 ||
        !may_go(permissions, inode, line + name)) {
      continue;
    }
    code = is_scanned ? take_mapping(work, start, end) : take_mapping_unscanned(work, start, end);
  }
  if (code >= 0 && is_scanned && finish_chunk(work) == -1) {
    code = -1;
  }
  free(line);
  return code;
}

int clinux_page_out(pid_t pid, struct histories *histories, const int *is_stopped) {
  uint64_t start = 0;
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/maps", pid);
  FILE *maps = fopen(name, "re");
  snprintf(name, sizeof name, "/proc/%d/pagemap", pid);
  int pagemap = open(name, O_RDONLY | O_CLOEXEC);
  int code = 0;
  // What was opened by its number is this process's, if it still has the number.
  if (pidfd != -1 && maps != NULL && start_time(pid, &start) == 0 && is_alive(pidfd)) {
    struct history *before = history_find(histories, pid, start);
    struct page_region region;
    uint64_t walked = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    int is_scanned = pagemap != -1 && scan(pagemap, 0, page, &region, 1, &walked) >= 0;
    struct history after = {.pid = pid, .start = start};
    struct work work = {is_stopped, pidfd, pagemap, page, before, &after, ~0ULL, 0};
    if (is_scanned || before == NULL || !before->is_unscanned) {
      code = take_mappings(&work, maps, is_scanned);
      after.is_unscanned = !is_scanned && code == 0;
      // What the stopped pass did not come to is as it was.
      if (code != 0 && is_scanned) {
        history_append_rest(&after, before, work.chunk);
      }
      if (history_replace(histories, &after) == -1) {
        history_free(&after);
      }
    }
  } else if (pidfd != -1 && maps == NULL && (errno == EACCES || errno == EPERM)) {
    code = -1;
  }
  if (maps != NULL) {
    fclose(maps);
  }
  if (pagemap != -1) {
    close(pagemap);
  }
  if (pidfd != -1) {
    close(pidfd);
  }
  return code;
}

void clinux_forget_ended(struct histories *histories) {
  size_t kept = 0;
  for (size_t index = 0; index < histories->count; index++) {
    uint64_t start = 0;
    struct history *history = &histories->all[index];
    if (start_time(history->pid, &start) == 0 && start == history->start) {
      histories->all[kept++] = *history;
    } else {
      history_free(history);
    }
  }
  histories->count = kept;
}
