#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

// What such a call has moved by then is all that it moves. A call that has moved nothing yet begins again,
// but that cannot be told from outside.
static const char *transfer(long number, const uint64_t *arguments) {
  switch (number) {
  case SYS_write:
  case SYS_pwrite64:
    return "write";
  case SYS_writev:
  case SYS_pwritev:
  case SYS_pwritev2:
    return "writev";
  case SYS_sendto:
    return "send";
  case SYS_sendmsg:
    return "sendmsg";
  case SYS_sendmmsg:
    return "sendmmsg";
  case SYS_sendfile:
    return "sendfile";
  case SYS_splice:
    return "splice";
  case SYS_tee:
    return "tee";
  case SYS_vmsplice:
    return "vmsplice";
  case SYS_copy_file_range:
    return "copy_file_range";
  case SYS_recvfrom:
    return arguments[3] & MSG_WAITALL ? "recv with MSG_WAITALL" : NULL;
  case SYS_recvmsg:
    return arguments[2] & MSG_WAITALL ? "recvmsg with MSG_WAITALL" : NULL;
  case SYS_recvmmsg:
    return arguments[2] < 2 || arguments[3] & (MSG_WAITFORONE | MSG_DONTWAIT) ? NULL : "recvmmsg";
  default:
    return NULL;
  }
}

const char *clinux_cut_short(long number, const uint64_t *arguments) {
  switch (number) {
  // They return EINTR.
  case SYS_semop:
    return "semop";
  case SYS_semtimedop:
    return "semtimedop";
  // A thread that is seen in them waits for the child of vfork(2), deaf to SIGSTOP.
#ifdef SYS_vfork
  case SYS_vfork:
#endif
  case SYS_clone:
  case SYS_clone3:
    return "vfork";
  default:
    return transfer(number, arguments);
  }
}
