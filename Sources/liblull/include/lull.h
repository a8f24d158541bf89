/* liblull: a program in C that Lull puts to sleep and wakes. docs/C.md has a tour.

   A program opens a handle, declares the descriptors that may wake it, and adds one descriptor (`lull_fd`) to
   its own loop. It is frozen while nothing happens, and says after each event that it has handled it
   (`lull_done`).

   Rules for every call:
   - A function that returns `int` returns LULL_OK or an error below zero; `lull_error` has its text.
   - Text is UTF-8 that ends with NUL. What a caller passes is copied before the call returns.
   - A handle belongs to one thread at a time: no call locks. Handles are independent of each other, and the
     library has no global state, no thread and no signal handler. A child of fork() must not use the handle.
   - A call that asks lulld waits at most 5 s for the answer; lulld answers within a millisecond.
   - While lulld is away (killed, upgraded) lines, the keep-alive, tasks and wakes are kept here and declared
     anew when it is back. Calls that cannot wait for it return LULL_LOST.
   - A struct that a caller fills has its own size in front, which its initializer sets: later versions of
     this library may know more fields. A struct that the library fills may get more fields at its end. */
#ifndef LULL_H
#define LULL_H

#include "lull_types.h"

#if defined(__GNUC__)
#define LULL_API __attribute__((visibility("default")))
#else
#define LULL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The program. */

/// Connects to lulld, which is started first if none runs, and registers the program. The messages of its
/// launch come in `lull_dispatch`, which must begin within 5 s. Requests: `hello`, `register`.
///
/// On success `*program` is the handle, to be given to `lull_close`. Otherwise it is NULL, and `error`, of
/// `size` bytes, has the text (it may be NULL): LULL_UNAVAILABLE, NAME_IN_USE, TIMED_OUT, REFUSED (the name,
/// a value, a lulld of another user), OTHER_VERSION, SYSTEM. Without lulld a program runs on as it is.
LULL_API int lull_open(lull_program **program, const lull_options *options, char *error, size_t size);

/// Takes the program's leave: it is not put to sleep any more. Its lines are released, and their handles and
/// this one are gone; descriptors stay open, but for restored ones that were not taken. In a handler the
/// memory is freed when `lull_dispatch` returns. NULL does nothing. Request: `bye`.
LULL_API void lull_close(lull_program *program);

/// The text of the last call that failed, one line, until the next one fails.
LULL_API const char *lull_error(const lull_program *program);

/// Readable while `lull_dispatch` has something to do; level-triggered, for poll, epoll and every loop on
/// them. It stays the same until `lull_close`, over each lulld, and is not to be read or closed.
LULL_API int lull_fd(const lull_program *program);

/// Hands the events that have come to the handler, and does not wait. Requests: `did`, `handover`, `ready`.
/// Returns LULL_OK; LULL_ENDED when the handler has closed the program, whose handle is gone then.
LULL_API int lull_dispatch(lull_program *program);

/// The program has handled everything that has come, and may sleep. To be called at the end of each turn of
/// the loop, or after each read of a line and in the handler of each event that asks for it; it costs nothing
/// when lulld knows it already. The word is not given while a line has something to read: call it again after
/// that. Request: `done`. Returns LULL_OK.
LULL_API int lull_done(lull_program *program);

/// Takes the last `lull_done` back: the program has read something that another thread handles, which nobody
/// can see from outside. It has 10 s, or until the next `lull_done`. Request: `handling`. Returns LULL_OK.
LULL_API int lull_handling(lull_program *program);

/// The name that lulld knows the program by.
LULL_API const char *lull_name(const lull_program *program);

/// An `enum lull_program_state`.
LULL_API int lull_state(const lull_program *program);

/// An `enum lull_launch`.
LULL_API int lull_launch_reason(const lull_program *program);

/// The name of the line on which data came (LULL_LAUNCH_DATA), or NULL.
LULL_API const char *lull_launch_line(const lull_program *program);

/// The link for which the program was started (LULL_LAUNCH_URL), or NULL; LULL_EVENT_OPEN follows.
LULL_API const char *lull_launch_url(const lull_program *program);

/// An `enum lull_suspension`, as lulld said at the registration.
LULL_API int lull_suspension(const lull_program *program);

/// True when a suspended machine is resumed for the program: for its keep-alive, and for `lull_wake_in`.
LULL_API bool lull_wakes_machine(const lull_program *program);

/// The version of the library that is loaded, such as `0.1.0`.
LULL_API const char *lull_version(void);

/// The version of the lulld that was there at `lull_open`; empty where it does not tell.
LULL_API const char *lull_daemon_version(const lull_program *program);

/// Sends the program to the background, as its user would. Request: `background`. Returns LULL_OK.
LULL_API int lull_enter_background(lull_program *program);

/// Asks for the foreground. Request: `foreground`. Returns LULL_OK.
LULL_API int lull_request_foreground(lull_program *program);

/* Lines: lines.c. */

/// Lets a descriptor wake the program: a connection, a listening socket, a UDP socket, an accessory, anything
/// that poll takes. The program reads it as before. `options` may be NULL. Request: `hold`.
///
/// On success `*line` is the handle, to be given to `lull_release` before the descriptor is closed. Errors:
/// WRONG_MODE, NOT_POLLABLE, LIMIT, REFUSED, SYSTEM, TIMED_OUT; `*line` is NULL then.
LULL_API int lull_hold(lull_program *program, int fd, const lull_line_options *options, lull_line **line);

