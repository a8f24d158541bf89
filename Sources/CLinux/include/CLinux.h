// The parts of the Linux interface that Swift's Glibc module leaves out: declarations, constants and the few
// calls that need C (variadic calls, CMSG macros, the code between clone and exec). They hold no policy.
// Their prefix is clinux_.
#pragma once

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

// Every function returns -1 and sets errno when it fails, unless its comment says otherwise.

/// The symbolic name of an error number ("EPERM"), or NULL.
const char *clinux_error_name(int code);
/// The abbreviated name of a signal ("TERM"), or NULL.
const char *clinux_signal_name(int signal);
/// signal(SIG_IGN).
int clinux_ignore_signal(int number);
/// 1 when a signal is set to be ignored, else 0.
int clinux_ignores_signal(int number);
/// getpriority(PRIO_PROCESS) of a thread: 0, and its nice value.
int clinux_nice(pid_t thread, int *value);
/// setpriority(PRIO_PROCESS) of a thread.
int clinux_set_nice(pid_t thread, int value);
/// setitimer(ITIMER_REAL) once, after so many seconds; 0 takes the alarm back.
int clinux_set_alarm(long seconds);
/// The process's environment: a NULL-terminated array.
char *const *clinux_environment(void);

/// kcmp(KCMP_FILE): 0 when both descriptors stand for the same open file.
int clinux_same_file(pid_t one, int number, pid_t other, int other_number);
/// kcmp(KCMP_FILES): 0 when both threads have the same table of descriptors, 1 or 2 when they do not.
int clinux_same_files(pid_t one, pid_t other);

enum clinux_raised_signals {
  CLINUX_RAISES_FOR_READINESS = 1,
  CLINUX_HAS_OWNER = 2,
  CLINUX_HAS_LEASE = 4,
};

