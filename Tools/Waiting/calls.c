// Calls that a freeze may cut short, and work that it may stop.
#include "waits.h"

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <termios.h>

enum { mebibyte = 1 << 20, whole = 24 * mebibyte };

static char memory[whole];

// A slow reader takes so much.
static void drain(int end, long size, long part) {
  cause();
  while (size > 0) {
    long count = recv(end, memory, (size_t)part, MSG_WAITALL);
    count = count < 0 ? read(end, memory, (size_t)part) : count;
    if (count <= 0) return;
    size -= count;
    nap(part == mebibyte ? 40 : 5);
  }
  caused();
}

static void moves(long (*call)(int), int (*shared)(void)) {
  int end = shared();
  if (outside) return drain(end, whole, mebibyte);
  waits();
  expect_whole(call(end), whole);
  seen();
}

static long with_send(int end) { return send(end, memory, whole, 0); }
static long with_write(int end) { return write(end, memory, whole); }
static struct iovec halves[] = {{memory, whole / 2}, {memory + whole / 2, whole / 2}};
static long with_writev(int end) { return writev(end, halves, 2); }

static long with_sendmsg(int end) {
  return sendmsg(end, &(struct msghdr){.msg_iov = halves, .msg_iovlen = 2}, 0);
}

static long with_sendmmsg(int end) {
  struct mmsghdr messages[2] = {0};
  for (int i = 0; i < 2; i++) messages[i].msg_hdr = (struct msghdr){.msg_iov = &halves[i], .msg_iovlen = 1};
  long count = sendmmsg(end, messages, 2, 0);
  return count < 0 ? count : messages[0].msg_len + messages[1].msg_len;
}

static long with_sendfile(int end) {
  int file = memfd_create("file", 0);
  expect(!ftruncate(file, whole));
  return sendfile(end, file, NULL, whole);
}

static int share_unix(void) { return share(AF_UNIX, SOCK_STREAM); }
static void by_send(void) { moves(with_send, share_tcp); }
static void by_write_socket(void) { moves(with_write, share_unix); }
static void by_writev(void) { moves(with_writev, share_tcp); }
static void by_sendmsg(void) { moves(with_sendmsg, share_unix); }
static void by_sendmmsg(void) { moves(with_sendmmsg, share_tcp); }
static void by_sendfile(void) { moves(with_sendfile, share_tcp); }

static void *pauses(void *unused) {
  while (1) {
    pause();
  }
  return unused;
}

static void *sends(void *unused) {
  moves(with_send, take);
  return unused;
}

// The last one of 1,500 threads.
static void by_send_last(void) {
  if (outside) return moves(NULL, share_tcp);
  for (int i = 0; i < 1500; i++) start(pauses);
  start(sends);
  pauses(NULL);
}

static void by_write(void) {
  int end = share_pipe(0);
  if (outside) return drain(end, mebibyte, 16384);
  waits();
  expect_whole(write(end, memory, mebibyte), mebibyte);
  seen();
}

// A pipe of 1 MiB into a socket that has room for a fifth of it.
static void by_splice(void) {
  int both[2], end = share_unix();
  if (outside) return drain(end, mebibyte, mebibyte / 8);
  expect(!pipe(both) && fcntl(both[1], F_SETPIPE_SZ, mebibyte) == mebibyte);
  expect_whole(write(both[1], memory, mebibyte), mebibyte);
  waits();
  expect_whole(splice(both[0], NULL, end, NULL, mebibyte, 0), mebibyte);
  seen();
}

static void by_splice_empty(void) {
  int both[2], end = share_pipe(1);
  if (outside) return strike(end);
  (void)!pipe(both);
  waits();
  expect(splice(end, NULL, both[1], NULL, mebibyte, 0) == 1);
  seen();
}

// The first half has come before.
static int halved(void) {
  int end = share_tcp();
  if (!outside) return end;
  (void)!write(end, memory, mebibyte);
  cause();
  (void)!write(end, memory, mebibyte);
  return end;
}

static void by_waitall(void) {
  int end = halved();
  if (outside) return;
  waits();
  expect_whole(recv(end, memory, 2 * mebibyte, MSG_WAITALL), 2 * mebibyte);
  seen();
}

static void by_waitall_message(void) {
  int end = halved();
  struct iovec bytes = {memory, 2 * mebibyte};
  if (outside) return;
  waits();
  expect_whole(recvmsg(end, &(struct msghdr){.msg_iov = &bytes, .msg_iovlen = 1}, MSG_WAITALL), 2 * mebibyte);
  seen();
}

static void by_recvmmsg(void) {
  int end = share(AF_UNIX, SOCK_DGRAM);
  struct mmsghdr messages[8] = {0};
  struct iovec bytes = {memory, 8};
  if (outside) {
    for (int i = 0; i < 3; i++) (void)!write(end, "x", 1);
    cause();
    for (int i = 0; i < 5; i++) (void)!write(end, "x", 1);
    return;
  }
  for (int i = 0; i < 8; i++) {
    messages[i].msg_hdr = (struct msghdr){.msg_iov = &bytes, .msg_iovlen = 1};
  }
  waits();
  expect_whole(recvmmsg(end, messages, 8, 0, NULL), 8);
  seen();
}

