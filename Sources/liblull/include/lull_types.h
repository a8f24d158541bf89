/* The words and structs of lull.h. */
#ifndef LULL_TYPES_H
#define LULL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A struct with its size and nothing else.
#ifdef __cplusplus
#define LULL_INIT_(type) ([] { type one = {}; one.size = sizeof one; return one; }())
extern "C" {
#else
#define LULL_INIT_(type) {.size = sizeof(type)}
#endif

/// The version of Lull that this header belongs to.
#define LULL_VERSION_MAJOR 0
#define LULL_VERSION_MINOR 1
#define LULL_VERSION_PATCH 0

/// A program and its connection to lulld.
typedef struct lull_program lull_program;
/// A descriptor that may wake the program.
typedef struct lull_line lull_line;

/// What a call returns. New errors may come: treat an unknown one as LULL_REFUSED.
enum lull_code {
  LULL_OK = 0,
  /// No lulld runs and none could be started.
  LULL_UNAVAILABLE = -1,
  /// lulld is away. It is looked for, and LULL_EVENT_RESTORED tells when it is back.
  LULL_LOST = -2,
  /// lulld did not answer in 5 s.
  LULL_TIMED_OUT = -3,
  /// A program of that name runs already.
  LULL_NAME_IN_USE = -4,
  /// The program did not declare the mode that the call needs.
  LULL_WRONG_MODE = -5,
  /// The descriptor cannot be watched: a regular file or a directory.
  LULL_NOT_POLLABLE = -6,
  /// A limit was reached; the text names it.
  LULL_LIMIT = -7,
  /// The time for tasks in this stay in the background has run out.
  LULL_NO_BACKGROUND_TIME = -8,
  /// The call was refused for another reason, such as a value outside its bounds.
  LULL_REFUSED = -9,
  /// The kernel refused something, or there is no memory: errno has the number.
  LULL_SYSTEM = -10,
  /// The program has left, or lulld has told it to terminate.
  LULL_ENDED = -11,
  /// lulld is of another version and does not know the request; the text has both versions.
  LULL_OTHER_VERSION = -12,
};

/// What a program does in the background.
enum lull_mode {
  LULL_VOIP = 1,
  LULL_AUDIO = 2,
  LULL_EXTERNAL_ACCESSORY = 4,
  LULL_FETCH = 8,
  LULL_REMOTE_NOTIFICATION = 16,
  LULL_LOCATION = 32,
  LULL_BLUETOOTH_CENTRAL = 64,
  LULL_BLUETOOTH_PERIPHERAL = 128,
};

enum lull_flag {
  /// The launch leads to the foreground. Without it the program may sleep from its first `lull_done` on.
  LULL_FOREGROUND = 1,
  /// Tasks have 180 s in a stay in the background instead of 600 s.
  LULL_IOS7 = 2,
  /// The program is terminated where others are put to sleep.
  LULL_EXITS_ON_SUSPEND = 4,
  /// The memory of the sleeping program is not paged out.
  LULL_STAYS_IN_MEMORY = 8,
  /// The lines are kept after a crash, for the next start (`lull_restored`).
  LULL_KEEPS_LINES = 16,
  /// The program can come back: it may be ended while memory is short.
  LULL_PURGEABLE = 32,
};

enum lull_program_state {
  LULL_NOT_RUNNING,
  /// In the foreground, not receiving events; a passing state.
  LULL_INACTIVE,
  LULL_ACTIVE,
  LULL_BACKGROUND,
};

enum lull_event_kind {
  /// A message of the program's life: `message`. The handler has 5 s.
  LULL_EVENT_MESSAGE = 1,
  /// The program slept and was woken: `reason`, `line`, `waited_microseconds`. Say `lull_done`.
  LULL_EVENT_WAKE,
  /// The keep-alive is due: 10 s, then say `lull_done`.
  LULL_EVENT_KEEPALIVE,
  /// The time of `task` ends in 5 s: end it, or the program is killed.
  LULL_EVENT_EXPIRE,
  /// The user chose `action` of `notification`; `token` is the desktop's (XDG_ACTIVATION_TOKEN) or NULL. In
  /// the background the program has 10 s; say `lull_done`.
  LULL_EVENT_ACTION,
  /// Somebody opened a link of the program's schemes: `url`, a stranger's text. Say `lull_done`.
  LULL_EVENT_OPEN,
  /// A notification was due while the program is active, and is not shown: `notification`, `content`.
  LULL_EVENT_RECEIVED,
  /// Something changed around the program: `changes`, `is_locked`, `power`, `percent`.
  LULL_EVENT_CHANGED,
  /// The program is to end and its lines are kept: it must not take its leave of its peers (no BYE, no
  /// shutdown). LULL_WILL_TERMINATE follows.
  LULL_EVENT_KEEPING,
  /// Sleep follows, and lulld cannot see what is read: do not read a line before the next event.
  LULL_EVENT_PREPARE,
  /// lulld is gone. The program runs on, and does not sleep.
  LULL_EVENT_LOST,
  /// lulld is there again, and knows what it knew before.
  LULL_EVENT_RESTORED,
  /// `line` could not be declared to the next lulld, and wakes nobody any more: `code`, `text`. Release it.
  LULL_EVENT_LINE_LOST,
  /// Look for new content: 30 s, or until `lull_fetched`. It never comes in the foreground.
  LULL_EVENT_FETCH,
  /// Somebody has pushed something (`lull push`): `payload`, `payload_length`, and `title` or NULL. In the
  /// background the program has 30 s, or until `lull_fetched`.
  LULL_EVENT_PUSH,
};

/// The messages of a program's life, in their order. A program that is killed asleep gets none.
enum lull_message {
  LULL_WILL_FINISH_LAUNCHING = 1,
  LULL_DID_FINISH_LAUNCHING,
  LULL_DID_BECOME_ACTIVE,
  LULL_WILL_RESIGN_ACTIVE,
  LULL_DID_ENTER_BACKGROUND,
  LULL_WILL_ENTER_FOREGROUND,
  /// The program is to end within 5 s: save, `lull_close`, exit.
  LULL_WILL_TERMINATE,
  LULL_PROTECTED_DATA_WILL_BECOME_UNAVAILABLE,
  LULL_PROTECTED_DATA_DID_BECOME_AVAILABLE,
};

/// Why the program was woken. docs/PROTOCOL.md explains each; the word of LULL_WAKE_OTHER is new there.
enum lull_wake_reason {
  LULL_WAKE_OTHER,
  LULL_WAKE_DATA,
  LULL_WAKE_CLOSED,
  LULL_WAKE_ERROR,
  LULL_WAKE_ACCEPT,
  LULL_WAKE_KEEPALIVE,
  LULL_WAKE_NOTIFICATION,
  LULL_WAKE_ACCESSORY,
  LULL_WAKE_OPERATOR,
  LULL_WAKE_CHILD,
  LULL_WAKE_WRITABLE,
  LULL_WAKE_UNFROZEN,
  LULL_WAKE_REFILL,
  LULL_WAKE_TIMER,
  LULL_WAKE_SIGNAL,
  LULL_WAKE_NETWORK,
  LULL_WAKE_RESUMED,
  LULL_WAKE_URL,
  LULL_WAKE_LOCK,
  LULL_WAKE_LOCATION,
  LULL_WAKE_BLUETOOTH,
  LULL_WAKE_FETCH,
  LULL_WAKE_PUSH,
};

/// Why the program was started.
enum lull_launch {
  LULL_LAUNCH_USER,
  LULL_LAUNCH_URL,
  LULL_LAUNCH_NOTIFICATION,
  LULL_LAUNCH_DATA,
  LULL_LAUNCH_KEEPALIVE,
  LULL_LAUNCH_BOOT,
  LULL_LAUNCH_CRASH,
  LULL_LAUNCH_FETCH,
  LULL_LAUNCH_PUSH,
};

/// What a fetch or a push has brought (`lull_fetched`).
enum lull_fetch_result { LULL_FETCH_NEW_DATA, LULL_FETCH_NO_DATA, LULL_FETCH_FAILED };

/// What changed (LULL_EVENT_CHANGED).
enum lull_change {
  LULL_CHANGE_NETWORK = 1,
  LULL_CHANGE_TIME = 2,
  LULL_CHANGE_ZONE = 4,
  LULL_CHANGE_POWER = 8,
  LULL_CHANGE_ROUTE = 16,
  LULL_CHANGE_ACCESSORY = 32,
  LULL_CHANGE_SETTINGS = 64,
  LULL_CHANGE_MEMORY = 128,
  LULL_CHANGE_LOCK = 256,
};

/// How the program is put to sleep (`lull_suspension`).
enum lull_suspension {
  /// Not at all: lulld is away.
  LULL_SUSPENSION_NONE,
  /// By the freezer of a cgroup: every process of the program at once.
  LULL_SUSPENSION_CGROUP,
  /// By SIGSTOP, where no cgroup can be written: the process and its descendants.
  LULL_SUSPENSION_SIGNALS,
};

enum lull_power { LULL_POWER_UNKNOWN, LULL_POWER_MAINS, LULL_POWER_BATTERY };

/// A notification to show, or one that is shown or waits.
typedef struct lull_notification {
  size_t size;
  /// The text.
  const char *body;
  /// The heading; NULL: the program's name.
  const char *title;
  /// The title of the action button, or NULL.
  const char *action;
  /// `default`, the absolute path of a file, or NULL for none.
  const char *sound;
  /// A call: its sound repeats until it is answered, 60 s at most.
  bool is_call;
  /// The number of one that is shown, in whose place this one is shown (`lull_present`); 0: none.
  uint32_t replaces;
  /// The date in seconds since 1970, or 0; in `lull_scheduled` 0 is one that is shown.
  double at;
  /// Seconds from now, where `at` is 0 (`lull_schedule`).
  double in;
  /// Seconds (60 or more), or a word: minute, hour, day, week, month, year; NULL: once.
  const char *repeat;
  /// The time zone of a word, such as Europe/Berlin; NULL: the machine's.
  const char *zone;
} lull_notification;

#define LULL_NOTIFICATION_INIT LULL_INIT_(lull_notification)

/// An event. It and what it points to live until the handler returns; what its kind does not name is zero.
typedef struct lull_event {
  /// An `enum lull_event_kind`. Pass over a kind that you do not know.
  int kind;
  int message;
  int reason;
  /// The line that woke the program, or NULL.
  lull_line *line;
  /// How long its data waited; -1 where that is not known.
  int64_t waited_microseconds;
  uint64_t task;
  uint32_t notification;
  const char *action;
  const char *token;
  const char *url;
  const lull_notification *content;
  /// Bits of `enum lull_change`.
  unsigned changes;
  bool is_locked;
  int power;
  /// The battery's charge, or -1.
  int percent;
  int code;
  const char *text;
  const char *title;
  /// At most 4096 bytes, without a NUL behind them.
  const void *payload;
  size_t payload_length;
} lull_event;

/// Called in `lull_dispatch`, once for each event. It may call everything but `lull_dispatch`; after
/// `lull_close` it is not called again.
typedef void lull_handler(lull_program *program, const lull_event *event, void *context);

typedef struct lull_options {
  size_t size;
  /// 1 to 64 letters, digits, `.`, `_`, `-`, a letter or digit first. A program of `lull run` keeps the name
  /// that it got there.
  const char *name;
  /// Bits of `enum lull_mode`.
  unsigned modes;
  /// Bits of `enum lull_flag`.
  unsigned flags;
  /// Seconds by which wakes may be put off while the program is woken too often; 0: none is.
  double batch_wakes;
  /// The schemes of the links that it takes, with commas, such as `sip,tel`; or NULL.
  const char *schemes;
  /// The accessories that wake it as they come and go, with commas, such as `tty:0403`; NULL: every one.
  const char *accessories;
  /// May be NULL.
  lull_handler *handler;
  void *context;
} lull_options;

#define LULL_OPTIONS_INIT LULL_INIT_(lull_options)

enum lull_line_type { LULL_LINE_VOIP, LULL_LINE_ACCESSORY, LULL_LINE_LOCATION, LULL_LINE_BLUETOOTH };

/// The pings that lulld answers while the program sleeps, on a plain TCP or UDP socket.
enum lull_offload {
  /// `ping` is answered `pong` (TCP).
  LULL_OFFLOAD_LINE = 1,
  /// The double CRLF of SIP is answered by a single one (TCP).
  LULL_OFFLOAD_CRLF = 2,
  /// NAT keep-alive datagrams are swallowed (UDP).
  LULL_OFFLOAD_UDP_KEEPALIVE = 4,
  /// STUN binding requests are answered (UDP).
  LULL_OFFLOAD_STUN = 8,
};

typedef struct lull_line_options {
  size_t size;
  /// An `enum lull_line_type`; each needs its mode.
  int type;
  /// Bits of `enum lull_offload`.
  unsigned offload;
  /// Seconds (1 to 32767) after which the kernel probes an idle TCP connection; 0: not at all.
  double tcp_keepalive;
  /// The name by which the next life of the program finds the line; or NULL.
  const char *name;
  /// A connection with TLS, whose keys end with the program: it is never kept.
  bool is_encrypted;
} lull_line_options;

#define LULL_LINE_OPTIONS_INIT LULL_INIT_(lull_line_options)

/// A live connection of the program's last life. It and its fields live until it is taken or closed.
typedef struct lull_restored {
  int fd;
  /// The name of `lull_line_options`, or NULL.
  const char *name;
  int type;
  unsigned offload;
  /// The bytes of `lull_line_set_state`.
  const void *state;
  size_t state_size;
} lull_restored;

#ifdef __cplusplus
}
#endif

#endif
