/* What the files of liblull share, and the ALSA plugin with them. Names begin with `lull_i_`: none of them is
   exported. */
#ifndef LULL_INTERNAL_H
#define LULL_INTERNAL_H

#include <stdarg.h>
#include <sys/types.h>

#include "lull.h"

enum {
  LULL_I_LINE = 4096,   // a text line with its LF (docs/PROTOCOL.md)
  LULL_I_FIELDS = 32,
  LULL_I_WORD = 32,
  LULL_I_NAME = 64,
  LULL_I_PAYLOAD = 4096,  // what is pushed
  LULL_I_STATE = 4096,    // the program's own state of a line
  LULL_I_KEPT = 48,       // lines that are passed to the next life
  LULL_I_WAITING = 1 << 20,  // bytes that may wait in either direction
  LULL_I_PATIENCE = 5000,    // milliseconds
};

/* grammar.c: lines of docs/PROTOCOL.md. */

struct lull_i_field {
  const char *key;
  /// NULL: a flag. It may have a NUL in its middle.
  const char *value;
  size_t length;
};

struct lull_i_message {
  const char *verb;
  /// The name of an `event`.
  const char *notice;
  size_t count;
  struct lull_i_field fields[LULL_I_FIELDS];
};

/// Reads a line in its place: `line` has `length` bytes without LF and room for one more. False for a line
/// that breaks a rule.
bool lull_i_parse(char *line, size_t length, struct lull_i_message *message);

/// NULL when the field is missing; "true" for a flag.
const char *lull_i_text(const struct lull_i_message *message, const char *key);
/// These return `missing` when the field, or the text, is missing or no number.
uint64_t lull_i_number(const struct lull_i_message *message, const char *key, uint64_t missing);
double lull_i_seconds(const struct lull_i_message *message, const char *key, double missing);
uint64_t lull_i_digits(const char *text, uint64_t missing);
double lull_i_decimal(const char *text, double missing);

/// A line that is written; `overflows` when it has more bytes than a line may have.
struct lull_i_writer {
  char bytes[LULL_I_LINE];
  size_t count;
  bool overflows;
};

/// Writes a request: a verb, and fields with a blank between. `key=%s` is a text, `key=%ju` and `key=%d` are
/// numbers, `key=%f` seconds (at most the year 2262). With a `?` behind the key a field is left out where its
/// text is NULL or its number is not above 0; `key?%d` is a flag.
void lull_i_write(struct lull_i_writer *writer, const char *format, va_list values);

/// The words of a set of bits, or of a number from 0 on; the list ends with NULL.
extern const char *const lull_i_modes[], *const lull_i_offloads[], *const lull_i_messages[];
extern const char *const lull_i_line_types[], *const lull_i_wakes[], *const lull_i_launches[];
extern const char *const lull_i_changes[], *const lull_i_powers[], *const lull_i_fetches[];
extern const char *const lull_i_suspensions[];

enum { LULL_I_WORDS = 128 };

/// Writes the words of a set into `text`, which has LULL_I_WORDS bytes, and returns it.
const char *lull_i_words(char *text, unsigned set, const char *const *words);
unsigned lull_i_word_set(const char *text, const char *const *words);
/// The place of a word; 0 when it is none of them.
int lull_i_word(const char *text, const char *const *words);

/* channel.c: the connection. */

/// What is done with an answer.
enum lull_i_use { LULL_I_IGNORED, LULL_I_AWAITED, LULL_I_DONE, LULL_I_REGISTRATION };

struct lull_i_expected {
  enum lull_i_use use;
  /// The program's highest one when the request was sent.
  uint64_t ticket;
};

enum lull_i_entry_kind { LULL_I_NOTICE, LULL_I_DONE_RECEIVED, LULL_I_GONE, LULL_I_BACK };

/// What waits for `lull_dispatch`, in its order.
struct lull_i_entry {
  struct lull_i_entry *next;
  enum lull_i_entry_kind kind;
  uint64_t ticket;
  size_t length, payload_length;
  /// The payload stands one byte behind the line.
  char line[];
};

enum lull_i_link { LULL_I_DOWN, LULL_I_REGISTERING, LULL_I_UP, LULL_I_CLOSED };

struct lull_i_channel {
  int socket;
  enum lull_i_link link;
  /// When lulld is looked for again, or has taken too long.
  int64_t due;
  int retry_milliseconds;
  size_t input_count;
  char input[2 * LULL_I_LINE + 1];
  /// What came beside the line that ends the input.
  size_t payload_length;
  char payload[LULL_I_PAYLOAD];
  char *output;
  size_t output_count;
  struct lull_i_expected *expected;
  size_t expected_count;
  struct lull_i_entry *first, **last;
  size_t waiting;
  /// The answer that is awaited, in its own line: `reply` is read from it.
  bool has_reply;
  /// The other end has said what no lulld says.
  bool is_foreign;
  char reply_line[LULL_I_LINE + 1];
  struct lull_i_message reply;
  /// Who hears the items of `scheduled` while its answer is awaited; NULL: nobody.
  void (*each)(uint32_t id, const lull_notification *notification, void *context);
  void *each_context;
};

