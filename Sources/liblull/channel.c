/* The connection to lulld: lines out and in, with a descriptor (SCM_RIGHTS), answers in the order of the
   requests, and notices that wait for `lull_dispatch`. What waits in either direction is bounded. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

int64_t lull_i_later(int64_t milliseconds) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + milliseconds * 1000000;
}

int64_t lull_i_now(void) { return lull_i_later(0); }

bool lull_i_is_up(const lull_program *program) { return program->channel.link == LULL_I_UP; }

static int watch(lull_program *program, int operation, uint32_t events) {
  struct epoll_event event = {.events = events};
  return epoll_ctl(program->loop, operation, program->channel.socket, &event);
}

int lull_i_adopt(lull_program *program, int control) {
  struct lull_i_channel *channel = &program->channel;
  channel->socket = control;
  channel->has_reply = channel->is_foreign = false;
  if (watch(program, EPOLL_CTL_ADD, EPOLLIN) == 0) return LULL_OK;
  channel->socket = -1;
  return lull_i_fail_call(program, "epoll_ctl");
}

/// Its payload is what came last.
static bool queue(lull_program *program, const struct lull_i_entry *head, const char *line) {
  struct lull_i_channel *channel = &program->channel;
  struct lull_i_entry *entry = malloc(sizeof *entry + head->length + 1 + head->payload_length);
  if (!entry) return false;
  *entry = *head;
  if (head->length > 0) memcpy(entry->line, line, head->length);
  memcpy(entry->line + head->length + 1, channel->payload, head->payload_length);
  *channel->last = entry;
  channel->last = &entry->next;
  channel->waiting += head->length + head->payload_length;
  return channel->waiting <= LULL_I_WAITING;
}

struct lull_i_entry *lull_i_take_entry(struct lull_i_channel *channel) {
  struct lull_i_entry *entry = channel->first;
  if (!entry) return NULL;
  channel->first = entry->next;
  if (!channel->first) channel->last = &channel->first;
  channel->waiting -= entry->length + entry->payload_length;
  return entry;
}

void lull_i_drop(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->link == LULL_I_CLOSED) return;
  bool was_up = channel->link == LULL_I_UP;
  if (channel->socket >= 0) {
    // A child that forked has the descriptor too, so its end alone would not take it out of the set.
    watch(program, EPOLL_CTL_DEL, 0);
    close(channel->socket);
  }
  channel->socket = -1;
  channel->input_count = channel->output_count = channel->expected_count = channel->payload_length = 0;
  channel->link = LULL_I_DOWN;
  channel->due = lull_i_later(channel->retry_milliseconds);
  channel->retry_milliseconds = channel->retry_milliseconds < 2500 ? channel->retry_milliseconds * 2 : 5000;
  if (was_up) queue(program, &(struct lull_i_entry){.kind = LULL_I_GONE}, NULL);
}

static int lost(lull_program *program) {
  return lull_i_fail(program, LULL_LOST, "the connection to lulld was lost");
}

/* Sending. */

/// Room for a descriptor beside a line.
union passed {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

/// Sends bytes once; -1 when there is no room, or with an error that ends the connection.
static ssize_t send_some(int socket, const char *bytes, size_t count, int fd) {
  union passed room = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                                  .cmsg_len = CMSG_LEN(sizeof fd)}};
  struct iovec text = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  memcpy(CMSG_DATA(&room.header), &fd, sizeof fd);
  if (fd >= 0) {
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

void lull_i_flush(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->output_count == 0) return;
  ssize_t sent = send_some(channel->socket, channel->output, channel->output_count, -1);
  if (sent < 0) {
    if (errno != EAGAIN) lull_i_drop(program);
    return;
  }
  channel->due = lull_i_later(LULL_I_PATIENCE);
  channel->output_count -= (size_t)sent;
  memmove(channel->output, channel->output + sent, channel->output_count);
  if (channel->output_count == 0) watch(program, EPOLL_CTL_MOD, EPOLLIN);
}