static void by_recv_time_out(void) {
  long count;
  int end = share_tcp();
  if (outside) return strike(end);
  setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 3600}, sizeof(struct timeval));
  waits();
  while ((count = recv(end, memory, 1, 0)) < 0 && errno == EINTR) {
  }
  expect(count == 1);
  seen();
}

static int semaphore, queue;

// They outlive who has made them.
static void remove_semaphore(void) { semctl(semaphore, 0, IPC_RMID); }
static void remove_queue(void) { msgctl(queue, IPC_RMID, NULL); }

static void operate(int is_timed) {
  struct sembuf up = {.sem_op = 1}, down = {.sem_op = -1};
  if (outside) {
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    atexit(remove_semaphore);
    tell(semaphore);
    cause();
    semop(semaphore, &up, 1);
    return;
  }
  semaphore = (int)told();
  watch_line();
  waits();
  if (is_timed) {
    expect(!semtimedop(semaphore, &down, 1, &(struct timespec){.tv_sec = 3600}));
  } else {
    expect(!semop(semaphore, &down, 1));
  }
  seen();
}

static void by_semop(void) { operate(0); }
static void by_semtimedop(void) { operate(1); }

struct message {
  long type;
  char text[8192];
};

static void exchange(int is_full) {
  static struct message message = {.type = 1};
  if (outside) {
    queue = msgget(IPC_PRIVATE, 0600);
    atexit(remove_queue);
    while (is_full && !msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT)) {
    }
    tell(queue);
    cause();
    if (is_full) {
      msgrcv(queue, &message, sizeof message.text, 0, 0);
    } else {
      msgsnd(queue, &message, 8, 0);
    }
    return;
  }
  queue = (int)told();
  watch_line();
  waits();
  if (is_full) {
    expect(!msgsnd(queue, &message, sizeof message.text, 0));
  } else {
    expect_whole(msgrcv(queue, &message, sizeof message.text, 0, 0), 8);
  }
  seen();
}

static void by_msgrcv(void) { exchange(0); }
static void by_msgsnd(void) { exchange(1); }

static void by_vfork(void) {
  int status = -1, end = share_pipe(1);
  if (outside) return strike(end);
  watch_line();
  waits();
  errno = 0;
  pid_t child = vfork();
  if (!child) _exit(read(end, memory, 1) != 1);
  expect(child > 0 && errno == 0);
  expect(waitpid(child, &status, 0) == child && status == 0);
  seen();
}

// It hashes 2 MiB and naps for 2 ms, again and again: no gap between two rounds is longer than 150 ms.
static void in_naps(void) {
  int end = share_tcp();
  if (outside) {
    strike(end);
    return due_in(5);
  }
  uint32_t hash = 0;
  waits();
  expect(recv(end, memory, 1, 0) == 1);
  long first = now(), last = first;
  while (last - first < 5000000000) {
    for (int i = 0; i < 2 * mebibyte; i++) hash = hash * 31 + (uint8_t)memory[i];
    memory[0] = (char)hash;
    nap(2);
    long time = now();
    expect(time - last < 150000000 && "was frozen in its work");
    last = time;
  }
  seen();
}

// It answers at its tick of 1 s what has come since.
static void at_ticks(void) {
  struct epoll_event event;
  int end = share_tcp(), asked = 0, count;
  if (outside) {
    strike(end);
    return due_in(1);
  }
  int set = set_of(end, -1, EPOLLIN);
  waits();
  while (1) {
    count = epoll_wait(set, &event, 1, 1000);
    if (count == 1) asked = recv(end, memory, 1, 0) == 1;
    if (count == 0 && asked) {
      (void)!write(end, "y", 1);
      seen();
    }
  }
}

const struct wait calls[] = {
    {"send", by_send},
    {"send-last-thread", by_send_last},
    {"write", by_write},
    {"write-socket", by_write_socket},
    {"writev", by_writev},
    {"sendmsg", by_sendmsg},
    {"sendmmsg", by_sendmmsg},
    {"sendfile", by_sendfile},
    {"splice", by_splice},
    {"splice-empty", by_splice_empty},
    {"recv-waitall", by_waitall},
    {"recvmsg-waitall", by_waitall_message},
    {"recvmmsg", by_recvmmsg},
    {"recv-time-out", by_recv_time_out},
    {"semop", by_semop},
    {"semtimedop", by_semtimedop},
    {"msgrcv", by_msgrcv},
    {"msgsnd", by_msgsnd},
    {"vfork", by_vfork},
    {"work-in-naps", in_naps},
    {"answers-at-ticks", at_ticks},
    {0},
};
