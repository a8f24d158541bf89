/* What lulld tells, and what the program's handler hears of it. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* lulld's tickets, and the program's word that it has handled them. The rules are those of `Tickets` in
   Sources/Lull/Application: an event takes the word back, and a wake whose notice is read after the word was
   told, and before lulld's answer, happened before it. */

static void received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (ticket > tickets->highest) tickets->highest = ticket;
  tickets->is_owed = true;
}

static void woke(struct lull_i_tickets *tickets, int reason, uint64_t ticket) {
  // The program learns of these wakes from the notice alone.
  const unsigned told = 1u << LULL_WAKE_OTHER | 1u << LULL_WAKE_OPERATOR | 1u << LULL_WAKE_KEEPALIVE |
                        1u << LULL_WAKE_NOTIFICATION | 1u << LULL_WAKE_REFILL | 1u << LULL_WAKE_NETWORK |
                        1u << LULL_WAKE_RESUMED | 1u << LULL_WAKE_LOCK;
  received(tickets, ticket);
  // A fetch or a push is over with its result, and no `done` is waited for.
  if (reason == LULL_WAKE_FETCH || reason == LULL_WAKE_PUSH) return;
  bool answers = tickets->word != LULL_I_RECEIVED || reason == LULL_WAKE_UNFROZEN;
  if (told & 1u << reason || !answers) tickets->word = LULL_I_UNSAID;
  else if (tickets->word != LULL_I_UNSAID) tickets->word = LULL_I_GIVEN;
}

static void done_received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (tickets->word == LULL_I_TOLD && tickets->told == ticket) tickets->word = LULL_I_RECEIVED;
}

static void restart_tickets(struct lull_i_tickets *tickets) {
  tickets->highest = 0;
  tickets->is_owed = false;
  if (tickets->word != LULL_I_UNSAID) tickets->word = LULL_I_RECEIVED;
}

void lull_i_say_done(lull_program *program) {
  struct lull_i_tickets *tickets = &program->tickets;
  if (!lull_i_is_up(program) || !tickets->highest) return;
  if (tickets->word == LULL_I_GIVEN && lull_i_is_readable(program)) tickets->word = LULL_I_UNSAID;
  if (tickets->word == LULL_I_GIVEN) {
    lull_i_send(program, LULL_I_DONE, -1, "done ticket=%ju", tickets->highest);
    tickets->is_owed = false;
    tickets->word = LULL_I_TOLD;
    tickets->told = tickets->highest;
  }
  // Something came after `done` and before the freeze: from outside nothing shows that it is handled.
  if (tickets->word == LULL_I_UNSAID && !tickets->is_owed && program->state == LULL_BACKGROUND) {
    lull_i_send(program, LULL_I_IGNORED, -1, "handling ticket=%ju", tickets->highest);
    tickets->is_owed = true;
  }
}

static int say(lull_program *program) {
  if (program->is_dispatching) return LULL_OK;
  lull_i_say_done(program);
  lull_i_settle(program);
  return LULL_OK;
}

int lull_done(lull_program *program) {
  struct lull_i_tickets *tickets = &program->tickets;
  // A word that lulld has is not said again: a loop that says it in each turn would turn for ever.
  if (tickets->word == LULL_I_UNSAID || tickets->is_owed) tickets->word = LULL_I_GIVEN;
  return say(program);
}

int lull_handling(lull_program *program) {
  program->tickets.word = LULL_I_UNSAID;
  return say(program);
}

/* Notices. */

void lull_i_emit(lull_program *program, lull_event event) {
  const lull_options *options = &program->options;
  if (options->handler && !program->is_closed) options->handler(program, &event, options->context);
}

