/* The lines of the program's last life, which Lull has kept and passed to this one (docs/KEPT-LINES.md). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { RESTORED_SECONDS = 60, FIRST_PASSED = 3, KEPT_LINE = 65536 };

static int variable(const char *name) {
  uint64_t value = lull_i_digits(secure_getenv(name), 0);
  return value <= INT_MAX ? (int)value : 0;
}

/// The text of a memfd; NULL for any other descriptor, which has the number by chance.
static char *read_text(int fd, size_t *size) {
  struct stat status;
  if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &status) < 0) return NULL;
  if (status.st_size <= 0 || status.st_size > LULL_I_KEPT * KEPT_LINE) return NULL;
  char *text = malloc((size_t)status.st_size + 1);
  ssize_t count = text ? pread(fd, text, (size_t)status.st_size, 0) : -1;
  if (count <= 0) {
    free(text);
    return NULL;
  }
  *size = (size_t)count;
  text[count] = 0;
  return text;
}

/// Reads two digits for each byte; false when the text is something else.
static bool read_state(const char *text, lull_restored *line) {
  size_t length = strlen(text), known = strspn(text, "0123456789abcdefABCDEF");
  char digits[3] = "";
  if (length % 2 || length > 2 * LULL_I_STATE || known != length) return false;
  unsigned char *bytes = malloc(length / 2 + 1);
  if (!bytes) return false;
  for (size_t place = 0; place < length; place += 2) {
    memcpy(digits, text + place, 2);
    bytes[place / 2] = (unsigned char)strtoul(digits, NULL, 16);
  }
  line->state = bytes;
  line->state_size = length / 2;
  return true;
}

/// The line that a text describes; NULL when it describes none.
static lull_line *read_line(lull_program *program, char *text, size_t length) {
  struct lull_i_message message;
  if (!lull_i_parse(text, length, &message) || strcmp(message.verb, "keep-line") != 0) return NULL;
  lull_line *made = lull_i_new_line(program, lull_i_text(&message, "name"));
  const char *state = lull_i_text(&message, "state");
  if (!made) return NULL;
  if (state && !read_state(state, &made->known)) {
    lull_i_free_line(made);
    return NULL;
  }
  made->tcp_keepalive = lull_i_seconds(&message, "tcpKeepalive", 0);
  made->known.type = lull_i_word(lull_i_text(&message, "type"), lull_i_line_types);
  made->known.offload = lull_i_word_set(lull_i_text(&message, "offload"), lull_i_offloads);
  return made;
}

int lull_i_read_restored(lull_program *program, char *text, size_t size) {
  lull_line **last = &program->restored;
  int count = 0;
  for (char *line = text, *feed; (feed = memchr(line, '\n', size - (size_t)(line - text))); line = feed + 1) {
    if (!(*last = read_line(program, line, (size_t)(feed - line)))) continue;
    last = &(*last)->next;
    count++;
  }
  return count;
}

/// Drops a restored line with its descriptor.
static void close_one(lull_line **place) {
  lull_line *one = *place;
  *place = one->next;
  if (one->known.fd >= 0) close(one->known.fd);
  lull_i_free_line(one);
}

void lull_i_free_restored(lull_program *program) {
  while (program->restored) close_one(&program->restored);
}

/// Gives each line its descriptor: a duplicate that no child inherits, in the place of the one that was
/// passed. A line without one is dropped.
static void take_descriptors(lull_program *program, int count) {
  lull_line **place = &program->restored;
  for (int passed = FIRST_PASSED; *place; passed++) {
    lull_restored *line = &(*place)->known;
    if (passed < FIRST_PASSED + count) {
      line->fd = fcntl(passed, F_DUPFD_CLOEXEC, FIRST_PASSED);
      close(passed);
    }
    if (line->fd >= 0) place = &(*place)->next;
    else close_one(place);
  }
}

void lull_i_inherit(lull_program *program) {
  int count = variable("LISTEN_FDS"), described = FIRST_PASSED + count;
  size_t size;
  if (variable("LISTEN_PID") != getpid() || count < 1 || count > LULL_I_KEPT) return;
  char *text = variable("LULL_LINES") == described ? read_text(described, &size) : NULL;
  if (!text) return;
  if (lull_i_read_restored(program, text, size) >= count) {
    // Neither a second program of this process nor a child finds them.
    close(described);
    take_descriptors(program, count);
    program->restored_until = lull_i_later(RESTORED_SECONDS * 1000);
  } else {
    lull_i_free_restored(program);
  }
  free(text);
}

const lull_restored *lull_restored_at(const lull_program *program, size_t index) {
  const lull_line *one = program->restored;
  while (one && index-- > 0) one = one->next;
  return one ? &one->known : NULL;
}

/// The place of a restored line; what it points to is NULL when the line is none.
static lull_line **find(lull_program *program, const lull_restored *restored) {
  lull_line **place = &program->restored;
  while (*place && &(*place)->known != restored) place = &(*place)->next;
  return place;
}

int lull_take(lull_program *program, const lull_restored *restored, lull_line **line) {
  lull_line **place = find(program, restored), *one = *place;
  *line = NULL;
  if (!one) return lull_i_fail(program, LULL_REFUSED, "the line was taken or closed before");
  lull_line *next = one->next;
  int code = lull_i_hold(one);
  if (code != LULL_OK) return code;
  *place = next;
  *line = one;
  return LULL_OK;
}

void lull_discard(lull_program *program, const lull_restored *restored) {
  lull_line *line, **place = find(program, restored);
  if (!*place) return;
  // lulld lets go of its own duplicate when the line is declared.
  if (lull_take(program, restored, &line) == LULL_OK) {
    int fd = line->known.fd;
    lull_release(line);
    close(fd);
  } else {
    close_one(place);
  }
}