/// Ends the line and frees its handle; the descriptor stays open. NULL does nothing. Request: `release`.
LULL_API void lull_release(lull_line *line);

/// The descriptor of a line.
LULL_API int lull_line_fd(const lull_line *line);

/// The program's own state of a line, such as a SIP dialogue: at most 4096 bytes that its next life gets with
/// the line. No bytes clear it. Request: `line-state`. Errors: REFUSED (too many bytes, or an encrypted
/// line), SYSTEM, TIMED_OUT.
LULL_API int lull_line_set_state(lull_line *line, const void *bytes, size_t count);

/// The lines of the program's last life that nobody has taken or closed; `index` counts from 0. NULL behind
/// the last one. What is not taken within 60 s of `lull_open` is closed.
LULL_API const lull_restored *lull_restored_at(const lull_program *program, size_t index);

/// Goes on with a restored line, which is held as it was: its descriptor is the program's own from then on.
/// `restored` is gone; the ones behind it move up. Request: `hold`. Errors as of `lull_hold`; it stays then.
LULL_API int lull_take(lull_program *program, const lull_restored *restored, lull_line **line);

/// Closes a restored line that the program does not want. Its peer notices at once.
LULL_API void lull_discard(lull_program *program, const lull_restored *restored);

/* What a program asks for: requests.c. */

/// LULL_EVENT_KEEPALIVE comes at least once in `seconds`, 600 or more, in the background and asleep; 0 ends
/// it. Two are 600 s apart at least. Request: `keepalive`. Errors: REFUSED (too short), WRONG_MODE (it needs
/// `voip`), TIMED_OUT; an earlier one stays then.
LULL_API int lull_set_keepalive(lull_program *program, double seconds);

/// A program that sleeps in `seconds`, 15 or more, is woken then, once, with LULL_WAKE_TIMER; 0 takes that
/// back. The last call counts. Request: `wake-in`. Errors: REFUSED, WRONG_MODE (it needs `voip`), TIMED_OUT.
LULL_API int lull_wake_in(lull_program *program, double seconds);

/// LULL_EVENT_FETCH comes when the program may look for new content, no more often than every `seconds`, 900
/// or more; 0 ends it. Request: `fetch`. Errors: REFUSED, WRONG_MODE (it needs `fetch`), TIMED_OUT.
LULL_API int lull_set_fetch(lull_program *program, double seconds);

/// The last fetch or push that came is over: an `enum lull_fetch_result`. One that was open before it has the
/// rest of its 30 s. When none is open this does nothing. Request: `fetched`. Errors: REFUSED (the result),
/// LOST, TIMED_OUT.
LULL_API int lull_fetched(lull_program *program, int result);

/// Begins a task of finite length: the program does not sleep before `lull_end_task`. All tasks together have
/// 600 s (LULL_IOS7: 180 s) in a stay in the background. Request: `begin-task`. Errors: NO_BACKGROUND_TIME,
/// LIMIT, TIMED_OUT; `*task` is 0 then.
LULL_API int lull_begin_task(lull_program *program, const char *name, uint64_t *task);

/// Ends a task; a number that is none does nothing. Request: `end-task`. Returns LULL_OK.
LULL_API int lull_end_task(lull_program *program, uint64_t task);

/// The seconds after which the program may sleep if it begins no task: 10 after a wake and in a keep-alive,
/// but `lull_task_remaining` while a task is open. Below zero: no limit runs. Request: `remaining`. Errors:
/// LOST, TIMED_OUT.
LULL_API int lull_remaining(lull_program *program, double *seconds);

/// The seconds that are left for tasks in this stay in the background; below zero: no limit runs. Request:
/// `remaining`. Errors: LOST, TIMED_OUT.
LULL_API int lull_task_remaining(lull_program *program, double *seconds);

/// Shows a notification now, or hands it back as LULL_EVENT_RECEIVED when the program is active. Its number
/// (`id` may be NULL) is that of LULL_EVENT_ACTION, also in the program's next life. Request: `present`.
/// Errors: LOST, REFUSED, TIMED_OUT.
LULL_API int lull_present(lull_program *program, const lull_notification *notification, uint32_t *id);

/// Shows a notification at its date, `at` or `in`, and again by `repeat`. lulld keeps it over its own end and
/// over the machine's. At most 128 wait. Request: `schedule`. Errors: LOST, REFUSED, LIMIT, TIMED_OUT.
LULL_API int lull_schedule(lull_program *program, const lull_notification *notification, uint32_t *id);

/// Takes a notification back, shown or waiting; 0: all of them. Returns how many were, or LOST, TIMED_OUT.
/// Request: `cancel`.
LULL_API int lull_cancel(lull_program *program, uint32_t id);

/// Calls `each` for the notifications that wait, and with `all` for those that are shown. The notification
/// lives until `each` returns, which must not call the library. Returns how many, or LOST, TIMED_OUT, SYSTEM.
/// Request: `scheduled`.
LULL_API int lull_scheduled(
    lull_program *program, bool all,
    void (*each)(uint32_t id, const lull_notification *notification, void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
