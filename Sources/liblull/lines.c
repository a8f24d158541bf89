/* Lines: descriptors that wake the program, and those of its last life, which Lull has kept and passed to
   this one (docs/KEPT-LINES.md). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { RESTORED_SECONDS = 60, FIRST_PASSED = 3, KEPT_LINE = 65536 };

lull_line *lull_i_line(lull_program *program, uint64_t id) {
  lull_line *line = program->lines;
  while (line && (line->id != id || id == 0)) line = line->next;
  return line;
}

bool lull_i_is_readable(lull_program *program) {
  struct pollfd entries[64];
  nfds_t count = 0;
  for (lull_line *line = program->lines; line; line = line->next) {
    entries[count++] = (struct pollfd){.fd = line->known.fd, .events = POLLIN | POLLRDHUP};
    if (line->next && count < sizeof entries / sizeof *entries) continue;
    if (poll(entries, count, 0) > 0) return true;
    count = 0;
  }
  return false;
}

static int tell_state(lull_line *line) {
  lull_program *program = line->program;
  size_t size = line->known.state_size;
  int file = memfd_create("lull-line-state", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return lull_i_fail_call(program, "memfd_create");
  bool is_written = size == 0 || write(file, line->known.state, size) == (ssize_t)size;
  int code = is_written ? lull_i_ask(program, file, "line-state line=%ju", line->id)
                        : lull_i_fail_call(program, "write");
  close(file);
  return code;
}

/// Declares a line to lulld, with its state.
static int declare(lull_line *line) {
  lull_program *program = line->program;
  const lull_restored *known = &line->known;
  char offload[LULL_I_WORDS];
  lull_i_words(offload, known->offload, lull_i_offloads);
  int code = lull_i_ask(
      program, known->fd, "hold fd=%d type=%s offload?=%s tcpKeepalive?=%f name?=%s encrypted?%d", known->fd,
      lull_i_line_types[known->type], *offload ? offload : NULL, line->tcp_keepalive, known->name,
      line->is_encrypted);
  if (code != LULL_OK) return code;
  line->id = lull_i_number(&program->channel.reply, "line", 0);
  if (!line->id) return lull_i_fail(program, LULL_REFUSED, "lulld's answer to hold has no number");
  // A state that is refused is told with the next one.
  if (known->state_size) code = tell_state(line);
  return code == LULL_LOST || code == LULL_TIMED_OUT ? code : LULL_OK;
}

/// The kernel probes an idle connection; its probes wake no program.
static int start_probes(lull_program *program, int fd, double seconds) {
  int on = 1, idle = seconds >= INT16_MAX ? INT16_MAX : seconds < 1 ? 1 : (int)seconds;
  int interval = idle < 75 ? idle : 75;
  if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle) < 0 ||
      setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) < 0)
    return lull_i_fail_call(program, "setsockopt(SO_KEEPALIVE)");
  return LULL_OK;
}

/// NULL without memory, or for a name that is too long; `name` may be NULL.
static lull_line *new_line(lull_program *program, const char *name) {
  lull_line *line = name && strlen(name) > LULL_I_NAME ? NULL : calloc(1, sizeof *line);
  if (!line) return NULL;
  line->program = program;
  line->known.fd = -1;
  if (name && *name) line->known.name = strcpy(line->name, name);
  return line;
}

static void free_line(lull_line *line) {
  free((void *)line->known.state);
  free(line);
}

/// Declares it, and makes it one of the program's lines.
static int hold(lull_line *line) {
  lull_program *program = line->program;
  int code = line->tcp_keepalive > 0 ? start_probes(program, line->known.fd, line->tcp_keepalive) : LULL_OK;
  if (code == LULL_OK) code = lull_i_or_later(declare(line));
  if (code != LULL_OK) return code;
  line->next = program->lines;
  program->lines = line;
  return LULL_OK;
}

int lull_hold(lull_program *program, int fd, const lull_line_options *options, lull_line **line) {
  lull_line_options known = {0};
  *line = NULL;
  if (options) memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
  if (known.type < LULL_LINE_VOIP || known.type > LULL_LINE_BLUETOOTH)
    return lull_i_fail(program, LULL_REFUSED, "there is no type %d of a line", known.type);
  if (known.name && strlen(known.name) > LULL_I_NAME)
    return lull_i_fail(program, LULL_REFUSED, "a line has a name of at most %d bytes", LULL_I_NAME);
  if (fcntl(fd, F_GETFD) < 0) return lull_i_fail_call(program, "the descriptor of a line");
  lull_line *made = new_line(program, known.name);
  if (!made) return lull_i_fail_call(program, "calloc");
  made->known.fd = fd;
  made->known.type = known.type;
  made->known.offload = known.offload;
  made->tcp_keepalive = known.tcp_keepalive;
  made->is_encrypted = known.is_encrypted;
  int code = hold(made);
  if (code == LULL_OK) *line = made;
  else free_line(made);
  return code;
}

void lull_release(lull_line *line) {
  if (!line) return;
  lull_program *program = line->program;
  lull_line **place = &program->lines;
  while (*place && *place != line) place = &(*place)->next;
  if (*place) *place = line->next;
  if (line->id) lull_i_send(program, LULL_I_IGNORED, -1, "release line=%ju", line->id);
  free_line(line);
  lull_i_settle(program);
}

int lull_line_fd(const lull_line *line) { return line->known.fd; }

int lull_line_set_state(lull_line *line, const void *bytes, size_t count) {
  lull_program *program = line->program;
  if (line->is_encrypted)
    return lull_i_fail(
        program, LULL_REFUSED, "an encrypted line has no state: it is not kept, since its keys are not");
  if (count > LULL_I_STATE)
    return lull_i_fail(program, LULL_REFUSED, "a state has at most %d bytes", LULL_I_STATE);
  void *state = count ? malloc(count) : NULL;
  if (count && !state) return lull_i_fail_call(program, "malloc");
  if (count) memcpy(state, bytes, count);
  free((void *)line->known.state);
  line->known.state = state;
  line->known.state_size = count;
  return line->id ? lull_i_or_later(tell_state(line)) : LULL_OK;
}

int lull_i_declare_lines(lull_program *program) {
  // The handler may release any line: each is looked for anew.
  for (lull_line *line; (line = program->lines);) {
    while (line && (line->id || line->is_lost)) line = line->next;
    if (!line) break;
    int code = declare(line);
    if (code == LULL_LOST || code == LULL_TIMED_OUT) return LULL_LOST;
    if (code == LULL_OK) continue;
    line->id = 0;
    line->is_lost = true;
    lull_i_emit(program, (lull_event){.kind = LULL_EVENT_LINE_LOST, .line = line, .code = code,
                                      .text = program->error});
  }
  return LULL_OK;
}

void lull_i_send_lines(lull_program *program, uint64_t ticket, bool are_kept) {
  int count = 0;
  for (lull_line *line = program->lines; line && !(are_kept && count == LULL_I_KEPT); line = line->next) {
    if (!line->id || (are_kept && line->is_encrypted)) continue;
    lull_i_send(program, LULL_I_IGNORED, line->known.fd, "handover line=%ju ticket=%ju", line->id, ticket);
    count++;
  }
}

/* The lines of the last life. */

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
  lull_line *made = new_line(program, lull_i_text(&message, "name"));
  const char *state = lull_i_text(&message, "state");
  if (!made) return NULL;
  if (state && !read_state(state, &made->known)) {
    free_line(made);
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
  free_line(one);
}

void lull_i_free_lines(lull_program *program) {
  while (program->restored) close_one(&program->restored);
  for (lull_line *line; (line = program->lines);) {
    program->lines = line->next;
    free_line(line);
  }
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
    lull_i_free_lines(program);
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
  int code = hold(one);
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
