/* A program's handle, its registration and its turn (`lull_dispatch`). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "internal.h"

#define TEXT_OF(word) #word
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *lull_version(void) {
  return VERSION_OF(LULL_VERSION_MAJOR, LULL_VERSION_MINOR, LULL_VERSION_PATCH);
}

/* Errors. */

int lull_i_fail(lull_program *program, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(program->error, sizeof program->error, format, arguments);
  va_end(arguments);
  return code;
}

int lull_i_fail_call(lull_program *program, const char *call) {
  int number = errno;
  lull_i_fail(program, LULL_SYSTEM, "%s: %s", call, strerror(number));
  errno = number;
  return LULL_SYSTEM;
}

static int code_of(const char *word) {
  static const struct {
    const char *word;
    int code;
  } codes[] = {
      {"name-in-use", LULL_NAME_IN_USE},
      {"wrong-mode", LULL_WRONG_MODE},
      {"not-pollable", LULL_NOT_POLLABLE},
      {"no-background-time", LULL_NO_BACKGROUND_TIME},
      {"unknown-verb", LULL_OTHER_VERSION},
  };
  for (size_t index = 0; index < sizeof codes / sizeof *codes; index++)
    if (strcmp(codes[index].word, word) == 0) return codes[index].code;
  return strncmp(word, "too-many-", 9) == 0 ? LULL_LIMIT : LULL_REFUSED;
}

int lull_i_refused(lull_program *program) {
  const struct lull_i_message *reply = &program->channel.reply;
  const char *code = lull_i_text(reply, "code"), *text = lull_i_text(reply, "message");
  const char *daemon = program->daemon_version, *own = lull_version();
  if (!code) code = "refused";
  lull_i_fail(program, LULL_REFUSED, "%.300s", text ? text : code);
  size_t used = strlen(program->error);
  char *end = program->error + used;
  if (*daemon && strcmp(daemon, own) != 0)
    snprintf(end, sizeof program->error - used, " (lulld is %s, liblull is %s)", daemon, own);
  return code_of(code);
}

int lull_i_or_later(int code) { return code == LULL_LOST ? LULL_OK : code; }

const char *lull_error(const lull_program *program) { return program->error; }

/* Registration. */

static int send_registration(lull_program *program, enum lull_i_use use, const char *resume) {
  const lull_options *options = &program->options;
  unsigned flags = options->flags;
  char modes[LULL_I_WORDS];
  return lull_i_send(
      program, use, -1,
      "register name=%s modes=%s launch=%s profile?=%s resume?=%s exitsOnSuspend?%d batchWakes?=%f"
      " accessory?=%s schemes?=%s noCompact?%d keepLines?%d purgeable?%d",
      program->name, lull_i_words(modes, options->modes, lull_i_modes),
      flags & LULL_FOREGROUND ? "foreground" : "background", flags & LULL_IOS7 ? "ios7" : NULL, resume,
      !!(flags & LULL_EXITS_ON_SUSPEND), options->batch_wakes, options->accessories, options->schemes,
      !!(flags & LULL_STAYS_IN_MEMORY), !!(flags & LULL_KEEPS_LINES), !!(flags & LULL_PURGEABLE));
}

void lull_i_read_registration(lull_program *program, const struct lull_i_message *reply) {
  const char *name = lull_i_text(reply, "name"), *wakes = lull_i_text(reply, "wakesMachine");
  if (name) snprintf(program->name, sizeof program->name, "%s", name);
  program->suspension = lull_i_word(lull_i_text(reply, "suspender"), lull_i_suspensions);
  program->wakes_machine = wakes && strcmp(wakes, "true") == 0;
  program->channel.link = LULL_I_UP;
  program->channel.retry_milliseconds = 10;
}

static char *copied(const char *text) { return text && *text ? strdup(text) : NULL; }

