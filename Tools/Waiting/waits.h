// A wait is one function that two processes run: the program, which waits, and one outside, which makes what
// it waits for come true. What both have of one object is made outside and given to the program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct wait {
  const char *name;
  void (*run)(void);
};

// Each ends with a wait without a name.
extern const struct wait timers[], signals[], sets[], calls[], ends[], files[], locks[];

// Whether this is the process outside; the program's connection to Tools/waits.
extern int outside, line;

// From the process outside to the program, before it waits: a descriptor, which is closed here, or a number
// in either direction.
void give(int descriptor);
int take(void);
void tell(long number);
long told(void);
pid_t program(void);

// What each side has of one connection or pipe.
int share(int family, int type);
int share_tcp(void);
int share_pipe(int is_read);
void *share_page(void);
// Outside the master of a terminal.
int terminal(void);

// The process outside: all is ready; returns when it shall happen. The last `caused` is the moment from which
// the time counts.
void cause(void);
void caused(void);
void strike(int descriptor);
void enter(const char *space);
void await_end(void);

// The program: it waits from now on; it has seen what it waited for; it has seen something else.
void waits(void);
void due_in(long seconds);
_Noreturn void seen(void);
_Noreturn void cut(const char *what);
#define expect(condition) ((condition) ? (void)0 : cut(#condition))
// A call that moves so much.
#define expect_whole(call, size) whole_of(#call, call, size)
void whole_of(const char *call, long count, long size);

void on_signal(int number);
void handle(int number);
void block(int number);
// Waits at the line; or has a thread wait there, without signals.
_Noreturn void wait_at_line(void);
void watch_line(void);
void start(void *(*run)(void *));
pid_t split(void);
long now(void);
void nap(long milliseconds);
const char *cgroups(void);
void put(const char *path, const char *text);
// A child of the program that ends with the first byte that it reads, and lives in another cgroup.
pid_t reader(int descriptor);
void move_out(void);
void poll_for(int descriptor, short events);
int set_of(int first, int second, uint32_t events);
void wait_set(int set, int descriptor);
