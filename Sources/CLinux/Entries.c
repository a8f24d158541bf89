#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

ssize_t clinux_read_entry(int directory, pid_t number, const char *name, void *room, size_t count) {
  char path[64];
  snprintf(path, sizeof path, "%d/%s", number, name);
  int file = openat(directory, path, O_RDONLY | O_CLOEXEC);
  if (file == -1) {
    return -1;
  }
  ssize_t size = read(file, room, count);
  int code = errno;
  close(file);
  errno = code;
  return size;
}

ssize_t clinux_list_numbers(int directory, int32_t *numbers, size_t room) {
  _Alignas(struct dirent64) char entries[4096];
  size_t found = 0;
  ssize_t size;
  if (lseek(directory, 0, SEEK_SET) == -1) {
    return -1;
  }
  while ((size = getdents64(directory, entries, sizeof entries)) > 0) {
    for (ssize_t place = 0; place < size;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + place);
      char *end;
      long number = strtol(entry->d_name, &end, 10);
      place += entry->d_reclen;
      if (*end != 0 || end == entry->d_name) {
        continue;
      }
      if (found < room) {
        numbers[found] = (int32_t)number;
      }
      found += 1;
    }
  }
  return size == -1 ? -1 : (ssize_t)found;
}

// PROCMAP_QUERY of linux/fs.h, since Linux 6.11; older headers do not have it.
struct mapping_query {
  uint64_t size, flags, address;
  uint64_t start, end, mapping_flags, page_size, offset, inode;
  uint32_t device_major, device_minor;
  uint32_t name_size, build_id_size;
  uint64_t name, build_id;
};

int clinux_mapping_by_query(int maps, uint64_t address) {
  const uint64_t shared = 8; // PROCMAP_QUERY_VMA_SHARED
  struct mapping_query query = {.size = sizeof query, .address = address};
  if (ioctl(maps, _IOWR('f', 17, struct mapping_query), &query) == -1) {
    return -1;
  }
  return (query.mapping_flags & shared) != 0;
}