/// The signals that the kernel raises for an open file, as a sum of clinux_raised_signals: fcntl with F_GETFL
/// (O_ASYNC), F_GETOWN_EX and F_GETLEASE.
int clinux_raised_signals(int descriptor);
/// fstatfs: 1 for a descriptor of a POSIX message queue, else 0.
int clinux_is_message_queue(int descriptor);
int clinux_pidfd_open(pid_t pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
int clinux_pidfd_getfd(int pidfd, int number);
/// waitid(P_PIDFD) without blocking: 1 and the CLD_ code and status when the child has ended, else 0.
int clinux_pidfd_wait(int pidfd, int *code, int *status);
/// waitid(P_PIDFD, WSTOPPED) without blocking: 1 once for each time that the child was stopped, else 0.
int clinux_pidfd_stopped(int pidfd);

enum clinux_child_change {
  CLINUX_CHILD_UNCHANGED,
  CLINUX_CHILD_EXITED,
  CLINUX_CHILD_SIGNALED,
  CLINUX_CHILD_STOPPED,
  CLINUX_CHILD_CONTINUED,
};

/// The next change of a child, without blocking. The end is told again and again, until somebody takes it.
int clinux_child_change(pid_t pid, enum clinux_child_change *change, int *status);
/// Ends this process by a signal that ends or stops by default; without a core file when it ends. Returns 1
/// when the process was continued by a SIGCONT that is blocked, which is taken: it does not wait any more;
/// else 0, also when the signal did nothing.
int clinux_act(int signal, int ends);
int clinux_set_child_subreaper(void);
int clinux_set_parent_death_signal(int signal);

// Names this process; the name is cut after 15 bytes.
int clinux_set_name(const char *name);
/// ioctl(PIDFD_GET_INFO): 1 and the status as wait(2) tells it when the process has ended and was reaped, by
/// whomever; else 0. ENOTTY or EINVAL before Linux 6.15.
int clinux_pidfd_exit(int pidfd, int *status);

/// The form of a call's time-out. All but the milliseconds are behind a pointer, where NULL is no limit.
enum clinux_time_out {
  CLINUX_TIME_OUT_NONE,
  CLINUX_TIME_OUT_MILLISECONDS, // an int; below zero: no limit
  CLINUX_TIME_OUT_TIMESPEC,     // an interval
  CLINUX_TIME_OUT_TIMEVAL,      // an interval
  CLINUX_TIME_OUT_CLOCK,        // clock_nanosleep: an interval or a moment of the clock in the first argument
  CLINUX_TIME_OUT_REALTIME,     // a moment of CLOCK_REALTIME
};

/// process_vm_readv of exactly so many bytes; EFAULT when not all of them can be read.
int clinux_read_memory(pid_t thread, uint64_t address, void *room, size_t count);

enum clinux_wait_kind {
  CLINUX_WAIT_NONE,         // no call that waits
  CLINUX_WAIT_EPOLL,        // the epoll descriptor in the first argument
  CLINUX_WAIT_POLL,         // the pollfd array in the first argument, its length in the second
  CLINUX_WAIT_SELECT,       // the sets in the second to fourth argument, their length in the first
  CLINUX_WAIT_READS,        // something to take from the descriptor in the first argument
  CLINUX_WAIT_RECEIVES,     // as READS, with MSG_ flags
  CLINUX_WAIT_WRITES,       // room in the descriptor in the first argument, or its connection
  CLINUX_WAIT_RING,         // io_uring_enter, whose flags decide
  CLINUX_WAIT_FUTEX,        // futex, whose operation decides
  CLINUX_WAIT_FUTEXES,      // futex_waitv: the array in the first argument, its length in the second
  CLINUX_WAIT_CHILD,        // takes the status of a child
  CLINUX_WAIT_SIGNAL,       // a signal that has a handler
  CLINUX_WAIT_TAKES_SIGNAL, // takes a signal of the set in the first argument
  CLINUX_WAIT_TIME,
  CLINUX_WAIT_SYSTEM_V,
  CLINUX_WAIT_FILE_LOCK,
  CLINUX_WAIT_RECORD_LOCK,  // fcntl, whose command decides
  CLINUX_WAIT_RESTART,      // goes on with a call that was interrupted
};

struct clinux_wait {
  enum clinux_wait_kind kind;
  enum clinux_time_out time_out;
  int argument; // the index of the time-out, or of the MSG_ flags
};

struct clinux_wait clinux_wait_of(long number);
/// The name of a system call with these six arguments that a freeze would cut short; NULL for any other.
const char *clinux_cut_short(long number, const uint64_t *arguments);
/// Reads the beginning of the file NUMBER/NAME of a directory; returns the bytes read.
ssize_t clinux_read_entry(int directory, pid_t number, const char *name, void *room, size_t count);
/// 1 when the mapping at an address is shared (MAP_SHARED), else 0. `maps` is a /proc/PID/maps opened for
/// reading and not read from yet. ENOENT: there is no mapping; ENOTTY: the kernel is older than 6.11.
int clinux_mapping_by_query(int maps, uint64_t address);
/// The same answer, read from the text of `maps`, whose place is at its end after that.
int clinux_mapping_by_text(int maps, uint64_t address);

/// The signals of a thread, a bit for each from number 1 on.
struct clinux_signals {
  uint64_t queued; // signals that wait for all processes of its user
  uint64_t pending, blocked, ignored, caught;
};

/// Reads /proc/PID/task/TID/status.
int clinux_thread_signals(pid_t pid, pid_t thread, struct clinux_signals *signals);

enum clinux_inspection_outcome {
  CLINUX_INSPECTION_WAITS,   // its call was cut off while it waited
  CLINUX_INSPECTION_BUSY,    // its call has a result
  CLINUX_INSPECTION_GONE,    // there is no such thread any more
  // The thread is traced by somebody else, did not stop, or the processor's registers are not known.
  CLINUX_INSPECTION_REFUSED,
};

struct clinux_inspection {
  pid_t thread;
  enum clinux_inspection_outcome outcome; // result
};

struct clinux_inspection_list {
  struct clinux_inspection *inspections;
  size_t count;
};

/// The longest time that the threads of one inspection may take to stop, or a thread to be frozen again after
/// that. On an idle machine this takes microseconds, on a loaded one until they get a processor.
#define CLINUX_INSPECTION_NANOSECONDS 10000000

/// Inspects the result of the call of each thread with ptrace, until one of them is refused: the state of the
/// others is not known then. Every thread is detached again.
int clinux_inspect_threads(struct clinux_inspection_list *list);

struct clinux_file_status {
  uint32_t mode;
  uint32_t major; // of a device
  uint64_t device, inode;
};

/// statx without asking a server: a file of FUSE or NFS does not block the call.
int clinux_file_status(int fd, struct clinux_file_status *status);
/// 1 when the last close of a descriptor may wait, for a peer (SO_LINGER), a server or a device; else 0.
int clinux_close_may_wait(int fd);

/// Closes descriptors in threads that live as long as they have something to close.
struct clinux_closer;
/// So many closes may wait at once; the next ones queue up behind them.
#define CLINUX_CLOSER_THREADS 32
/// A new closer, which lives as long as the process; NULL when there is no memory.
struct clinux_closer *clinux_closer_make(void);
/// Takes the descriptor over; -1: not done, and the caller still has the descriptor.
int clinux_closer_close(struct clinux_closer *closer, int fd);

/// Appends lines to a file in a thread of its own: a disk may take any time. The file has mode 0600 and a
/// lock (flock), begins with the head at each opening, and is renamed to PATH.1 before it grows beyond the
/// limit.
struct clinux_appender;
/// The longest line.
#define CLINUX_APPENDED_LINE 4096
/// The most bytes that wait.
#define CLINUX_APPENDER_ROOM (1 << 18)
/// The time for which lines are held back, in milliseconds.
#define CLINUX_APPENDER_DELAY 10
/// The call that failed; code 0: none.
struct clinux_append_failure {
  int code;
  const char *call;
};
/// A new appender, whose thread starts with the first line; NULL when there is no memory.
struct clinux_appender *clinux_appender_make(const char *path, const char *head, size_t limit);
/// Hands lines over; `mark` is the number under which `clinux_appender_progress` tells that they are written.
/// -1 and ENOBUFS: too much waits; EBUSY: a failure was not taken note of yet.
int clinux_appender_append(struct clinux_appender *file, const void *bytes, size_t count, uint64_t mark);
/// The mark of the last lines that are in the file, and the failure since the last call. After a failure
/// nothing waits any more: what comes behind that mark is to be handed over again.
struct clinux_append_failure clinux_appender_progress(struct clinux_appender *file, uint64_t *written);
/// Waits until everything is written or has failed; -1 and ETIMEDOUT: it takes longer.
int clinux_appender_finish(struct clinux_appender *file, int milliseconds);
/// Finishes and gives everything back; a thread that does not finish in time keeps it.
void clinux_appender_free(struct clinux_appender *file, int milliseconds);

/// Gives the memory of frozen processes back (process_madvise(MADV_PAGEOUT)) in a thread of its own, which
/// lives as long as there is something to do. Each page goes once: what came back afterwards stays.
struct clinux_compactor;
/// One program: its processes, and which of their pages were given back.
struct clinux_compaction;
/// The bytes of a step, between two looks whether the program was woken.
#define CLINUX_COMPACTION_STEP 262144
struct clinux_compaction_result {
  uint64_t id;
  uint64_t before, after; // resident bytes of all processes
  int was_stopped, is_refused;
};
/// A new compactor, which lives as long as the process; `news` is an eventfd that is written to with each
/// result. NULL: no memory.
struct clinux_compactor *clinux_compactor_make(int news);
/// A program; `reclaim` is the memory.reclaim of its cgroup, for want of rights, or -1; taken over. NULL: no
/// memory.
struct clinux_compaction *clinux_compaction_make(
    struct clinux_compactor *compactor, uint64_t id, int reclaim);
/// Begins; exactly one result follows. EBUSY: the last result has not been taken.
int clinux_compaction_start(struct clinux_compaction *program, const pid_t *pids, size_t count);
/// Ends it before the next step, without waiting for anything.
void clinux_compaction_stop(struct clinux_compaction *program);
/// Stops and forgets the program.
void clinux_compaction_drop(struct clinux_compaction *program);
/// Takes a result; 0 when none waits.
int clinux_compactor_result(struct clinux_compactor *compactor, struct clinux_compaction_result *result);

/// Replaces a file as a whole in a thread of its own: by way of PATH.new, which is on the disk (fsync) before
/// it gets the name (rename). The file is the owner's alone (0600).
struct clinux_replacer;
/// A new replacer, whose thread starts with the first bytes; NULL when there is no memory.
struct clinux_replacer *clinux_replacer_make(const char *path);
/// Hands the bytes of the whole file over, in the place of those that still wait. -1: no memory, no thread.
int clinux_replacer_write(struct clinux_replacer *file, const void *bytes, size_t count);
/// The failure of the last try since the last call.
struct clinux_append_failure clinux_replacer_failure(struct clinux_replacer *file);
/// Waits until everything is written or has failed; -1 and ETIMEDOUT: it takes longer.
int clinux_replacer_finish(struct clinux_replacer *file, int milliseconds);
/// Finishes and gives everything back; a thread that does not finish in time keeps it.
void clinux_replacer_free(struct clinux_replacer *file, int milliseconds);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC.
int clinux_accept(int listener);
int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid);
/// SO_PEERPIDFD: a pidfd of the process that connected.
int clinux_peer_pidfd(int socket);
struct clinux_tcp_traffic {
  bool is_established;
  bool has_sent;
  /// Milliseconds.
  uint32_t since_sent;
  uint32_t since_received;
  /// Bytes.
  uint64_t received;
};
/// TCP_INFO, of which glibc's tcp_info has not all.
int clinux_tcp_info(int socket, struct clinux_tcp_traffic *traffic);
/// sendmsg without blocking and without SIGPIPE; `descriptor` -1 sends none.
ssize_t clinux_send(int socket, const void *bytes, size_t count, int descriptor);
/// recvmsg without blocking. `*descriptor` is the descriptor that came, or -1. `*lost` is 1 when the kernel
/// dropped a descriptor or when more than one came; all that came are closed then.
ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptor, int *lost);

