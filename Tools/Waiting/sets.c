// Sets of descriptors, eventfds, and what the kernel completes.
#include "waits.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static int share_eventfd(void) {
  if (!outside) return take();
  int event = eventfd(0, 0);
  give(dup(event));
  return event;
}

static void count_up(int event) {
  cause();
  eventfd_write(event, 1);
}

static int far_timer(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {.tv_sec = 3600}}, NULL);
  return timer;
}

static void eventfd_poll(void) {
  int event = share_eventfd();
  if (outside) return count_up(event);
  watch_line();
  waits();
  poll_for(event, POLLIN);
  seen();
}

static void eventfd_timerfd(void) {
  int event = share_eventfd();
  if (outside) return count_up(event);
  int set = set_of(event, far_timer(), EPOLLIN);
  watch_line();
  waits();
  wait_set(set, event);
  seen();
}

static void eventfd_signalfd(void) {
  int event = share_eventfd();
  if (outside) return count_up(event);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  block(SIGUSR1);
  int set = set_of(event, signalfd(-1, &signals, 0), EPOLLIN);
  watch_line();
  waits();
  wait_set(set, event);
  seen();
}

static int aio(int descriptor, int event) {
  aio_context_t context = 0;
  struct iocb block = {.aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN}, *blocks[] = {&block};
  struct io_event result;
  block.aio_fildes = (uint32_t)descriptor;
  if (event >= 0) {
    block.aio_flags = IOCB_FLAG_RESFD;
    block.aio_resfd = (uint32_t)event;
  }
  expect(!syscall(SYS_io_setup, 4, &context));
  expect(syscall(SYS_io_submit, context, 1, blocks) == 1);
  if (event >= 0) return event;
  waits();
  while (syscall(SYS_io_getevents, context, 1, 1, &result, NULL) != 1) {
    expect(errno == EINTR);
  }
  seen();
}

static void aio_eventfd(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  int event = aio(end, eventfd(0, 0)), set = set_of(event, far_timer(), EPOLLIN);
  watch_line();
  waits();
  wait_set(set, event);
  seen();
}

static void aio_getevents(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  aio(end, -1);
}

// A ring with one entry that is submitted.
static int ring_of(struct io_uring_sqe entry, int registered) {
  struct io_uring_params sizes = {0};
  int ring = (int)syscall(SYS_io_uring_setup, 4, &sizes);
  expect(ring >= 0);
  char *queue = mmap(NULL, sizes.sq_off.array + 4 * sizes.sq_entries, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe *entries = mmap(NULL, sizes.sq_entries * sizeof entry, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  if (registered >= 0) {
    expect(!syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &registered, 1));
    entry.fd = 0;
    entry.flags = IOSQE_FIXED_FILE;
  }
  entries[0] = entry;
  ((uint32_t *)(queue + sizes.sq_off.array))[0] = 0;
  __atomic_store_n((uint32_t *)(queue + sizes.sq_off.tail), 1, __ATOMIC_RELEASE);
  return ring;
}

static char byte;

static struct io_uring_sqe reading(int descriptor) {
  return (struct io_uring_sqe){
      .opcode = IORING_OP_READ, .fd = descriptor, .addr = (uint64_t)(uintptr_t)&byte, .len = 1};
}

static struct io_uring_sqe polling(int descriptor) {
  return (struct io_uring_sqe){.opcode = IORING_OP_POLL_ADD, .fd = descriptor, .poll32_events = POLLIN};
}

static void submit(int ring) { expect(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) == 1); }

static void await(int ring) {
  submit(ring);
  waits();
  while (syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) {
    expect(errno == EINTR);
  }
  seen();
}

static void uring_eventfd(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  int ring = ring_of(reading(end), -1), event = eventfd(0, 0), set = set_of(event, far_timer(), EPOLLIN);
  expect(!syscall(SYS_io_uring_register, ring, IORING_REGISTER_EVENTFD, &event, 1));
  submit(ring);
  watch_line();
  waits();
  wait_set(set, event);
  seen();
}

// A wait for two, of which one has come before.
static void of_two(void) {
  int first = share_pipe(1), second = share_pipe(1);
  if (outside) {
    (void)!write(first, "x", 1);
    return strike(second);
  }
  aio_context_t context = 0;
  struct iocb blocks[2] = {0}, *both[] = {&blocks[0], &blocks[1]};
  struct io_event results[2];
  for (int i = 0; i < 2; i++) {
    blocks[i].aio_lio_opcode = IOCB_CMD_POLL;
    blocks[i].aio_fildes = (uint32_t)(i ? second : first);
    blocks[i].aio_buf = POLLIN;
  }
  expect(!syscall(SYS_io_setup, 4, &context));
  expect(syscall(SYS_io_submit, context, 2, both) == 2);
  waits();
  expect_whole(syscall(SYS_io_getevents, context, 2, 2, results, NULL), 2);
  seen();
}

static void uring_read(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  await(ring_of(reading(end), -1));
}

static void uring_poll(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  await(ring_of(polling(end), -1));
}

static void uring_direct(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  await(ring_of(reading(0), end));
}

static void uring_polled(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  int ring = ring_of(polling(end), -1);
  submit(ring);
  waits();
  poll_for(ring, POLLIN);
  seen();
}

