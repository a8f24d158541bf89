#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "pcm_lull.h"

/* As in Lull's other programs: in $LULL_RUNTIME_DIR, else in /run/lull for root, else in the session's
   directory, else in a directory in /tmp. */
static int socket_path(char *path, size_t size, const char *runtime_dir) {
  const char *given = runtime_dir ? runtime_dir : secure_getenv("LULL_RUNTIME_DIR");
  const char *session = secure_getenv("XDG_RUNTIME_DIR");
  int count;
  if (given && *given) {
    /* Programs in other folders would look for the daemon elsewhere. */
    if (*given != '/') return -EINVAL;
    count = snprintf(path, size, "%s/control", given);
  } else if (geteuid() == 0) {
    count = snprintf(path, size, "/run/lull/control");
  } else if (session && *session == '/') {
    count = snprintf(path, size, "%s/lull/control", session);
  } else {
    count = snprintf(path, size, "/tmp/lull-%u/control", (unsigned)geteuid());
  }
  return count < (int)size ? 0 : -ENAMETOOLONG;
}

/* Accepts only the user's own daemon, or root's in /run/lull, which only root can make: in /tmp any user
   could have made the directory first. */
static int check_owner(int socket, const char *path) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  if (peer.uid == geteuid()) return 0;
  return peer.uid == 0 && strncmp(path, "/run/lull/", strlen("/run/lull/")) == 0 ? 0 : -EPERM;
}

int lull_control_connect(struct lull_control *control, const char *runtime_dir) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct timeval patience = {.tv_sec = 5};
  int error = socket_path(address.sun_path, sizeof address.sun_path, runtime_dir);
  if (error < 0) return error;
  control->count = 0;
  control->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (control->socket < 0) return -errno;
  if (setsockopt(control->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
      setsockopt(control->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ||
      connect(control->socket, (struct sockaddr *)&address, sizeof address) < 0) {
    error = -errno;
  } else {
    error = check_owner(control->socket, address.sun_path);
  }
  if (error < 0) lull_control_close(control);
  return error;
}

void lull_control_close(struct lull_control *control) {
  if (control->socket >= 0) close(control->socket);
  control->socket = -1;
  control->count = 0;
}

static int send_line(struct lull_control *control, const char *line, int descriptor) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } room = {0};
  struct iovec text = {.iov_base = (void *)line, .iov_len = strlen(line)};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  while (text.iov_len > 0) {
    ssize_t count = sendmsg(control->socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? -ETIMEDOUT : -ECONNRESET;
    text.iov_base = (char *)text.iov_base + count;
    text.iov_len -= (size_t)count;
    /* The descriptor was sent with the first byte. */
    message.msg_control = NULL;
    message.msg_controllen = 0;
  }
  return 0;
}

/* Takes the first whole text line out of the received bytes. */
static bool take_line(struct lull_control *control, char *line, size_t size) {
  char *end = memchr(control->line, '\n', control->count);
  if (!end) return false;
  size_t length = (size_t)(end - control->line);
  size_t copied = length < size ? length : size - 1;
  memcpy(line, control->line, copied);
  line[copied] = 0;
  control->count -= length + 1;
  memmove(control->line, end + 1, control->count);
  return true;
}

static int receive(struct lull_control *control, int flags) {
  if (control->count == sizeof control->line) return -EPROTO;
  size_t room = sizeof control->line - control->count;
  ssize_t count = recv(control->socket, control->line + control->count, room, flags);
  if (count > 0) control->count += (size_t)count;
  if (count > 0 || (count < 0 && errno == EINTR)) return 1;
  if (count < 0 && errno == EAGAIN) return 0;
  return -ECONNRESET;
}

static int refusal(const char *line) {
  if (strstr(line, "recording-denied")) {
    SNDERR(LULL_DENIED);
    return -EACCES;
  }
  const char *message = strstr(line, "message=");
  SNDERR("lull: lulld refused: %s", message ? message + strlen("message=") : line);
  if (strstr(line, "code=wrong-mode")) return -EACCES;
  if (strstr(line, "code=too-many")) return -EBUSY;
  return strstr(line, "code=bad-value") ? -EINVAL : -EIO;
}

int lull_control_ask(struct lull_control *control, const char *line, int descriptor, char *reply,
                     size_t size) {
  char answer[sizeof control->line];
  if (control->socket < 0) return -ECONNRESET;
  int error = send_line(control, line, descriptor);
  while (error == 0) {
    if (take_line(control, answer, sizeof answer)) {
      if (strncmp(answer, "event", 5) == 0 || strncmp(answer, "item", 4) == 0) continue;
      if (strncmp(answer, "error", 5) == 0) return refusal(answer);
      if (strncmp(answer, "ok", 2) != 0) return -EPROTO;
      snprintf(reply, size, "%s", answer + 2);
      return 0;
    }
    int received = receive(control, 0);
    error = received == 0 ? -ETIMEDOUT : received < 0 ? received : 0;
  }
  return error;
}

bool lull_control_attend(struct lull_control *control) {
  char line[sizeof control->line];
  if (control->socket < 0) return false;
  for (;;) {
    int received = receive(control, MSG_DONTWAIT);
    if (received < 0) return false;
    while (take_line(control, line, sizeof line)) continue;
    if (received == 0) return true;
  }
}
