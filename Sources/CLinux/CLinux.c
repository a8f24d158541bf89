#define _GNU_SOURCE
#include "CLinux.h"

#include <string.h>

const char *clinux_error_name(int code) {
  return strerrorname_np(code);
}
