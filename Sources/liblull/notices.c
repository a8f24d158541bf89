/* What lulld tells, and what the program's handler hears of it. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void lull_i_emit(lull_program *program, lull_event event) {
  const lull_options *options = &program->options;
  if (options->handler && !program->is_closed) options->handler(program, &event, options->context);
}

static uint64_t ticket_of(const struct lull_i_message *notice) { return lull_i_number(notice, "ticket", 0); }

/* The messages of the program's life. */

/// The state is another one before the handler, or when that has returned.
static void emit_message(lull_program *program, int message) {
  // Behind its third message a launch is over.
  if (message == LULL_WILL_FINISH_LAUNCHING) program->launched = 1;
  else program->launched = message == LULL_DID_FINISH_LAUNCHING ? 2 : 3;
  if (message == LULL_DID_BECOME_ACTIVE) program->state = LULL_ACTIVE;
  if (message == LULL_DID_ENTER_BACKGROUND) program->state = LULL_BACKGROUND;
  if (message == LULL_PROTECTED_DATA_DID_BECOME_AVAILABLE) program->is_data_locked = false;
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_MESSAGE, .message = message});
  if (message == LULL_WILL_RESIGN_ACTIVE || message == LULL_WILL_ENTER_FOREGROUND)
    program->state = LULL_INACTIVE;
  if (message == LULL_PROTECTED_DATA_WILL_BECOME_UNAVAILABLE) program->is_data_locked = true;
}

static void deliver(lull_program *program, const struct lull_i_message *notice) {
  int message = lull_i_word(lull_i_text(notice, "message"), lull_i_messages);
  lull_i_received(&program->tickets, ticket_of(notice));
  // A message that this version does not know is answered, or lulld would take the program for hung.
  if (message > 0) emit_message(program, message);
  lull_i_send(program, LULL_I_IGNORED, -1, "did ticket=%ju", ticket_of(notice));
}

/// Goes on with a launch whose lulld has ended: the next one takes the program over as one that runs.
static void launch_alone(lull_program *program) {
  const int messages[] = {
      LULL_WILL_FINISH_LAUNCHING, LULL_DID_FINISH_LAUNCHING,
      program->state == LULL_INACTIVE ? LULL_DID_BECOME_ACTIVE : LULL_DID_ENTER_BACKGROUND};
  while (program->launched < 3 && !program->is_closed) emit_message(program, messages[program->launched]);
}

/* Wakes and what comes with a ticket. */

static void wake(lull_program *program, const struct lull_i_message *notice) {
  int reason = lull_i_word(lull_i_text(notice, "reason"), lull_i_wakes);
  uint64_t waited = lull_i_number(notice, "waitedMicroseconds", UINT64_MAX);
  lull_i_woke(&program->tickets, reason, ticket_of(notice));
  if (reason == LULL_WAKE_TIMER) program->wake_at = 0;
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_WAKE,
                                    .reason = reason,
                                    .line = lull_i_line(program, lull_i_number(notice, "line", 0)),
                                    .waited_microseconds = waited > INT64_MAX ? -1 : (int64_t)waited});
}

static void keep_alive(lull_program *program, const struct lull_i_message *notice) {
  lull_i_received(&program->tickets, ticket_of(notice));
  program->keepalive_run = lull_i_now();
  // It was cleared while the notice was on its way.
  program->tickets.word = program->keepalive > 0 ? LULL_I_UNSAID : LULL_I_GIVEN;
  if (program->keepalive > 0) lull_i_emit(program, (lull_event){.kind = LULL_EVENT_KEEPALIVE});
}

static void fetch(lull_program *program, const struct lull_i_message *notice) {
  program->fetch_ticket = ticket_of(notice);
  program->fetch_since = lull_i_now();
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_FETCH});
}

/// The payload of a push is behind its line.
static void push(lull_program *program, const struct lull_i_message *notice,
                 const struct lull_i_entry *entry) {
  program->fetch_ticket = ticket_of(notice);
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_PUSH,
                                    .title = lull_i_text(notice, "title"),
                                    .payload = entry->line + entry->length + 1,
                                    .payload_length = entry->payload_length});
}

/// An event that the program learns from the notice alone.
static void emit_asked(lull_program *program, const struct lull_i_message *notice, lull_event event) {
  lull_i_received(&program->tickets, ticket_of(notice));
  program->tickets.word = LULL_I_UNSAID;
  lull_i_emit(program, event);
}

static void act(lull_program *program, const struct lull_i_message *notice) {
  const char *action = lull_i_text(notice, "action");
  emit_asked(program, notice,
             (lull_event){.kind = LULL_EVENT_ACTION,
                          .notification = (uint32_t)lull_i_number(notice, "notification", 0),
                          .action = action ? action : "",
                          .token = lull_i_text(notice, "token")});
}

static void open_link(lull_program *program, const struct lull_i_message *notice) {
  const char *url = lull_i_text(notice, "url");
  if (url) emit_asked(program, notice, (lull_event){.kind = LULL_EVENT_OPEN, .url = url});
}

static void expire(lull_program *program, const struct lull_i_message *notice) {
  uint64_t id = lull_i_number(notice, "task", 0);
  const struct lull_i_task *task = program->tasks;
  while (task && task->id != id) task = task->next;
  if (task) lull_i_emit(program, (lull_event){.kind = LULL_EVENT_EXPIRE, .task = task->number});
}