/// The state is another one before the handler, or when that has returned.
static void emit_message(lull_program *program, int message) {
  if (message == 0) return;
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

/// Goes on with a launch whose lulld has ended: the next one takes the program over as one that runs.
static void launch_alone(lull_program *program) {
  const int messages[] = {
      LULL_WILL_FINISH_LAUNCHING, LULL_DID_FINISH_LAUNCHING,
      program->state == LULL_INACTIVE ? LULL_DID_BECOME_ACTIVE : LULL_DID_ENTER_BACKGROUND};
  while (program->launched < 3 && !program->is_closed) emit_message(program, messages[program->launched]);
}

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

/// The program's number of a task; 0: it has ended.
static uint64_t task_of(const lull_program *program, uint64_t id) {
  const struct lull_i_task *task = program->tasks;
  while (task && task->id != id) task = task->next;
  return task ? task->number : 0;
}

static void handle_notice(lull_program *program, struct lull_i_entry *entry) {
  // At the places of `enum lull_event_kind`.
  static const char *const names[] = {
      "", "deliver", "wake", "keepalive", "expire", "action", "open", "received", "changed", "keeping",
      "prepare", "", "", "", "fetch", "push", NULL};
  struct lull_i_tickets *tickets = &program->tickets;
  struct lull_i_message notice;
  lull_notification content;
  if (!lull_i_parse(entry->line, entry->length, &notice) || !notice.notice) return;
  uint64_t ticket = lull_i_number(&notice, "ticket", 0);
  uint64_t waited = lull_i_number(&notice, "waitedMicroseconds", UINT64_MAX);
  lull_event event = {.kind = lull_i_word(notice.notice, names),
                      .notification = (uint32_t)lull_i_number(&notice, "notification", 0)};
  switch (event.kind) {
    case LULL_EVENT_MESSAGE:
      received(tickets, ticket);
      // One that this version does not know is answered, too: lulld would take the program for hung.
      emit_message(program, lull_i_word(lull_i_text(&notice, "message"), lull_i_messages));
      lull_i_send(program, LULL_I_IGNORED, -1, "did ticket=%ju", ticket);
      return;
    case LULL_EVENT_WAKE:
      event.reason = lull_i_word(lull_i_text(&notice, "reason"), lull_i_wakes);
      event.line = lull_i_line(program, lull_i_number(&notice, "line", 0));
      event.waited_microseconds = waited > INT64_MAX ? -1 : (int64_t)waited;
      woke(tickets, event.reason, ticket);
      if (event.reason == LULL_WAKE_TIMER) program->wake_at = 0;
      break;
    case LULL_EVENT_KEEPALIVE:
      received(tickets, ticket);
      program->keepalive_run = lull_i_now();
      // It was cleared while the notice was on its way.
      tickets->word = program->keepalive > 0 ? LULL_I_UNSAID : LULL_I_GIVEN;
      if (program->keepalive <= 0) return;
      break;
    case LULL_EVENT_EXPIRE:
      event.task = task_of(program, lull_i_number(&notice, "task", 0));
      if (!event.task) return;
      break;
    case LULL_EVENT_ACTION:
    case LULL_EVENT_OPEN:
      event.action = lull_i_text(&notice, "action");
      event.token = lull_i_text(&notice, "token");
      event.url = lull_i_text(&notice, "url");
      if (event.kind == LULL_EVENT_ACTION && !event.action) event.action = "";
      if (event.kind == LULL_EVENT_OPEN && !event.url) return;
      received(tickets, ticket);
      tickets->word = LULL_I_UNSAID;
      break;
    case LULL_EVENT_RECEIVED:
      lull_i_read_notification(&notice, &content);
      event.content = &content;
      tickets->word = LULL_I_UNSAID;
      break;
    case LULL_EVENT_CHANGED: change(program, &notice); return;
    case LULL_EVENT_KEEPING:
      // lulld may lack the right to take the descriptors by itself.
      lull_i_send_lines(program, 0, true);
      break;
    case LULL_EVENT_PREPARE:
      program->hands_over = true;
      program->handover = ticket;
      break;
    case LULL_EVENT_FETCH:
      program->fetch_ticket = ticket;
      program->fetch_since = lull_i_now();
      break;
    case LULL_EVENT_PUSH:
      program->fetch_ticket = ticket;
      event.title = lull_i_text(&notice, "title");
      event.payload = entry->line + entry->length + 1;
      event.payload_length = entry->payload_length;
      break;
    // A notice that this version does not know is passed over.
    default: return;
  }
  lull_i_emit(program, event);
}

/* The end of lulld, and its return. */

static void lose(lull_program *program) {
  restart_tickets(&program->tickets);
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
    case LULL_I_DONE_RECEIVED: done_received(&program->tickets, entry->ticket); break;
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
