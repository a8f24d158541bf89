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
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>

// The numbers of newer calls, which older headers do not have.
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// Every function returns -1 and sets errno when it fails, unless its comment says otherwise.

/// The symbolic name of an error number ("EPERM"), or NULL.
const char *clinux_error_name(int code);
/// The abbreviated name of a signal ("TERM"), or NULL.
const char *clinux_signal_name(int signal);
/// 1 when a signal is set to be ignored, else 0.
int clinux_ignores_signal(int number);
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
/// The same: 1 and the number of the process's cgroup in the v2 hierarchy; else 0. ENOTTY or EINVAL before
/// Linux 6.13.
int clinux_pidfd_cgroup(int pidfd, uint64_t *id);

/// process_vm_readv of exactly so many bytes; EFAULT when not all of them can be read.
int clinux_read_memory(pid_t thread, uint64_t address, void *room, size_t count);

/// getdents64(2), which Glibc's module leaves out.
ssize_t clinux_read_directory(int directory, void *room, size_t count);
/// 1 when the mapping at an address is shared (MAP_SHARED), else 0. `maps` is a /proc/PID/maps opened for
/// reading and not read from yet. ENOENT: there is no mapping; ENOTTY: the kernel is older than 6.11.
int clinux_mapping_by_query(int maps, uint64_t address);
/// ptrace(PTRACE_SEIZE, PTRACE_INTERRUPT): the thread stops as soon as it gets a processor.
int clinux_trace(pid_t thread);
/// 1 once a traced thread has stopped, -1 once it has ended, with its status left to its parent, else 0.
int clinux_trace_stopped(pid_t thread);
/// The result of the system call of a stopped thread. ENOSYS: the processor's registers are not known.
int clinux_trace_result(pid_t thread, int64_t *result);
/// ptrace(PTRACE_DETACH). ESRCH: the thread has not stopped, or it was killed.
int clinux_trace_end(pid_t thread);
/// fsopen and fsmount: a descriptor of the root of tracefs, which is mounted nowhere for it.
int clinux_open_tracefs(void);
/// perf_event_open of a tracepoint on one processor: with clinux_map_events it is readable after events that
/// pass the filter (ftrace, "Event filtering").
int clinux_watch_tracepoint(uint64_t id, int processor, const char *filter);
/// mmap of a buffer that nobody reads: the kernel tells readiness only where there is one.
int clinux_map_events(int descriptor, void **memory, size_t *count);

struct clinux_file_status {
  uint32_t mode;
  uint32_t major;      // of a device
  uint32_t disk_major; // of the disk of a file
  uint64_t device, inode;
};

/// statx without asking a server: a file of FUSE or NFS does not block the call.
int clinux_file_status(int fd, struct clinux_file_status *status);

enum clinux_page_categories { CLINUX_PAGE_PRESENT = 1 << 3, CLINUX_PAGE_SWAPPED = 1 << 4 };

struct clinux_page_region {
  uint64_t start, end, categories;
};

/// ioctl(PAGEMAP_SCAN) for pages that are there or in swap: returns the number of regions, and in `end` where
/// the scan has ended. ENOTTY before Linux 6.7.
int clinux_scan_pages(
    int pagemap, uint64_t start, uint64_t *end, struct clinux_page_region *regions, size_t count);
/// process_madvise(MADV_PAGEOUT).
ssize_t clinux_page_out(int pidfd, const struct iovec *ranges, size_t count);

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
/// TCP_INFO of a listening socket: the connections that wait in its queue, and their greatest number.
int clinux_queue(int listener, uint32_t *length, uint32_t *limit);
/// A netlink socket of a family, in the network namespace of which `space` is a descriptor; -1: in that of
/// this thread, which is in its own again afterwards.
int clinux_netlink(int family, int space);
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

/// The descriptors of the child: those that are named alone, or all that the parent has inherited too.
enum clinux_spawn_descriptors { CLINUX_DESCRIPTORS_NAMED, CLINUX_DESCRIPTORS_INHERITED };

/// The step in which a child failed before its program ran.
enum clinux_spawn_step {
  CLINUX_STEP_GROUP = 1,
  CLINUX_STEP_DIRECTORY,
  CLINUX_STEP_DUPLICATE,
  CLINUX_STEP_CLOSE_RANGE,
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
  const void *mask; // the sigset_t of a child with the parent's actions; NULL: default actions, none blocked
  enum clinux_spawn_descriptors descriptors;
  int gated; // 1: the child waits for a byte before it becomes the program, and ends at the end of file
  int64_t open_file_limit;       // -1: inherited
  int parent_death_signal;       // 0: none
  int pidfd;                     // result
  int exec_status;               // result
  int gate;                      // result: the end to write to; -1: no gate
};

/// clone3 and exec; returns the child's pid.
pid_t clinux_spawn(struct clinux_spawn_request *request);