static void receive(lull_program *program, const struct lull_i_message *notice) {
  lull_notification content;
  lull_i_read_notification(notice, &content);
  program->tickets.word = LULL_I_UNSAID;
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_RECEIVED,
                                    .notification = (uint32_t)lull_i_number(notice, "notification", 0),
                                    .content = &content});
}

/* Around the program. */

/// A lulld that was restarted tells what the program knows already.
static void emit_changes(lull_program *program, unsigned changes, lull_event now) {
  if (now.power == program->power && now.percent == program->percent) changes &= ~(unsigned)LULL_CHANGE_POWER;
  if (now.is_locked == program->is_locked) changes &= ~(unsigned)LULL_CHANGE_LOCK;
  program->power = now.power;
  program->percent = now.percent;
  program->is_locked = now.is_locked;
  now.kind = LULL_EVENT_CHANGED;
  now.changes = changes;
  if (changes && program->launched >= 2) lull_i_emit(program, now);
}

static void change(lull_program *program, const struct lull_i_message *notice) {
  uint64_t percent = lull_i_number(notice, "percent", UINT64_MAX);
  emit_changes(program, lull_i_word_set(lull_i_text(notice, "what"), lull_i_changes),
               (lull_event){.is_locked = lull_i_text(notice, "locked") != NULL,
                            .power = lull_i_word(lull_i_text(notice, "power"), lull_i_powers),
                            .percent = percent <= 100 ? (int)percent : -1});
}

static void prepare(lull_program *program, const struct lull_i_message *notice) {
  program->hands_over = true;
  program->handover = ticket_of(notice);
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_PREPARE});
}

static void keep_lines(lull_program *program, const struct lull_i_message *notice) {
  (void)notice;
  // lulld may lack the right to take the descriptors by itself.
  lull_i_send_lines(program, 0, true);
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_KEEPING});
}

static void handle_notice(lull_program *program, struct lull_i_entry *entry) {
  static const struct {
    const char *name;
    void (*handle)(lull_program *, const struct lull_i_message *);
  } notices[] = {
      {"deliver", deliver}, {"wake", wake},        {"keepalive", keep_alive}, {"expire", expire},
      {"action", act},      {"open", open_link},   {"received", receive},     {"changed", change},
      {"prepare", prepare}, {"keeping", keep_lines}, {"fetch", fetch},
  };
  struct lull_i_message notice;
  // A notice that this version does not know is passed over.
  if (!lull_i_parse(entry->line, entry->length, &notice) || !notice.notice) return;
  if (strcmp(notice.notice, "push") == 0) push(program, &notice, entry);
  for (size_t index = 0; index < sizeof notices / sizeof *notices; index++)
    if (strcmp(notices[index].name, notice.notice) == 0) notices[index].handle(program, &notice);
}

/* The end of lulld, and its return. */

static void lose(lull_program *program) {
  lull_i_restart_tickets(&program->tickets);
  program->hands_over = false;
  program->fetch_ticket = 0;
  for (lull_line *line = program->lines; line; line = line->next) line->id = 0;
  for (struct lull_i_task *task = program->tasks; task; task = task->next) task->id = 0;
  launch_alone(program);
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_LOST});
}

static void tell_wanted(lull_program *program) {
  if (program->wanted == LULL_BACKGROUND) lull_i_send(program, LULL_I_IGNORED, -1, "background");
  if (program->wanted == LULL_ACTIVE) lull_i_send(program, LULL_I_IGNORED, -1, "foreground");
  program->wanted = LULL_NOT_RUNNING;
}

static void come_back(lull_program *program) {
  // The next lulld is told everything when this one is gone again.
  if (lull_i_declare_lines(program) == LULL_LOST || lull_i_declare_requests(program) == LULL_LOST) return;
  tell_wanted(program);
  // The old lulld did not finish the transition, and the new one knows nothing of it.
  if (program->is_data_locked) emit_message(program, LULL_PROTECTED_DATA_DID_BECOME_AVAILABLE);
  // A lock that lasts is told again.
  lull_event unlocked = {.power = program->power, .percent = program->percent};
  if (program->is_locked) emit_changes(program, LULL_CHANGE_LOCK, unlocked);
  if (program->state == LULL_INACTIVE) emit_message(program, LULL_DID_BECOME_ACTIVE);
  lull_i_emit(program, (lull_event){.kind = LULL_EVENT_RESTORED});
}

void lull_i_handle(lull_program *program, struct lull_i_entry *entry) {
  switch (entry->kind) {
    case LULL_I_NOTICE: handle_notice(program, entry); break;
    case LULL_I_DONE_RECEIVED: lull_i_done_received(&program->tickets, entry->ticket); break;
    case LULL_I_GONE: lose(program); break;
    case LULL_I_BACK: come_back(program); break;
  }
}

static int turn(lull_program *program, int state) {
  program->wanted = state;
  if (lull_i_is_up(program)) tell_wanted(program);
  return LULL_OK;
}

int lull_enter_background(lull_program *program) { return turn(program, LULL_BACKGROUND); }
int lull_request_foreground(lull_program *program) { return turn(program, LULL_ACTIVE); }
