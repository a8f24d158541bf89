/* The lines of the program's last life, which Lull has kept and passed to this one (docs/KEPT-LINES.md). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { RESTORED_SECONDS = 60, FIRST_PASSED = 3 };

/// A whole number of the environment; -1 when it is none.
static long variable(const char *name) {
  const char *text = secure_getenv(name);
  char *end;
  if (!text || *text < '0' || *text > '9') return -1;
  long value = strtol(text, &end, 10);
  return *end == 0 && value <= 1 << 30 ? value : -1;
}

/// The text of a memfd; NULL for any other descriptor, which has the number by chance.
static char *read_text(int fd, size_t *size) {
  struct stat status;
  if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &status) < 0) return NULL;
  if (status.st_size <= 0 || status.st_size > LULL_I_KEPT * LULL_I_KEPT_LINE) return NULL;
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

/// Reads two digits for each byte into `bytes`, which has room; false when the text is something else.
static bool read_bytes(const char *text, unsigned char *bytes, size_t *count) {
  size_t length = strlen(text);
  char digits[3] = "";
  if (length % 2 || length > 2 * LULL_I_STATE || strspn(text, "0123456789abcdefABCDEF") != length) return false;
  for (size_t place = 0; place < length; place += 2) {
    memcpy(digits, text + place, 2);
    bytes[place / 2] = (unsigned char)strtoul(digits, NULL, 16);
  }
  *count = length / 2;
  return true;
}

/// The line that a text describes; NULL when it describes none.
static struct lull_i_restored *read_line(char *text, size_t length) {
  struct lull_i_message message;
  if (!lull_i_parse(text, length, &message) || strcmp(message.verb, "keep-line") != 0) return NULL;
  struct lull_i_restored *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  const char *name = lull_i_text(&message, "name"), *state = lull_i_text(&message, "state");
  if ((name && strlen(name) > LULL_I_NAME) ||
      (state && !read_bytes(state, made->state, &made->line.state_size))) {
    free(made);
    return NULL;
  }
  lull_i_seconds(&message, "tcpKeepalive", &made->tcp_keepalive);
  made->line.fd = -1;
  made->line.name = name ? strcpy(made->name, name) : NULL;
  made->line.type = lull_i_word(lull_i_text(&message, "type"), lull_i_line_types);
  made->line.offload = lull_i_word_set(lull_i_text(&message, "offload"), lull_i_offloads);
  made->line.state = made->state;
  return made;
}

int lull_i_read_restored(lull_program *program, char *text, size_t size) {
  struct lull_i_restored **last = &program->restored;
  int count = 0;
  for (char *line = text, *feed; (feed = memchr(line, '\n', size - (size_t)(line - text))); line = feed + 1) {
    if (!(*last = read_line(line, (size_t)(feed - line)))) continue;
    last = &(*last)->next;
    count++;
  }
  return count;
}

/// Drops a restored line with its descriptor.
static void close_one(struct lull_i_restored **place) {
  struct lull_i_restored *one = *place;
  *place = one->next;
  if (one->line.fd >= 0) close(one->line.fd);
  free(one);
}

void lull_i_free_restored(lull_program *program) {
  while (program->restored) close_one(&program->restored);
}

/// Gives each line its descriptor: a duplicate that no child inherits, in the place of the one that was
/// passed. A line without one is dropped.
static void take_descriptors(lull_program *program, int count) {
  struct lull_i_restored **place = &program->restored;
  for (int passed = FIRST_PASSED; *place; passed++) {
    lull_restored *line = &(*place)->line;
    if (passed < FIRST_PASSED + count) {
      line->fd = fcntl(passed, F_DUPFD_CLOEXEC, FIRST_PASSED);
      close(passed);
    }
    if (line->fd >= 0) place = &(*place)->next;
    else close_one(place);
  }
}

void lull_i_inherit(lull_program *program) {
  long count = variable("LISTEN_FDS");
  size_t size;
  if (variable("LISTEN_PID") != (long)getpid() || count < 1 || count > LULL_I_KEPT) return;
  int described = FIRST_PASSED + (int)count;
  char *text = variable("LULL_LINES") == described ? read_text(described, &size) : NULL;
  if (!text) return;
  if (lull_i_read_restored(program, text, size) >= count) {
    // Neither a second program of this process nor a child finds them.
    close(described);
    take_descriptors(program, (int)count);
    program->restored_until = lull_i_later(RESTORED_SECONDS * 1000);
  } else {
    lull_i_free_restored(program);
  }
  free(text);
}

const lull_restored *lull_restored_at(const lull_program *program, size_t index) {
  const struct lull_i_restored *one = program->restored;
  while (one && index-- > 0) one = one->next;
  return one ? &one->line : NULL;
}

/// The place of a restored line; what it points to is NULL when the line is none.
static struct lull_i_restored **find(lull_program *program, const lull_restored *restored) {
  struct lull_i_restored **place = &program->restored;
  while (*place && &(*place)->line != restored) place = &(*place)->next;
  return place;
}

int lull_take(lull_program *program, const lull_restored *restored, lull_line **line) {
  struct lull_i_restored **place = find(program, restored), *one = *place;
  *line = NULL;
  if (!one) return lull_i_fail(program, LULL_REFUSED, "the line was taken or closed before");
  lull_line_options options = {.size = sizeof options, .type = one->line.type, .offload = one->line.offload,
                               .tcp_keepalive = one->tcp_keepalive, .name = one->line.name};
  int code = lull_hold(program, one->line.fd, &options, line);
  if (code != LULL_OK) return code;
  // A state that cannot be told is told with the next one.
  lull_line_set_state(*line, one->line.state, one->line.state_size);
  *place = one->next;
  free(one);
  return LULL_OK;
}

void lull_discard(lull_program *program, const lull_restored *restored) {
  struct lull_i_restored **place = find(program, restored);
  lull_line *line;
  if (!*place) return;
  // lulld lets go of its own duplicate when the line is declared.
  if (lull_take(program, restored, &line) == LULL_OK) {
    int fd = line->fd;
    lull_release(line);
    close(fd);
  } else {
    close_one(place);
  }
}