/// A reason that is missing or new is the user's.
static void note_launch(lull_program *program, const char *reason, const char *line, const char *url) {
  program->launch_reason = lull_i_word(reason, lull_i_launches);
  program->launch_line = copied(line);
  program->launch_url = copied(url);
  bool is_shown = program->launch_reason < LULL_LAUNCH_DATA;
  program->state = is_shown && program->options.flags & LULL_FOREGROUND ? LULL_INACTIVE : LULL_BACKGROUND;
}

static int greet(lull_program *program) {
  const struct lull_i_message *reply = &program->channel.reply;
  int code = lull_i_ask(program, -1, "hello");
  if (code != LULL_OK) return code;
  const char *version = lull_i_text(reply, "version");
  snprintf(program->daemon_version, sizeof program->daemon_version, "%s", version ? version : "");
  code = lull_i_await(program, send_registration(program, LULL_I_AWAITED, NULL));
  if (code != LULL_OK) return code;
  lull_i_read_registration(program, reply);
  note_launch(
      program, lull_i_text(reply, "launchReason"), lull_i_text(reply, "line"), lull_i_text(reply, "url"));
  return LULL_OK;
}

/// A lulld that ends before it has answered is lost as one that ends later: the next one is looked for.
static int register_first(lull_program *program) {
  program->channel.link = LULL_I_UP;
  int code = greet(program);
  if (code != LULL_LOST) return code;
  if (program->channel.is_foreign)
    return lull_i_fail(program, LULL_OTHER_VERSION,
                       "what listens at the control socket does not speak the protocol of liblull %s",
                       lull_version());
  // Why the program was started stands in its environment as well.
  note_launch(program, secure_getenv("LULL_LAUNCH_REASON"), secure_getenv("LULL_LAUNCH_LINE"),
              secure_getenv("LULL_LAUNCH_URL"));
  return LULL_OK;
}

int lull_i_open_loop(lull_program *program) {
  struct epoll_event event = {.events = EPOLLIN};
  program->loop = epoll_create1(EPOLL_CLOEXEC);
  program->timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (program->loop < 0 || program->timer < 0) return lull_i_fail_call(program, "timerfd_create");
  if (epoll_ctl(program->loop, EPOLL_CTL_ADD, program->timer, &event) == 0) return LULL_OK;
  return lull_i_fail_call(program, "epoll_ctl");
}

static int start(lull_program *program, const char *name) {
  if (!name || strlen(name) > LULL_I_NAME)
    return lull_i_fail(program, LULL_REFUSED, "a program has a name of at most %d bytes", LULL_I_NAME);
  strcpy(program->name, name);
  int code = lull_i_open_loop(program);
  if (code == LULL_OK) code = lull_i_reach(program);
  if (code == LULL_OK) code = register_first(program);
  if (code == LULL_OK) lull_i_inherit(program);
  return code;
}

void lull_i_free(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->socket >= 0) close(channel->socket);
  for (struct lull_i_entry *entry; (entry = lull_i_take_entry(channel));) free(entry);
  free(channel->output);
  free(channel->expected);
  lull_i_free_lines(program);
  for (struct lull_i_task *task; (task = program->tasks);) {
    program->tasks = task->next;
    free(task);
  }
  if (program->loop >= 0) close(program->loop);
  if (program->timer >= 0) close(program->timer);
  free((char *)program->options.schemes);
  free((char *)program->options.accessories);
  free(program->launch_line);
  free(program->launch_url);
  free(program);
}

lull_program *lull_i_make(const lull_options *options) {
  lull_program *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->loop = made->timer = made->channel.socket = -1;
  made->channel.last = &made->channel.first;
  made->channel.retry_milliseconds = 10;
  made->percent = -1;
  made->options = *options;
  made->options.name = NULL;
  made->options.schemes = copied(options->schemes);
  made->options.accessories = copied(options->accessories);
  return made;
}

int lull_open(lull_program **program, const lull_options *options, char *error, size_t size) {
  lull_options known = {0};
  *program = NULL;
  memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
  lull_program *made = lull_i_make(&known);
  int code = made ? start(made, known.name) : LULL_SYSTEM;
  if (code == LULL_OK) {
    lull_i_settle(made);
    *program = made;
    return LULL_OK;
  }
  if (error && size > 0) snprintf(error, size, "%s", made ? made->error : "no memory");
  int number = errno;
  if (made) lull_i_free(made);
  errno = number;
  return code;
}

