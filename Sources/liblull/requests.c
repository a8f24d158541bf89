/* What a program asks for: the keep-alive, wakes, tasks, notifications. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The keep-alive, wakes and fetches. */

static int ask_keepalive(lull_program *program, double seconds, int64_t since) {
  uint64_t last = seconds > 0 ? (uint64_t)program->keepalive_run : 0;
  return lull_i_ask(
      program, -1, "keepalive timeout?=%f lastRun?=%ju since?=%ju", seconds, last, (uint64_t)since);
}

int lull_set_keepalive(lull_program *program, double seconds) {
  if (seconds > 0 && seconds < 600)
    return lull_i_fail(program, LULL_REFUSED, "a keep-alive time-out is at least 600 seconds");
  if (seconds > 0 && !(program->options.modes & LULL_VOIP))
    return lull_i_fail(program, LULL_WRONG_MODE, "a keep-alive needs the mode voip");
  int code = lull_i_or_later(ask_keepalive(program, seconds, 0));
  if (code != LULL_OK) return code;
  if (program->keepalive <= 0) program->keepalive_since = lull_i_now();
  program->keepalive = seconds > 0 ? seconds : 0;
  return LULL_OK;
}

int lull_wake_in(lull_program *program, double seconds) {
  if (seconds > 0 && (seconds < 15 || seconds > 3153600000.0))
    return lull_i_fail(program, LULL_REFUSED, "a wake is asked for in 15 seconds to 100 years");
  int code = lull_i_or_later(lull_i_ask(program, -1, "wake-in seconds?=%f", seconds));
  if (code == LULL_OK) program->wake_at = seconds > 0 ? lull_i_later((int64_t)(seconds * 1e3)) : 0;
  return code;
}

int lull_set_fetch(lull_program *program, double seconds) {
  int code = lull_i_or_later(lull_i_ask(program, -1, "fetch seconds?=%f", seconds));
  if (code != LULL_OK) return code;
  program->fetch = seconds > 0 ? seconds : 0;
  program->fetch_since = lull_i_now();
  return LULL_OK;
}

int lull_fetched(lull_program *program, int result) {
  uint64_t ticket = program->fetch_ticket;
  if (result < LULL_FETCH_NEW_DATA || result > LULL_FETCH_FAILED)
    return lull_i_fail(program, LULL_REFUSED, "a fetch or a push has no result %d", result);
  if (!ticket) return LULL_OK;
  program->fetch_ticket = 0;
  return lull_i_ask(program, -1, "fetched ticket=%ju result=%s", ticket, lull_i_fetches[result]);
}

/* Tasks. */

static int ask_task(lull_program *program, struct lull_i_task *task) {
  int code = lull_i_ask(program, -1, "begin-task name=%s", task->name);
  if (code != LULL_OK) return code;
  task->id = lull_i_number(&program->channel.reply, "task", 0);
  if (task->id) return LULL_OK;
  return lull_i_fail(program, LULL_REFUSED, "lulld's answer to begin-task has no number");
}

int lull_begin_task(lull_program *program, const char *name, uint64_t *task) {
  *task = 0;
  struct lull_i_task *made = calloc(1, sizeof *made + strlen(name) + 1);
  if (!made) return lull_i_fail_call(program, "calloc");
  strcpy(made->name, name);
  int code = lull_i_or_later(ask_task(program, made));
  if (code != LULL_OK) {
    free(made);
    return code;
  }
  *task = made->number = ++program->last_task;
  made->next = program->tasks;
  program->tasks = made;
  // lulld forgets the last `done`.
  program->tickets.is_owed = program->tickets.highest > 0;
  return LULL_OK;
}

int lull_end_task(lull_program *program, uint64_t task) {
  struct lull_i_task **place = &program->tasks;
  while (*place && (*place)->number != task) place = &(*place)->next;
  struct lull_i_task *ended = *place;
  if (!ended) return LULL_OK;
  *place = ended->next;
  if (ended->id) lull_i_send(program, LULL_I_IGNORED, -1, "end-task task=%ju", ended->id);
  free(ended);
  lull_i_settle(program);
  return LULL_OK;
}

static int ask_remaining(lull_program *program, const char *field, double *seconds) {
  int code = lull_i_ask(program, -1, "remaining");
  *seconds = code == LULL_OK ? lull_i_seconds(&program->channel.reply, field, -1) : -1;
  return code;
}

int lull_remaining(lull_program *program, double *seconds) {
  return ask_remaining(program, "seconds", seconds);
}