/// Keeps bytes until there is room; false when too many wait.
static bool keep(lull_program *program, const char *bytes, size_t count) {
  struct lull_i_channel *channel = &program->channel;
  size_t needed = channel->output_count + count;
  if (count == 0) return true;
  char *output = needed <= LULL_I_WAITING ? realloc(channel->output, needed) : NULL;
  if (!output) return false;
  if (channel->output_count == 0) channel->due = lull_i_later(LULL_I_PATIENCE);
  memcpy(output + channel->output_count, bytes, count);
  channel->output = output;
  channel->output_count = needed;
  watch(program, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  return true;
}

bool lull_i_wait(int fd, short events, int64_t until) {
  struct pollfd entry = {.fd = fd, .events = events};
  for (;;) {
    int64_t left = (until - lull_i_now() + 999999) / 1000000;
    int count = poll(&entry, 1, left > 0 ? (int)left : 0);
    if (count != 0 && !(count < 0 && errno == EINTR)) return count > 0;
    if (count == 0 && left <= 0) return false;
  }
}

/// A descriptor travels with the first byte of its line, and behind no other line: it waits for room. A line
/// without one is kept.
static int send_line(lull_program *program, const struct lull_i_writer *line, int fd) {
  struct lull_i_channel *channel = &program->channel;
  int64_t until = lull_i_later(LULL_I_PATIENCE);
  for (;;) {
    lull_i_flush(program);
    if (channel->socket < 0) return lost(program);
    bool is_full = channel->output_count > 0;
    ssize_t sent = is_full ? -1 : send_some(channel->socket, line->bytes, line->count, fd);
    is_full = is_full || (sent < 0 && errno == EAGAIN);
    if (is_full && fd < 0) sent = 0;
    if (sent >= 0 && keep(program, line->bytes + sent, line->count - (size_t)sent)) return LULL_OK;
    if (is_full && fd >= 0 && lull_i_wait(channel->socket, POLLOUT, until)) continue;
    bool is_unsendable = sent < 0 && !is_full && fd >= 0 && errno != EPIPE && errno != ECONNRESET;
    if (is_unsendable) return lull_i_fail_call(program, "sendmsg");
    lull_i_drop(program);
    return lost(program);
  }
}

int lull_i_send(lull_program *program, enum lull_i_use use, int fd, const char *format, ...) {
  struct lull_i_channel *channel = &program->channel;
  struct lull_i_writer line;
  va_list values;
  va_start(values, format);
  lull_i_write(&line, format, values);
  va_end(values);
  if (program->is_closed) return lull_i_fail(program, LULL_ENDED, "the program has left");
  // Only the registration is told before lulld knows the program.
  if (!lull_i_is_up(program) && use != LULL_I_REGISTRATION)
    return lull_i_fail(program, LULL_LOST, "lulld is away, and is looked for");
  if (line.overflows)
    return lull_i_fail(program, LULL_REFUSED, "a request has at most %d bytes", LULL_I_LINE);
  size_t size = (channel->expected_count + 1) * sizeof *channel->expected;
  struct lull_i_expected *expected = size <= LULL_I_WAITING ? realloc(channel->expected, size) : NULL;
  if (!expected) return lull_i_fail_call(program, "realloc");
  channel->expected = expected;
  int code = send_line(program, &line, fd);
  if (code != LULL_OK) return code;
  expected[channel->expected_count++] = (struct lull_i_expected){use, program->tickets.highest};
  return LULL_OK;
}

/* Receiving. */

/// Takes the answer to the oldest request; false when there is none, or it is no registration.
static bool take_answer(lull_program *program, const char *line, size_t length, bool is_ok) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->expected_count == 0) return false;
  struct lull_i_expected expected = channel->expected[0];
  channel->expected_count--;
  memmove(channel->expected, channel->expected + 1, channel->expected_count * sizeof expected);
  struct lull_i_entry head = {.kind = LULL_I_DONE_RECEIVED, .ticket = expected.ticket};
  if (expected.use == LULL_I_IGNORED) return true;
  if (expected.use == LULL_I_DONE) return queue(program, &head, NULL);
  memcpy(channel->reply_line, line, length);
  lull_i_parse(channel->reply_line, length, &channel->reply);
  channel->has_reply = expected.use == LULL_I_AWAITED;
  if (channel->has_reply) return true;
  if (!is_ok) return false;
  lull_i_read_registration(program, &channel->reply);
  head.kind = LULL_I_BACK;
  return queue(program, &head, NULL);
}