/// Takes a connection; it stays the caller's when this fails.
int lull_i_adopt(lull_program *program, int control);
/// Gives the connection up, to look for lulld again.
void lull_i_drop(lull_program *program);
/// Takes the first entry that waits, to be freed; NULL: none does.
struct lull_i_entry *lull_i_take_entry(struct lull_i_channel *channel);
/// Sends a request (see `lull_i_write`), with a descriptor unless that is -1, and does not wait for its
/// answer. LULL_LOST while lulld is away.
int lull_i_send(lull_program *program, enum lull_i_use use, int fd, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Waits for the answer to a request that was sent, with this code, as LULL_I_AWAITED: `channel.reply`.
int lull_i_await(lull_program *program, int code);
/// Sends a request and waits for its answer.
#define lull_i_ask(program, ...) lull_i_await(program, lull_i_send(program, LULL_I_AWAITED, __VA_ARGS__))
/// Reads what has come, without waiting.
void lull_i_receive(lull_program *program);
void lull_i_flush(lull_program *program);
bool lull_i_is_up(const lull_program *program);
/// The moment in so many milliseconds, in nanoseconds of CLOCK_BOOTTIME.
int64_t lull_i_later(int64_t milliseconds);
int64_t lull_i_now(void);
/// Waits until a descriptor is ready; false after the moment.
bool lull_i_wait(int fd, short events, int64_t until);

/* launch.c: the way to lulld. */

/// Connects; `waits` for a place in the queue of a lulld that is busy. Returns LULL_OK or an error.
int lull_i_connect(lull_program *program, bool waits);
/// The same, which starts a lulld if none runs.
int lull_i_reach(lull_program *program);

/* program.c */

/// The program's word that it has handled what came (see `Tickets` of the library in Swift).
enum lull_i_word_state { LULL_I_UNSAID, LULL_I_GIVEN, LULL_I_TOLD, LULL_I_RECEIVED };

struct lull_i_tickets {
  bool is_owed;
  /// lulld counts them from 1; 0: none has come.
  uint64_t highest;
  enum lull_i_word_state word;
  uint64_t told;
};

/// A line, also one of the program's last life that is not taken yet.
struct lull_line {
  struct lull_line *next;
  lull_program *program;
  /// Its `name` is the one below, or NULL; its state is memory of its own.
  lull_restored known;
  char name[LULL_I_NAME + 1];
  double tcp_keepalive;
  bool is_encrypted;
  /// A lulld has refused it.
  bool is_lost;
  /// lulld's number; 0 while it has none.
  uint64_t id;
};

struct lull_i_task {
  struct lull_i_task *next;
  uint64_t number, id;
  char name[];
};

struct lull_program {
  struct lull_i_channel channel;
  /// lulld's folder; NULL: that of the environment.
  const char *folder;
  int loop, timer;
  /// The moment to which the timer is set; 0: none.
  int64_t armed;
  char name[LULL_I_NAME + 1];
  /// As they were given, without `name`; the texts are the program's own.
  lull_options options;
  char daemon_version[LULL_I_WORD + 1];
  int state, launch_reason, suspension;
  bool wakes_machine;
  char *launch_line, *launch_url;
  /// The launch messages that are still to come: an index into their order.
  unsigned launched;
  bool is_dispatching, is_closed, is_locked, is_data_locked;
  int power, percent;
  struct lull_i_tickets tickets;
  bool hands_over;
  uint64_t handover;
  /// The state that was asked for while lulld was away; LULL_NOT_RUNNING: none.
  int wanted;
  lull_line *lines, *restored;
  int64_t restored_until;
  struct lull_i_task *tasks;
  uint64_t last_task;
  double keepalive, fetch;
  int64_t keepalive_since, keepalive_run, wake_at, fetch_since;
  /// The ticket of the last LULL_EVENT_FETCH or LULL_EVENT_PUSH; 0: it is over.
  uint64_t fetch_ticket;
  char error[512];
};

/// A program that is not connected; NULL without memory.
lull_program *lull_i_make(const lull_options *options);
/// Opens what `lull_fd` is.
int lull_i_open_loop(lull_program *program);
/// Frees the memory and says nothing.
void lull_i_free(lull_program *program);
/// Notes the text and returns the code.
int lull_i_fail(lull_program *program, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The same for a call of the kernel, with errno.
int lull_i_fail_call(lull_program *program, const char *call);
/// The error of the answer.
int lull_i_refused(lull_program *program);
/// LULL_OK also where lulld is away: it is told when it is back.
int lull_i_or_later(int code);
void lull_i_read_registration(lull_program *program, const struct lull_i_message *reply);
/// Arms the descriptor of `lull_fd` for what is due, or waits.
void lull_i_settle(lull_program *program);

/* notices.c */

/// Tells the word, or takes it back, where that is due.
void lull_i_say_done(lull_program *program);
void lull_i_handle(lull_program *program, struct lull_i_entry *entry);
void lull_i_emit(lull_program *program, lull_event event);

/* lines.c */

/// Some line has something to read.
bool lull_i_is_readable(lull_program *program);
lull_line *lull_i_line(lull_program *program, uint64_t id);
int lull_i_declare_lines(lull_program *program);
/// Sends the descriptors of the lines, or of those that may be kept.
void lull_i_send_lines(lull_program *program, uint64_t ticket, bool are_kept);
/// Takes the descriptors that were passed to this process.
void lull_i_inherit(lull_program *program);
/// Reads the text that describes them, which has room for one more byte; returns how many it describes.
int lull_i_read_restored(lull_program *program, char *text, size_t size);
/// Closes the descriptors that nobody has taken.
void lull_i_free_lines(lull_program *program);

/* requests.c */

int lull_i_declare_requests(lull_program *program);
void lull_i_hear_item(lull_program *program, const struct lull_i_message *item);
void lull_i_read_notification(const struct lull_i_message *message, lull_notification *notification);

#endif