void lull_close(lull_program *program) {
  if (!program || program->is_closed) return;
  if (lull_i_is_up(program)) lull_i_ask(program, -1, "bye");
  lull_i_drop(program);
  program->is_closed = true;
  program->channel.link = LULL_I_CLOSED;
  if (!program->is_dispatching) lull_i_free(program);
}

/* The loop. */

int lull_fd(const lull_program *program) { return program->loop; }

void lull_i_settle(lull_program *program) {
  const struct lull_i_channel *channel = &program->channel;
  if (program->is_dispatching || program->timer < 0) return;
  bool is_timed = channel->link != LULL_I_UP || channel->output_count > 0;
  int64_t next = is_timed ? channel->due : 0;
  if (program->restored && (next == 0 || program->restored_until < next)) next = program->restored_until;
  if (channel->first) next = 1;
  if (next == program->armed) return;
  program->armed = next;
  struct itimerspec time = {.it_value = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000}};
  timerfd_settime(program->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static void reconnect(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  if (lull_i_connect(program, false) != LULL_OK) {
    lull_i_drop(program);
    return;
  }
  channel->link = LULL_I_REGISTERING;
  channel->due = lull_i_later(LULL_I_PATIENCE);
  const char *state = program->state == LULL_BACKGROUND ? "background" : "active";
  send_registration(program, LULL_I_REGISTRATION, state);
}

static void elapse(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  int64_t now = lull_i_now();
  if (program->restored && program->restored_until <= now)
    while (program->restored) lull_discard(program, &program->restored->known);
  if (channel->due > now) return;
  bool is_stuck = channel->link == LULL_I_UP && channel->output_count > 0;
  if (channel->link == LULL_I_DOWN) reconnect(program);
  else if (channel->link == LULL_I_REGISTERING || is_stuck) lull_i_drop(program);
}

static void handle_all(lull_program *program) {
  struct lull_i_entry *entry;
  while (!program->is_closed && (entry = lull_i_take_entry(&program->channel))) {
    lull_i_handle(program, entry);
    free(entry);
  }
}

/// Answers LULL_EVENT_PREPARE, when the handler has returned.
static void hand_over(lull_program *program) {
  if (!program->hands_over) return;
  program->hands_over = false;
  lull_i_send_lines(program, program->handover, false);
  lull_i_send(program, LULL_I_IGNORED, -1, "ready ticket=%ju", program->handover);
}

int lull_dispatch(lull_program *program) {
  uint64_t count;
  if (program->is_dispatching)
    return lull_i_fail(program, LULL_REFUSED, "lull_dispatch cannot be called from a handler");
  program->is_dispatching = true;
  if (read(program->timer, &count, sizeof count) > 0) program->armed = 0;
  lull_i_flush(program);
  lull_i_receive(program);
  handle_all(program);
  if (!program->is_closed) elapse(program);
  handle_all(program);
  if (!program->is_closed) {
    lull_i_say_done(program);
    hand_over(program);
  }
  program->is_dispatching = false;
  if (program->is_closed) {
    lull_i_free(program);
    return LULL_ENDED;
  }
  lull_i_settle(program);
  return LULL_OK;
}

/* What is known of the program. */

const char *lull_name(const lull_program *program) { return program->name; }
int lull_state(const lull_program *program) { return program->state; }
int lull_launch_reason(const lull_program *program) { return program->launch_reason; }
bool lull_wakes_machine(const lull_program *program) {
  return lull_i_is_up(program) && program->wakes_machine;
}
int lull_suspension(const lull_program *program) {
  return lull_i_is_up(program) ? program->suspension : LULL_SUSPENSION_NONE;
}
const char *lull_launch_line(const lull_program *program) { return program->launch_line; }
const char *lull_launch_url(const lull_program *program) { return program->launch_url; }
const char *lull_daemon_version(const lull_program *program) { return program->daemon_version; }
