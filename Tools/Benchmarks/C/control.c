// A client of docs/PROTOCOL.md, written by hand: lines out, lines in, fields of a line.
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool bench_control_try_open(struct bench_control *control, const char *runtime) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/control", runtime);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) bench_fail("%s/control is too long", runtime);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) bench_fail("cannot make a Unix socket: %s", strerror(errno));
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
    close(descriptor);
    return false;
  }
  *control = (struct bench_control){.socket = descriptor};
  return true;
}

void bench_control_send(struct bench_control *control, int descriptor, const char *format, ...) {
  char line[BENCH_LINE];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= BENCH_LINE - 1) bench_fail("a request is too long");
  line[length++] = '\n';
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } ancillary = {0};
  struct iovec part = {line, (size_t)length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    ancillary.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&ancillary.header), &descriptor, sizeof descriptor);
    message.msg_control = ancillary.bytes, message.msg_controllen = sizeof ancillary.bytes;
  }
  if (sendmsg(control->socket, &message, MSG_NOSIGNAL) != length)
    bench_fail("cannot send \"%.*s\": %s", length - 1, line, strerror(errno));
}

bool bench_control_line(struct bench_control *control, bool wait, char line[BENCH_LINE]) {
  char *end;
  while (!(end = memchr(control->bytes, '\n', control->length))) {
    size_t room = sizeof control->bytes - control->length;
    if (room == 0) bench_fail("the daemon sent a line that is too long");
    ssize_t got = recv(control->socket, control->bytes + control->length, room, wait ? 0 : MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && !wait) return false;
    if (got == 0 && !wait) _exit(0);  // the daemon has ended, and with it the measurement
    if (got <= 0) bench_fail("the daemon closed the connection");
    control->length += (size_t)got;
  }
  size_t length = (size_t)(end - control->bytes);
  memcpy(line, control->bytes, length);
  line[length] = 0;
  control->length -= length + 1;
  memmove(control->bytes, end + 1, control->length);
  return true;
}

bool bench_starts_with(const char *line, const char *word) {
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == 0);
}

void bench_control_reply(struct bench_control *control, char line[BENCH_LINE]) {
  do bench_control_line(control, true, line);
  while (bench_starts_with(line, "event"));
  if (bench_starts_with(line, "error")) bench_fail("the daemon refused: %s", line);
}

bool bench_field(const char *line, const char *key, char value[BENCH_LINE]) {
  size_t length = strlen(key);
  bool quoted = false;
  for (const char *at = line; *at; at++) {
    if (*at == '\\' && quoted && at[1]) at++;
    else if (*at == '"') quoted = !quoted;
    else if (*at == ' ' && !quoted && strncmp(at + 1, key, length) == 0 && at[1 + length] == '=') {
      const char *from = at + length + 2;
      bool bare = *from != '"';
      size_t size = strcspn(bare ? from : ++from, bare ? " " : "\"");
      memcpy(value, from, size);
      value[size] = 0;
      return true;
    }
  }
  return false;
}