static void epoll_with(uint32_t events) {
  int end = share_tcp();
  if (outside) return strike(end);
  int set = set_of(end, -1, EPOLLIN | events);
  waits();
  wait_set(set, end);
  seen();
}

static void epoll_edge(void) { epoll_with(EPOLLET); }
static void epoll_one_shot(void) { epoll_with(EPOLLONESHOT); }
static void epoll_exclusive(void) { epoll_with(EPOLLEXCLUSIVE); }

static void epoll_nested(void) {
  int end = share(AF_UNIX, SOCK_STREAM);
  if (outside) return strike(end);
  int inner = set_of(end, -1, EPOLLIN), set = set_of(inner, far_timer(), EPOLLIN);
  waits();
  wait_set(set, inner);
  seen();
}

static void epoll_pwait_2(void) {
  struct epoll_event event;
  int end = share_pipe(1), count;
  if (outside) return strike(end);
  int set = set_of(end, -1, EPOLLIN);
  waits();
  while ((count = (int)syscall(SYS_epoll_pwait2, set, &event, 1, NULL, NULL, 0)) < 0 && errno == EINTR) {
  }
  expect(count == 1);
  seen();
}

// A set to which somebody outside adds what is ready.
static void epoll_given(void) {
  if (outside) {
    int both[2], set = epoll_create1(0);
    (void)!pipe(both);
    (void)!write(both[1], "x", 1);
    give(dup(set));
    cause();
    epoll_ctl(set, EPOLL_CTL_ADD, both[0], &(struct epoll_event){EPOLLIN, {.fd = 7}});
    return;
  }
  int set = take();
  watch_line();
  waits();
  wait_set(set, 7);
  seen();
}

static void with_select(void) {
  fd_set set;
  int end = share_tcp();
  if (outside) return strike(end);
  FD_ZERO(&set);
  FD_SET(end, &set);
  waits();
  expect(select(end + 1, &set, NULL, NULL, NULL) == 1);
  seen();
}

static void with_pselect(void) {
  fd_set set;
  sigset_t none;
  int end = share_tcp();
  if (outside) return strike(end);
  sigemptyset(&none);
  FD_ZERO(&set);
  FD_SET(end, &set);
  waits();
  expect(pselect(end + 1, &set, NULL, NULL, &(struct timespec){.tv_sec = 3600}, &none) == 1);
  seen();
}

static void with_ppoll(void) {
  int end = share_tcp();
  if (outside) return strike(end);
  struct pollfd entry = {end, POLLIN, 0};
  waits();
  expect(ppoll(&entry, 1, &(struct timespec){.tv_sec = 3600}, NULL) == 1);
  seen();
}

static void poll_hang_up(void) {
  int end = share_tcp();
  if (outside) {
    cause();
    shutdown(end, SHUT_WR);
    return;
  }
  waits();
  poll_for(end, POLLRDHUP);
  seen();
}

static void poll_error(void) {
  int end = share_pipe(0);
  if (outside) {
    cause();
    close(end);
    return;
  }
  watch_line();
  waits();
  poll_for(end, 0);
  seen();
}

static int shared, own_end;

// Its number names another file in the table of the other threads.
static void *apart(void *unused) {
  expect(!unshare(CLONE_FILES));
  dup2(own_end, shared);
  close(own_end);
  waits();
  expect(read(shared, &byte, 1) == 1);
  seen();
  return unused;
}

static void clone_files(void) {
  own_end = share_tcp();
  shared = share_tcp();
  if (outside) return strike(own_end);
  start(apart);
  while (1) {
    pause();
  }
}

// It looks at its own file between two naps.
static void *napping_apart(void *unused) {
  expect(!unshare(CLONE_FILES));
  waits();
  while (recv(own_end, &byte, 1, MSG_DONTWAIT) != 1) {
    nap(50);
  }
  seen();
  return unused;
}

static void clone_files_nap(void) {
  own_end = share_tcp();
  if (outside) return strike(own_end);
  start(napping_apart);
  nap(100);
  close(own_end);
  while (1) {
    pause();
  }
}

const struct wait sets[] = {
    {"eventfd-poll", eventfd_poll},
    {"eventfd-timerfd", eventfd_timerfd},
    {"eventfd-signalfd", eventfd_signalfd},
    {"aio-eventfd", aio_eventfd},
    {"aio-getevents", aio_getevents},
    {"aio-getevents-two", of_two},
    {"uring-eventfd", uring_eventfd},
    {"uring-read", uring_read},
    {"uring-poll", uring_poll},
    {"uring-direct", uring_direct},
    {"uring-polled", uring_polled},
    {"epoll-edge", epoll_edge},
    {"epoll-one-shot", epoll_one_shot},
    {"epoll-exclusive", epoll_exclusive},
    {"epoll-nested", epoll_nested},
    {"epoll-pwait2", epoll_pwait_2},
    {"epoll-given", epoll_given},
    {"select", with_select},
    {"pselect", with_pselect},
    {"ppoll", with_ppoll},
    {"poll-hang-up", poll_hang_up},
    {"poll-error", poll_error},
    {"clone-files", clone_files},
    {"clone-files-nap", clone_files_nap},
    {0},
};