int lull_task_remaining(lull_program *program, double *seconds) {
  return ask_remaining(program, "taskSeconds", seconds);
}

/// Only a new lulld is told since when the keep-alive is set, and when the last fetch was.
int lull_i_declare_requests(lull_program *program) {
  int code = LULL_OK;
  if (program->keepalive > 0) code = ask_keepalive(program, program->keepalive, program->keepalive_since);
  if (program->wake_at && code != LULL_LOST) {
    double left = (double)(program->wake_at - lull_i_now()) / 1e9;
    code = lull_i_ask(program, -1, "wake-in seconds=%f", left > 15 ? left : 15);
  }
  if (program->fetch > 0 && code != LULL_LOST)
    code = lull_i_ask(
        program, -1, "fetch seconds=%f since=%ju", program->fetch, (uint64_t)program->fetch_since);
  // A task that is refused keeps nobody awake.
  for (struct lull_i_task *task = program->tasks; task && code != LULL_LOST; task = task->next)
    if (!task->id) code = ask_task(program, task);
  return code;
}

/* Notifications. */

#define CONTENT "body=%s title?=%s action?=%s sound?=%s call?%d"
#define CONTENT_OF(one) (one).body ? (one).body : "", (one).title, (one).action, (one).sound, (one).is_call

void lull_i_read_notification(const struct lull_i_message *message, lull_notification *notification) {
  const char *body = lull_i_text(message, "body");
  *notification = (lull_notification){.size = sizeof *notification,
                                      .body = body ? body : "",
                                      .title = lull_i_text(message, "title"),
                                      .action = lull_i_text(message, "action"),
                                      .sound = lull_i_text(message, "sound"),
                                      .is_call = lull_i_text(message, "call") != NULL,
                                      .at = lull_i_seconds(message, "at", 0),
                                      .repeat = lull_i_text(message, "repeat"),
                                      .zone = lull_i_text(message, "zone")};
}

/// The answer's number goes to `id`, if the caller wants it.
static int numbered(lull_program *program, int code, uint32_t *id) {
  uint64_t number = code == LULL_OK ? lull_i_number(&program->channel.reply, "notification", 0) : 0;
  if (id) *id = (uint32_t)number;
  return code;
}

static lull_notification known(const lull_notification *notification) {
  lull_notification known = {0};
  size_t size = notification->size;
  memcpy(&known, notification, size < sizeof known ? size : sizeof known);
  return known;
}

int lull_present(lull_program *program, const lull_notification *notification, uint32_t *id) {
  lull_notification one = known(notification);
  int code = lull_i_ask(
      program, -1, "present " CONTENT " replaces?=%ju", CONTENT_OF(one), (uint64_t)one.replaces);
  return numbered(program, code, id);
}

int lull_schedule(lull_program *program, const lull_notification *notification, uint32_t *id) {
  lull_notification one = known(notification);
  int code = one.at > 0
      ? lull_i_ask(program, -1, "schedule " CONTENT " at=%f repeat?=%s zone?=%s", CONTENT_OF(one), one.at,
                   one.repeat, one.zone)
      : lull_i_ask(program, -1, "schedule " CONTENT " in=%f repeat?=%s zone?=%s", CONTENT_OF(one), one.in,
                   one.repeat, one.zone);
  return numbered(program, code, id);
}

static int counted(lull_program *program, int code) {
  if (code != LULL_OK) return code;
  return (int)(lull_i_number(&program->channel.reply, "count", 0) & INT32_MAX);
}

int lull_cancel(lull_program *program, uint32_t id) {
  int code = lull_i_ask(program, -1, "cancel all?%d notification?=%ju", id == 0, (uint64_t)id);
  return counted(program, code);
}

void lull_i_hear_item(lull_program *program, const struct lull_i_message *item) {
  const struct lull_i_channel *channel = &program->channel;
  const char *kind = lull_i_text(item, "kind");
  uint64_t id = lull_i_number(item, "notification", UINT64_MAX);
  lull_notification notification;
  if (!channel->each || !kind || strcmp(kind, "notification") != 0 || id == UINT64_MAX) return;
  lull_i_read_notification(item, &notification);
  channel->each((uint32_t)id, &notification, channel->each_context);
}

int lull_scheduled(
    lull_program *program, bool all,
    void (*each)(uint32_t id, const lull_notification *notification, void *context), void *context) {
  program->channel.each = each;
  program->channel.each_context = context;
  int code = lull_i_ask(program, -1, "scheduled all?%d", all);
  program->channel.each = NULL;
  return counted(program, code);
}
