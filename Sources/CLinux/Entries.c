#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <sys/ioctl.h>

ssize_t clinux_read_directory(int directory, void *room, size_t count) {
  return getdents64(directory, room, count);
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
