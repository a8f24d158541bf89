/* lulld's tickets, and the program's word that it has handled them. The rules are those of `Tickets` in
   Sources/Lull/Application: an event takes the word back, and a wake whose notice is read after the word was
   told, and before lulld's answer, happened before it. */
#include "internal.h"

void lull_i_received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (!tickets->has_highest || ticket > tickets->highest) tickets->highest = ticket;
  tickets->has_highest = tickets->is_owed = true;
}

void lull_i_woke(struct lull_i_tickets *tickets, int reason, uint64_t ticket) {
  lull_i_received(tickets, ticket);
  switch (reason) {
    // A fetch or a push is over with its result, and no `done` is waited for.
    case LULL_WAKE_FETCH:
    case LULL_WAKE_PUSH: return;
    // The program learns of these wakes from the notice alone.
    case LULL_WAKE_OTHER:
    case LULL_WAKE_OPERATOR:
    case LULL_WAKE_KEEPALIVE:
    case LULL_WAKE_NOTIFICATION:
    case LULL_WAKE_REFILL:
    case LULL_WAKE_NETWORK:
    case LULL_WAKE_RESUMED:
    case LULL_WAKE_LOCK: tickets->word = LULL_I_UNSAID; return;
    default: break;
  }
  if (tickets->word == LULL_I_UNSAID) return;
  bool answers = tickets->word != LULL_I_RECEIVED || reason == LULL_WAKE_UNFROZEN;
  tickets->word = answers ? LULL_I_GIVEN : LULL_I_UNSAID;
}

void lull_i_done_received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (tickets->word == LULL_I_TOLD && tickets->told == ticket) tickets->word = LULL_I_RECEIVED;
}

void lull_i_restart_tickets(struct lull_i_tickets *tickets) {
  tickets->has_highest = tickets->is_owed = false;
  if (tickets->word != LULL_I_UNSAID) tickets->word = LULL_I_RECEIVED;
}

static void tell_ticket(lull_program *program, const char *verb, enum lull_i_use use) {
  struct lull_i_writer line;
  lull_i_begin(&line, verb);
  lull_i_add_number(&line, "ticket", program->tickets.highest);
  lull_i_tell(program, &line, -1, (struct lull_i_expected){use, program->tickets.highest});
}

void lull_i_say_done(lull_program *program) {
  struct lull_i_tickets *tickets = &program->tickets;
  if (!lull_i_is_up(program) || !tickets->has_highest) return;
  if (tickets->word == LULL_I_GIVEN) {
    if (lull_i_is_readable(program)) {
      tickets->word = LULL_I_UNSAID;
    } else {
      tell_ticket(program, "done", LULL_I_DONE);
      tickets->is_owed = false;
      tickets->word = LULL_I_TOLD;
      tickets->told = tickets->highest;
    }
  }
  // Something came after `done` and before the freeze: from outside nothing shows that it is handled.
  if (tickets->word == LULL_I_UNSAID && !tickets->is_owed && program->state == LULL_BACKGROUND) {
    tell_ticket(program, "handling", LULL_I_IGNORED);
    tickets->is_owed = true;
  }
}

int lull_done(lull_program *program) {
  struct lull_i_tickets *tickets = &program->tickets;
  // A word that lulld has is not said again: a loop that says it in each turn would turn for ever.
  if (tickets->word == LULL_I_UNSAID || tickets->is_owed) tickets->word = LULL_I_GIVEN;
  if (!program->is_dispatching) {
    lull_i_say_done(program);
    lull_i_settle(program);
  }
  return LULL_OK;
}

int lull_handling(lull_program *program) {
  program->tickets.word = LULL_I_UNSAID;
  if (!program->is_dispatching) {
    lull_i_say_done(program);
    lull_i_settle(program);
  }
  return LULL_OK;
}
