#define _GNU_SOURCE
#include "probe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../Sources/liblull/internal.h"

static size_t put(uint8_t *read, size_t count, const char *bytes, size_t length, uint8_t end) {
  if (length > 0) memcpy(read + count, bytes, length);
  read[count + length] = end;
  return count + length + 1;
}

long probe_parse(const uint8_t *line, size_t length, uint8_t *read, size_t room) {
  struct lull_i_message message;
  // As long as it is, so that a sanitizer sees each byte that is read behind it.
  char *copy = malloc(length + 1);
  if (!copy || room < 2 * length + 4) abort();
  if (length > 0) memcpy(copy, line, length);
  long count = -1;
  if (lull_i_parse(copy, length, &message)) {
    size_t used = put(read, 0, message.verb, strlen(message.verb), 0xFF);
    used = put(read, used, message.notice, message.notice ? strlen(message.notice) : 0, 0xFF);
    for (size_t index = 0; index < message.count; index++) {
      const struct lull_i_field *field = &message.fields[index];
      used = put(read, used, field->key, strlen(field->key), 0xFF);
      used = put(read, used, field->value, field->value ? field->length : 0, field->value ? 0xFF : 0xFE);
    }
    count = (long)used;
  }
  free(copy);
  return count;
}

static void write_line(struct lull_i_writer *writer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  lull_i_write(writer, format, values);
  va_end(values);
}

long probe_write(const uint8_t *value, size_t length, uint8_t *line, size_t room) {
  struct lull_i_writer writer;
  char *text = malloc(length + 1);
  if (!text || room < sizeof writer.bytes) abort();
  memcpy(text, value, length);
  text[length] = 0;
  write_line(&writer, "verb key=%s", text);
  free(text);
  if (!writer.overflows) memcpy(line, writer.bytes, writer.count);
  return writer.overflows ? -1 : (long)writer.count;
}

/// Reads all that an event has, and does what programs do.
static void handle(lull_program *program, const lull_event *event, void *context) {
  const char *texts[] = {event->action, event->token, event->url, event->text, event->title,
                         event->content ? event->content->body : NULL,
                         event->content ? event->content->title : NULL};
  for (size_t index = 0; index < sizeof texts / sizeof *texts; index++)
    if (texts[index] && strlen(texts[index]) > LULL_I_LINE) abort();
  ++*(long *)context;
  lull_done(program);
  if (event->kind == LULL_EVENT_EXPIRE) lull_end_task(program, event->task);
  if (event->kind == LULL_EVENT_WAKE && event->line) lull_line_fd(event->line);
  if (event->kind == LULL_EVENT_KEEPALIVE) lull_set_keepalive(program, 600);
  if (event->kind == LULL_EVENT_OPEN) lull_cancel(program, 0);
}

static void ask(lull_program *program, int fd) {
  lull_notification notification = LULL_NOTIFICATION_INIT;
  lull_line *line;
  uint64_t task;
  double seconds;
  notification.body = "a \"b\"\n";
  lull_hold(program, fd, NULL, &line);
  lull_begin_task(program, "task", &task);
  lull_set_keepalive(program, 600);
  lull_remaining(program, &seconds);
  lull_suspension(program);
  lull_present(program, &notification, NULL);
}

long probe_client(const uint8_t *bytes, size_t length) {
  long events = 0;
  int ends[2];
  lull_options options = {.modes = LULL_VOIP, .handler = handle, .context = &events};
  lull_program *program = lull_i_make(&options);
  if (!program || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) abort();
  if (lull_i_open_loop(program) < 0 || lull_i_adopt(program, ends[0]) < 0) abort();
  program->channel.link = LULL_I_UP;
  // No other lulld is looked for meanwhile.
  program->channel.retry_milliseconds = 5000;
  if (length > 65536 || send(ends[1], bytes, length, 0) != (ssize_t)length) abort();
  shutdown(ends[1], SHUT_WR);
  // Half of the streams are answers, half are notices.
  if (length % 2) ask(program, ends[1]);
  while (program->channel.link == LULL_I_UP) lull_dispatch(program);
  lull_close(program);
  close(ends[1]);
  return events;
}

long probe_restored(const uint8_t *bytes, size_t length) {
  lull_options options = {0};
  lull_program *program = lull_i_make(&options);
  char *text = malloc(length + 1);
  if (!program || !text) abort();
  if (length > 0) memcpy(text, bytes, length);
  long count = lull_i_read_restored(program, text, length);
  free(text);
  lull_i_free(program);
  return count;
}
