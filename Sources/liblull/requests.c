/* What a program asks for: the keep-alive, wakes, tasks, notifications. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static bool is_away(int code) { return code == LULL_LOST; }

/* The keep-alive and wakes. */

/// Only a new lulld is told since when the keep-alive is set.
static int ask_keepalive(lull_program *program, double seconds, bool is_new) {
  struct lull_i_writer line;
  lull_i_begin(&line, "keepalive");
  if (seconds > 0) {
    lull_i_add_seconds(&line, "timeout", seconds);
    if (program->keepalive_run) lull_i_add_number(&line, "lastRun", (uint64_t)program->keepalive_run);
    if (is_new) lull_i_add_number(&line, "since", (uint64_t)program->keepalive_since);
  }
  return lull_i_ask(program, &line, -1);
}

int lull_set_keepalive(lull_program *program, double seconds) {
  if (seconds > 0 && seconds < 600)
    return lull_i_fail(program, LULL_REFUSED, "a keep-alive time-out is at least 600 seconds");
  if (seconds > 0 && !(program->modes & LULL_VOIP))
    return lull_i_fail(program, LULL_WRONG_MODE, "a keep-alive needs the mode voip");
  int code = ask_keepalive(program, seconds, false);
  if (code != LULL_OK && !is_away(code)) return code;
  if (program->keepalive <= 0) program->keepalive_since = lull_i_now();
  program->keepalive = seconds > 0 ? seconds : 0;
  return LULL_OK;
}

static int ask_wake(lull_program *program, double seconds) {
  struct lull_i_writer line;
  lull_i_begin(&line, "wake-in");
  if (seconds > 0) lull_i_add_seconds(&line, "seconds", seconds);
  return lull_i_ask(program, &line, -1);
}

int lull_wake_in(lull_program *program, double seconds) {
  if (seconds > 0 && (seconds < 15 || seconds > 3153600000.0))
    return lull_i_fail(program, LULL_REFUSED, "a wake is asked for in 15 seconds to 100 years");
  int code = ask_wake(program, seconds);
  if (code != LULL_OK && !is_away(code)) return code;
  program->wake_at = seconds > 0 ? lull_i_now() + (int64_t)(seconds * 1e9) : 0;
  return LULL_OK;
}

/* Fetches. */

/// Only a new lulld is told when the last one was.
static int ask_fetch(lull_program *program, double seconds, bool is_new) {
  struct lull_i_writer line;
  lull_i_begin(&line, "fetch");
  if (seconds > 0) lull_i_add_seconds(&line, "seconds", seconds);
  if (is_new) lull_i_add_number(&line, "since", (uint64_t)program->fetch_since);
  return lull_i_ask(program, &line, -1);
}

int lull_set_fetch(lull_program *program, double seconds) {
  int code = ask_fetch(program, seconds, false);
  if (code != LULL_OK && !is_away(code)) return code;
  program->fetch = seconds > 0 ? seconds : 0;
  program->fetch_since = lull_i_now();
  return LULL_OK;
}

int lull_fetched(lull_program *program, int result) {
  struct lull_i_writer line;
  uint64_t ticket = program->fetch_ticket;
  if (result < LULL_FETCH_NEW_DATA || result > LULL_FETCH_FAILED)
    return lull_i_fail(program, LULL_REFUSED, "a fetch or a push has no result %d", result);
  if (!ticket) return LULL_OK;
  program->fetch_ticket = 0;
  lull_i_begin(&line, "fetched");
  lull_i_add_number(&line, "ticket", ticket);
  lull_i_add(&line, "result", lull_i_fetches[result]);
  return lull_i_ask(program, &line, -1);
}

/* Tasks. */

static int ask_task(lull_program *program, struct lull_i_task *task) {
  struct lull_i_writer line;
  lull_i_begin(&line, "begin-task");
  lull_i_add(&line, "name", task->name);
  int code = lull_i_ask(program, &line, -1);
  if (code == LULL_OK && !lull_i_number(&program->channel.reply, "task", &task->id))
    return lull_i_fail(program, LULL_REFUSED, "lulld's answer to begin-task has no number");
  return code;
}

static void free_task(struct lull_i_task *task) {
  free(task->name);
  free(task);
}

int lull_begin_task(lull_program *program, const char *name, uint64_t *task) {
  *task = 0;
  struct lull_i_task *made = calloc(1, sizeof *made);
  if (made) made->name = strdup(name);
  if (!made || !made->name) {
    free(made);
    return lull_i_fail_call(program, "calloc");
  }
  int code = ask_task(program, made);
  if (code != LULL_OK && !is_away(code)) {
    free_task(made);
    return code;
  }
  made->number = ++program->last_task;
  made->next = program->tasks;
  program->tasks = made;
  // lulld forgets the last `done`.
  program->tickets.is_owed = program->tickets.has_highest;
  *task = made->number;
  return LULL_OK;
}

int lull_end_task(lull_program *program, uint64_t task) {
  struct lull_i_writer line;
  struct lull_i_task **place = &program->tasks;
  while (*place && (*place)->number != task) place = &(*place)->next;
  struct lull_i_task *ended = *place;
  if (!ended) return LULL_OK;
  *place = ended->next;
  if (ended->id) {
    lull_i_begin(&line, "end-task");
    lull_i_add_number(&line, "task", ended->id);
    lull_i_tell(program, &line, -1, (struct lull_i_expected){LULL_I_IGNORED, 0});
  }
  free_task(ended);
  lull_i_settle(program);
  return LULL_OK;
}

