/* lulld's tickets, and the program's word that it has handled them. The rules are those of `Tickets` in
   Sources/Lull/Application: an event takes the word back, and a wake whose notice is read after the word was
   told, and before lulld's answer, happened before it. */
#include "internal.h"

void lull_i_received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (ticket > tickets->highest) tickets->highest = ticket;
  tickets->is_owed = true;
}

void lull_i_woke(struct lull_i_tickets *tickets, int reason, uint64_t ticket) {
  // The program learns of these wakes from the notice alone.
  const unsigned told = 1u << LULL_WAKE_OTHER | 1u << LULL_WAKE_OPERATOR | 1u << LULL_WAKE_KEEPALIVE |
                        1u << LULL_WAKE_NOTIFICATION | 1u << LULL_WAKE_REFILL | 1u << LULL_WAKE_NETWORK |
                        1u << LULL_WAKE_RESUMED | 1u << LULL_WAKE_LOCK;
  lull_i_received(tickets, ticket);
  // A fetch or a push is over with its result, and no `done` is waited for.
  if (reason == LULL_WAKE_FETCH || reason == LULL_WAKE_PUSH) return;
  bool answers = tickets->word != LULL_I_RECEIVED || reason == LULL_WAKE_UNFROZEN;
  if (told & 1u << reason || !answers) tickets->word = LULL_I_UNSAID;
  else if (tickets->word != LULL_I_UNSAID) tickets->word = LULL_I_GIVEN;
}

void lull_i_done_received(struct lull_i_tickets *tickets, uint64_t ticket) {
  if (tickets->word == LULL_I_TOLD && tickets->told == ticket) tickets->word = LULL_I_RECEIVED;
}

void lull_i_restart_tickets(struct lull_i_tickets *tickets) {
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
