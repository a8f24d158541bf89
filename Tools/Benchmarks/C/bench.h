// Shared by the benchmark programs: time, processes, the freezer of cgroup v2, the control protocol,
// figures. A function here either succeeds or ends its process with one line on standard error. One prefix:
// bench_.
#ifndef LULL_BENCH_H
#define LULL_BENCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BENCH_MILLISECOND 1000000ull
#define BENCH_SECOND 1000000000ull
#define BENCH_LINE 4096
#define BENCH_SAMPLES 100000

// basic.c
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// CLOCK_MONOTONIC in nanoseconds: one clock for every process of the machine.
uint64_t bench_now(void);
void bench_pause(uint64_t nanoseconds);
/// A uniformly distributed number below `limit`; the state is the caller's.
uint64_t bench_random(uint64_t *state, uint64_t limit);
void bench_path(char path[PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));
int bench_open(const char *path, int flags);
void bench_write(int descriptor, const char *text);
unsigned bench_number(const char *text, unsigned least, unsigned most);
/// Waits half a millisecond and up to two more, the last stretch without sleeping: how long the caller itself
/// takes to come out of its sleep is not measured. Returns the time.
uint64_t bench_random_moment(uint64_t *seed);

// sockets.c
int bench_listen(uint16_t *port);
int bench_connect(uint16_t port);
/// Negative as long as nobody listens there.
int bench_try_connect(uint16_t port);
/// The next connection; its receive calls give up after 10 s, so that a lost wake is a failure and not a
/// hang.
int bench_accept(int listener);

int bench_listen_at(uint16_t port);
int bench_datagrams(uint16_t *port);
int bench_datagrams_to(uint16_t port);
uint16_t bench_local_port(int descriptor);
/// A port that nobody uses for TCP or UDP.
uint16_t bench_free_port(void);
/// Its receive calls give up after so many seconds.
void bench_limit_receive(int descriptor, unsigned seconds);
/// From now on this process and its children have a network of their own, unless the machine permits none.
void bench_own_network(void);

// freezer.c
void bench_cgroup_mount(char path[PATH_MAX]);
void bench_own_cgroup(char path[PATH_MAX]);
void bench_make_cgroup(const char *path);
void bench_enter_cgroup(const char *path);
void bench_remove_cgroups(const char *root);
int bench_open_in(const char *directory, const char *name, int flags);
bool bench_is_frozen(int events);
void bench_await_frozen(int events, uint64_t pause);

// world.c
/// Everything that a benchmark starts lives under `cgroup`, and everything that it writes in `runtime`.
struct bench_world {
  char cgroup[PATH_MAX];
  char runtime[PATH_MAX];
};
/// Runs `body` in a child and afterwards, however it ended, kills and removes all that it left behind.
int bench_run(int (*body)(const struct bench_world *world, const void *options), const void *options);
/// Forks a child that keeps standard input, output, error and `kept` (unless negative), and dies with its
/// parent.
pid_t bench_fork(int kept);