static int ask_remaining(lull_program *program, const char *field, double *seconds) {
  struct lull_i_writer line;
  *seconds = -1;
  lull_i_begin(&line, "remaining");
  int code = lull_i_ask(program, &line, -1);
  if (code == LULL_OK) lull_i_seconds(&program->channel.reply, field, seconds);
  return code;
}

int lull_remaining(lull_program *program, double *seconds) {
  return ask_remaining(program, "seconds", seconds);
}

int lull_task_remaining(lull_program *program, double *seconds) {
  return ask_remaining(program, "taskSeconds", seconds);
}

int lull_i_declare_requests(lull_program *program) {
  int code = LULL_OK;
  if (program->keepalive > 0) code = ask_keepalive(program, program->keepalive, true);
  if (program->wake_at && !is_away(code)) {
    double left = (double)(program->wake_at - lull_i_now()) / 1e9;
    code = ask_wake(program, left > 15 ? left : 15);
  }
  if (program->fetch > 0 && !is_away(code)) code = ask_fetch(program, program->fetch, true);
  // A task that is refused keeps nobody awake.
  for (struct lull_i_task *task = program->tasks; task && !is_away(code); task = task->next)
    if (!task->id) code = ask_task(program, task);
  return code;
}

/* Notifications. */

static void add_notification(struct lull_i_writer *line, const lull_notification *notification) {
  lull_i_add(line, "body", notification->body ? notification->body : "");
  lull_i_add(line, "title", notification->title);
  lull_i_add(line, "action", notification->action);
  lull_i_add(line, "sound", notification->sound);
  lull_i_add_flag(line, "call", notification->is_call);
}

void lull_i_read_notification(const struct lull_i_message *message, lull_notification *notification) {
  *notification = (lull_notification){.size = sizeof *notification,
                                      .body = lull_i_text(message, "body"),
                                      .title = lull_i_text(message, "title"),
                                      .action = lull_i_text(message, "action"),
                                      .sound = lull_i_text(message, "sound"),
                                      .is_call = lull_i_text(message, "call") != NULL,
                                      .repeat = lull_i_text(message, "repeat"),
                                      .zone = lull_i_text(message, "zone")};
  if (!notification->body) notification->body = "";
  lull_i_seconds(message, "at", &notification->at);
}

static int ask_notification(lull_program *program, struct lull_i_writer *line, uint32_t *id) {
  uint64_t number = 0;
  int code = lull_i_ask(program, line, -1);
  if (code == LULL_OK) lull_i_number(&program->channel.reply, "notification", &number);
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
  lull_notification content = known(notification);
  struct lull_i_writer line;
  lull_i_begin(&line, "present");
  add_notification(&line, &content);
  if (content.replaces) lull_i_add_number(&line, "replaces", content.replaces);
  return ask_notification(program, &line, id);
}

int lull_schedule(lull_program *program, const lull_notification *notification, uint32_t *id) {
  lull_notification content = known(notification);
  struct lull_i_writer line;
  lull_i_begin(&line, "schedule");
  add_notification(&line, &content);
  lull_i_add_seconds(&line, content.at > 0 ? "at" : "in", content.at > 0 ? content.at : content.in);
  lull_i_add(&line, "repeat", content.repeat);
  lull_i_add(&line, "zone", content.zone);
  return ask_notification(program, &line, id);
}

static int counted(lull_program *program, struct lull_i_writer *line) {
  uint64_t count = 0;
  int code = lull_i_ask(program, line, -1);
  if (code == LULL_OK) lull_i_number(&program->channel.reply, "count", &count);
  return code == LULL_OK ? (int)(count & INT32_MAX) : code;
}

int lull_cancel(lull_program *program, uint32_t id) {
  struct lull_i_writer line;
  lull_i_begin(&line, "cancel");
  lull_i_add_flag(&line, "all", id == 0);
  if (id) lull_i_add_number(&line, "notification", id);
  return counted(program, &line);
}

struct listener {
  void (*each)(uint32_t id, const lull_notification *notification, void *context);
  void *context;
};

static void hear_item(lull_program *program, const struct lull_i_message *item, void *context) {
  (void)program;
  const struct listener *listener = context;
  const char *kind = lull_i_text(item, "kind");
  lull_notification notification;
  uint64_t id;
  if (!kind || strcmp(kind, "notification") != 0 || !lull_i_number(item, "notification", &id)) return;
  lull_i_read_notification(item, &notification);
  listener->each((uint32_t)id, &notification, listener->context);
}

int lull_scheduled(
    lull_program *program, bool all,
    void (*each)(uint32_t id, const lull_notification *notification, void *context), void *context) {
  struct listener listener = {each, context};
  struct lull_i_writer line;
  lull_i_begin(&line, "scheduled");
  lull_i_add_flag(&line, "all", all);
  program->channel.item = hear_item;
  program->channel.item_context = &listener;
  int count = counted(program, &line);
  program->channel.item = NULL;
  return count;
}