/// prlimit of another process.
int clinux_set_limit(pid_t pid, int resource, uint64_t soft, uint64_t hard);

/// pipe2 with O_CLOEXEC.
int clinux_pipe(int ends[2]);
/// A new pseudo-terminal: returns its master, non-blocking, and opens the terminal itself, which becomes
/// nobody's controlling terminal by that.
int clinux_open_terminal(int *terminal);

/// memfd_create with MFD_CLOEXEC and MFD_ALLOW_SEALING.
int clinux_memfd(const char *name);
/// Seals a memfd against every change, and against further seals.
int clinux_seal(int fd);
/// The seals of a file in memory; -1 and EINVAL for any other file.
int clinux_seals(int fd);

struct clinux_passed {
  int source;
  int number;
};

enum clinux_spawn_group { CLINUX_GROUP_INHERITED, CLINUX_GROUP_NEW, CLINUX_GROUP_NEW_SESSION };

/// The signals of the child: default actions and none blocked, or those of the parent.
enum clinux_spawn_signals { CLINUX_SIGNALS_DEFAULT, CLINUX_SIGNALS_INHERITED };
/// The descriptors of the child: those that are named alone, or all that the parent has inherited too.
enum clinux_spawn_descriptors { CLINUX_DESCRIPTORS_NAMED, CLINUX_DESCRIPTORS_INHERITED };