/// False when the other end is no lulld, or out of step.
static bool take_line(lull_program *program, const char *line, size_t length, size_t payload_length) {
  char copy[LULL_I_LINE + 1];
  struct lull_i_message message;
  if (length == 0 || (length == 1 && *line == '\r')) return true;
  memcpy(copy, line, length);
  if (!lull_i_parse(copy, length, &message)) return false;
  struct lull_i_entry head = {.kind = LULL_I_NOTICE, .length = length, .payload_length = payload_length};
  // It is read anew when its turn comes.
  if (message.notice) return queue(program, &head, line);
  if (strcmp(message.verb, "item") == 0) {
    lull_i_hear_item(program, &message);
    return true;
  }
  bool is_ok = strcmp(message.verb, "ok") == 0;
  return (is_ok || strcmp(message.verb, "error") == 0) && take_answer(program, line, length, is_ok);
}

static bool take_lines(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  char *start = channel->input, *end = channel->input + channel->input_count, *feed;
  while ((feed = memchr(start, '\n', (size_t)(end - start)))) {
    size_t length = (size_t)(feed - start), payload_length = feed + 1 == end ? channel->payload_length : 0;
    if (length >= LULL_I_LINE || !take_line(program, start, length, payload_length)) return false;
    channel->payload_length -= payload_length;
    start = feed + 1;
  }
  channel->input_count = (size_t)(end - start);
  memmove(channel->input, start, channel->input_count);
  return channel->input_count < LULL_I_LINE;
}

/// Reads the payload in a descriptor that came with the last byte of a read, and closes it.
static bool read_payload(struct lull_i_channel *channel, const struct cmsghdr *rights) {
  int fd;
  memcpy(&fd, CMSG_DATA(rights), sizeof fd);
  ssize_t count = pread(fd, channel->payload, sizeof channel->payload, 0);
  close(fd);
  channel->payload_length = count < 0 ? 0 : (size_t)count;
  return count >= 0;
}

/// Reads once; 0 when the connection has ended, or has lost a payload.
static ssize_t receive_some(struct lull_i_channel *channel) {
  union passed room;
  // The rest of a line whose payload has come is read alone: the next line may have one as well.
  size_t most = channel->payload_length ? 1 : sizeof channel->input - 1 - channel->input_count;
  struct iovec text = {.iov_base = channel->input + channel->input_count, .iov_len = most};
  // CMSG_SPACE has room for two descriptors.
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = room.bytes,
                           .msg_controllen = CMSG_LEN(sizeof(int))};
  ssize_t count = recvmsg(channel->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count <= 0) return count;
  channel->input_count += (size_t)count;
  const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  bool is_whole = !rights || read_payload(channel, rights);
  return is_whole && !(message.msg_flags & MSG_CTRUNC) ? count : 0;
}

void lull_i_receive(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  // A peer that sends without end has its turn again: the descriptor stays readable.
  for (int reads = 0; reads < 64 && channel->socket >= 0 && !channel->has_reply; reads++) {
    ssize_t count = receive_some(channel);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count > 0 && take_lines(program)) continue;
    lull_i_drop(program);
    channel->is_foreign = count > 0;
  }
}

static int await(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  int64_t until = lull_i_later(LULL_I_PATIENCE);
  for (bool is_late = false;;) {
    lull_i_receive(program);
    if (channel->has_reply) break;
    if (channel->socket < 0) return lost(program);
    // A program that was frozen while it waited finds its answer after the time is over.
    if (is_late) {
      lull_i_drop(program);
      return lull_i_fail(program, LULL_TIMED_OUT, "lulld did not answer in %d s", LULL_I_PATIENCE / 1000);
    }
    is_late = !lull_i_wait(channel->socket, (short)(POLLIN | (channel->output_count ? POLLOUT : 0)), until);
    lull_i_flush(program);
  }
  channel->has_reply = false;
  return strcmp(channel->reply.verb, "ok") == 0 ? LULL_OK : lull_i_refused(program);
}

int lull_i_await(lull_program *program, int code) {
  if (code == LULL_OK) code = await(program);
  lull_i_settle(program);
  return code;
}