// control.c
struct bench_control {
  int socket;
  size_t length;
  char bytes[BENCH_LINE];
};
/// False as long as nobody accepts there.
bool bench_control_try_open(struct bench_control *control, const char *runtime);
void bench_control_send(struct bench_control *control, int descriptor, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Takes the next line, without its LF. With `wait` false: false when no whole line has come yet.
bool bench_control_line(struct bench_control *control, bool wait, char line[BENCH_LINE]);
/// Waits for the reply to the request that was sent last and skips notices; an error reply ends the process.
void bench_control_reply(struct bench_control *control, char line[BENCH_LINE]);
bool bench_starts_with(const char *line, const char *word);
bool bench_field(const char *line, const char *key, char value[BENCH_LINE]);

// daemon.c
pid_t bench_spawn_daemon(const struct bench_world *world, const char *path);
/// Waits until the daemon has answered `hello`; returns its pid.
pid_t bench_await_daemon(const struct bench_world *world, struct bench_control *control);
void bench_end_daemon(pid_t daemon);
/// The line of `status` about that program; false when the daemon does not know it.
bool bench_program_item(struct bench_control *control, const char *name, char item[BENCH_LINE]);
double bench_program_figure(struct bench_control *control, const char *name, const char *key);
/// Waits until the daemon says `state=suspended` of it.
void bench_await_suspended(struct bench_control *control, const char *name);
/// False when it does not within that time.
bool bench_falls_asleep(struct bench_control *control, const char *name, unsigned seconds);
/// Asks for its sleep until the kernel says that it is frozen.
void bench_put_to_sleep(struct bench_control *control, const char *name, int events);
/// Where the cgroup of the program of that name is, from the daemon's `status`.
void bench_program_cgroup(struct bench_control *control, const char *name, char path[PATH_MAX]);
/// An open cgroup.events of the program of that name, from the daemon's `status`.
int bench_program_events(struct bench_control *control, const char *name);

// receiver.c, watcher.c, client.c: the contestants; each is a process that runs until its connection ends.
/// A byte that is answered after 20 ms: the answers of many would compete with the wakes of the others.
#define BENCH_LATER 'l'
/// Answers bytes that were read at that moment with the moment.
void bench_answer(int line, const char *bytes, uint64_t received);
_Noreturn void bench_receiver(uint16_t port, int done);
/// `count` receivers, each in a cgroup of its own, which is named by its number.
_Noreturn void bench_watcher(const char *cgroup, uint16_t port, unsigned count);
_Noreturn void bench_client(const char *runtime, const char *name, uint16_t port);
_Noreturn void bench_library(const char *runtime, const char *name, uint16_t port);

// holder.c: the floor of a freeze
struct bench_holder {
  unsigned sockets, threads;  // what the program has
  pid_t pid;
  int process, freeze, events, loop;
  int *held;
  unsigned count;
};
/// Starts the program in a cgroup that is made for it; `sockets` and `threads` have been set.
void bench_start_held(struct bench_holder *holder, const char *cgroup, char *const command[]);
/// Freezes, confirms, proves and watches it; the microseconds that this took. Then it is thawed.
double bench_hold_once(struct bench_holder *holder, uint64_t *seed);
/// Looks at its threads while it runs; the microseconds that this took.
double bench_look_once(struct bench_holder *holder);

// peers.c
/// The connections of the program `eight`; one with more is `many`.
#define BENCH_FEW 4
/// Starts the other end of a program's connections; returns what `bench_await_peers` waits for.
int bench_start_peers(unsigned count, uint16_t *port);
void bench_await_peers(int peers);

// side.c: a daemon and its programs (or the floor's watcher and its own) in a process of their own
struct bench_side {
  const char *name;
  unsigned programs, lines, rounds, bursts;
  const char *lull, *daemon;  // NULL: the floor
  pid_t process;
  int orders;  // what it is told to do, and its answers
  struct bench_side_figures *figures;
};
struct bench_side_figures {
  bool sleeps;
  double bytes_per_line;
  unsigned wakes_done, bursts_done;
  double *wakes, *bursts;  // microseconds
};
/// An order for a side: a round, or the check that `lull` tells of all its programs and lines.
enum bench_order { BENCH_WAKE = 'w', BENCH_BURST = 'b', BENCH_TELL = 't' };
void bench_start_side(struct bench_side *side, const struct bench_world *world);
/// Waits until it sleeps, or has given up.
void bench_await_side(struct bench_side *side);
/// Ends its daemon and its programs.
void bench_end_side(struct bench_side *side);
void bench_order_side(struct bench_side *side, enum bench_order order);

// process.c
/// The private memory of a process (smaps_rollup) in bytes.
double bench_private_memory(pid_t process);
/// The seconds for which the kernel let its threads run (schedstat).
double bench_processor_time(pid_t process);

// command.c: programs that were never written for Lull
/// Starts a command that dies with its parent; its first `silent` standard streams are /dev/null.
pid_t bench_start_silent(char *const command[], int silent);
/// `lull run --detach --mode voip --name NAME -- COMMAND...`
void bench_lull_run(const char *lull, const char *name, char *const command[]);
/// The same with one more option; NULL: none.
void bench_lull_run_with(const char *lull, const char *name, const char *option, char *const command[]);
/// The path of this program.
void bench_own_path(char path[PATH_MAX]);

// softphone.c
/// Writes the configuration of a baresip that listens on that port and answers as `mode` (auto, manual) says.
void bench_configure_softphone(const char *folder, uint16_t port, const char *mode);
/// Starts it under `lull run`.
void bench_lull_run_softphone(const char *lull, const char *name, char *folder);

// eight.c, many.c, echo.c: programs under measurement
int bench_eight_command(int count, char **arguments);
int bench_many_command(int count, char **arguments);
int bench_echo_command(int count, char **arguments);

// sound.c
int bench_compare_command(int count, char **arguments);
int bench_edge_command(int count, char **arguments);

// way.c
int bench_way_command(int count, char **arguments);

// traffic.c
/// A connection to an echo program; the bytes that are sent are told apart by their place in its stream.
struct bench_channel {
  const char *name;
  int socket;
  bool datagrams;
  unsigned salt;
  uint64_t sent, echoed, lost;
};
void bench_send_burst(struct bench_channel *channel, uint64_t *seed);
/// Takes what has come; false when the connection has ended.
bool bench_hear_echo(struct bench_channel *channel);
/// Bytes that have not come back are lost.
void bench_give_up(struct bench_channel *channel);

// statistics.c
/// The nearest-rank quantile of at most BENCH_SAMPLES samples.
double bench_quantile(const double *samples, size_t count, double quantile);
const char *bench_verdict(double figure, double target);

// notify.c, wake.c, fleet.c, start.c, calls.c, invite.c, freeze.c, cycles.c, call.c: the commands
int bench_servers_command(int count, char **arguments);
int bench_scale_command(int count, char **arguments);
int bench_call_command(int count, char **arguments);
int bench_wake_command(int count, char **arguments);
int bench_fleet_command(int count, char **arguments);
int bench_start_command(int count, char **arguments);
int bench_calls_command(int count, char **arguments);
int bench_invite_command(int count, char **arguments);
int bench_freeze_command(int count, char **arguments);
int bench_cycles_command(int count, char **arguments);
int bench_status_command(int count, char **arguments);
int bench_notify_command(int count, char **arguments);

// compact.c: a command, and its program under measurement
int bench_compact_command(int count, char **arguments);
int bench_memory_command(int count, char **arguments);

#endif