/// The step in which a child failed before its program ran.
enum clinux_spawn_step {
  CLINUX_STEP_GROUP = 1,
  CLINUX_STEP_DIRECTORY,
  CLINUX_STEP_DUPLICATE,
  CLINUX_STEP_CLOSE_RANGE,
  CLINUX_STEP_LIMIT,
  CLINUX_STEP_EXECUTE,
};

/// The message of a failing child on its status pipe.
struct clinux_spawn_failure {
  int32_t code;
  int32_t step;
};

#define CLINUX_PASSED_LIMIT 64

// O_PATH, which Glibc's module does not show.
#define CLINUX_O_PATH 010000000

struct clinux_spawn_request {
  char *const *arguments;
  char *const *environment;
  const struct clinux_passed *passed;
  int passed_count;
  int directory;                 // -1: inherited
  int cgroup;                    // -1: inherited
  enum clinux_spawn_group group;
  enum clinux_spawn_signals signals;
  const void *mask; // the sigset_t of inherited signals; NULL: that of the calling thread
  enum clinux_spawn_descriptors descriptors;
  int gated; // 1: the child waits for a byte before it becomes the program, and ends at the end of file
  int64_t open_file_limit;       // -1: inherited
  int pidfd;                     // result
  int exec_status;               // result
  int gate;                      // result: the end to write to; -1: no gate
};

/// clone3 and exec; returns the child's pid.
pid_t clinux_spawn(struct clinux_spawn_request *request);
