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

int64_t lull_i_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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
  channel->due = lull_i_now() + channel->retry_milliseconds * INT64_C(1000000);
  channel->retry_milliseconds = channel->retry_milliseconds < 2500 ? channel->retry_milliseconds * 2 : 5000;
  if (was_up) lull_i_queue(program, &(struct lull_i_entry){.kind = LULL_I_GONE}, NULL);
}

void lull_i_free_channel(struct lull_i_channel *channel) {
  if (channel->socket >= 0) close(channel->socket);
  while (channel->first) {
    struct lull_i_entry *entry = channel->first;
    channel->first = entry->next;
    free(entry);
  }
  free(channel->output);
  free(channel->expected);
}

bool lull_i_queue(lull_program *program, const struct lull_i_entry *head, const char *line) {
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

/* Sending. */

/// Doubles an array until it has room; false without memory.
static bool grow(void **array, size_t *size, size_t needed, size_t width) {
  if (needed <= *size) return true;
  size_t larger = *size ? *size : 64;
  while (larger < needed) larger *= 2;
  void *moved = larger * width <= 2 * LULL_I_WAITING ? realloc(*array, larger * width) : NULL;
  if (!moved) return false;
  *array = moved;
  *size = larger;
  return true;
}

/// Room for a descriptor beside a line.
union passed {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

/// Sends bytes once; -1 when there is no room, or with an error that ends the connection.
static ssize_t send_some(int socket, const char *bytes, size_t count, int fd) {
  union passed room = {0};
  struct iovec text = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  if (fd >= 0) {
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

void lull_i_flush(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  size_t done = 0;
  while (done < channel->output_count) {
    ssize_t sent = send_some(channel->socket, channel->output + done, channel->output_count - done, -1);
    if (sent < 0 && errno != EAGAIN) {
      lull_i_drop(program);
      return;
    }
    if (sent < 0) break;
    done += (size_t)sent;
  }
  if (done == 0) return;
  channel->due = lull_i_now() + LULL_I_PATIENCE * INT64_C(1000000);
  channel->output_count -= done;
  memmove(channel->output, channel->output + done, channel->output_count);
  if (channel->output_count == 0) watch(program, EPOLL_CTL_MOD, EPOLLIN);
}

static bool keep(lull_program *program, const char *bytes, size_t count) {
  struct lull_i_channel *channel = &program->channel;
  size_t needed = channel->output_count + count;
  if (needed > LULL_I_WAITING) return false;
  if (!grow((void **)&channel->output, &channel->output_size, needed, 1)) return false;
  memcpy(channel->output + channel->output_count, bytes, count);
  if (channel->output_count == 0) channel->due = lull_i_now() + LULL_I_PATIENCE * INT64_C(1000000);
  channel->output_count = needed;
  watch(program, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  return true;
}

/// Waits until the connection has something, or room; false after the moment.
static bool wait_for(int socket, short events, int64_t until) {
  struct pollfd entry = {.fd = socket, .events = events};
  for (;;) {
    int64_t left = (until - lull_i_now() + 999999) / 1000000;
    int count = poll(&entry, 1, left > 0 ? (int)left : 0);
    if (count != 0 && !(count < 0 && errno == EINTR)) return count > 0;
    if (count == 0 && left <= 0) return false;
  }
}

/// A descriptor travels with the first byte of its line, and behind no other line.
static int send_with(lull_program *program, const struct lull_i_writer *line, int fd) {
  struct lull_i_channel *channel = &program->channel;
  int64_t until = lull_i_now() + LULL_I_PATIENCE * INT64_C(1000000);
  for (;;) {
    lull_i_flush(program);
    if (channel->socket < 0) return lull_i_fail(program, LULL_LOST, "the connection to lulld was lost");
    ssize_t sent = channel->output_count ? -1 : send_some(channel->socket, line->bytes, line->count, fd);
    if (sent > 0) {
      if ((size_t)sent < line->count) keep(program, line->bytes + sent, line->count - (size_t)sent);
      return LULL_OK;
    }
    bool is_full = channel->output_count || errno == EAGAIN;
    if (!is_full && errno != EPIPE && errno != ECONNRESET) return lull_i_fail_call(program, "sendmsg");
    if (is_full && wait_for(channel->socket, POLLOUT, until)) continue;
    lull_i_drop(program);
    return lull_i_fail(program, LULL_LOST, "the connection to lulld was lost");
  }
}

static int send_without(lull_program *program, const struct lull_i_writer *line) {
  struct lull_i_channel *channel = &program->channel;
  ssize_t sent = 0;
  if (channel->output_count == 0) {
    sent = send_some(channel->socket, line->bytes, line->count, -1);
    if (sent < 0 && errno == EAGAIN) sent = 0;
  }
  if (sent >= 0) {
    size_t rest = line->count - (size_t)sent;
    if (rest == 0 || keep(program, line->bytes + sent, rest)) return LULL_OK;
  }
  lull_i_drop(program);
  return lull_i_fail(program, LULL_LOST, "the connection to lulld was lost");
}

/// The connection must be there.
static int send_line(
    lull_program *program, struct lull_i_writer *line, int fd, struct lull_i_expected expected) {
  struct lull_i_channel *channel = &program->channel;
  lull_i_end(line);
  if (line->overflows)
    return lull_i_fail(program, LULL_REFUSED, "a request has at most %d bytes", LULL_I_LINE);
  size_t needed = channel->expected_count + 1;
  if (!grow((void **)&channel->expected, &channel->expected_size, needed, sizeof *channel->expected))
    return lull_i_fail_call(program, "realloc");
  int code = fd >= 0 ? send_with(program, line, fd) : send_without(program, line);
  if (code == LULL_OK) channel->expected[channel->expected_count++] = expected;
  return code;
}

void lull_i_tell(lull_program *program, struct lull_i_writer *line, int fd, struct lull_i_expected expected) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->socket < 0) return;
  // Only the registration is told before lulld knows the program.
  bool is_first = expected.use == LULL_I_REGISTRATION;
  if (channel->link == LULL_I_UP || is_first) send_line(program, line, fd, expected);
}

/* Receiving. */

/// Keeps the answer; its fields point into the line, which moves.
static void keep_reply(struct lull_i_channel *channel, const char *line, const struct lull_i_message *message,
                       size_t length) {
  memcpy(channel->reply_line, line, length + 1);
  channel->reply = *message;
  channel->reply.verb = channel->reply_line + (message->verb - line);
  for (size_t index = 0; index < message->count; index++) {
    struct lull_i_field *field = &channel->reply.fields[index];
    field->key = channel->reply_line + (field->key - line);
    if (field->value) field->value = channel->reply_line + (field->value - line);
  }
  channel->has_reply = true;
}

static bool take_answer(
    lull_program *program, const char *line, size_t length, const struct lull_i_message *message) {
  struct lull_i_channel *channel = &program->channel;
  if (channel->expected_count == 0) return false;
  struct lull_i_expected expected = channel->expected[0];
  channel->expected_count--;
  memmove(channel->expected, channel->expected + 1, channel->expected_count * sizeof *channel->expected);
  switch (expected.use) {
    case LULL_I_AWAITED:
      keep_reply(channel, line, message, length);
      return true;
    case LULL_I_DONE:
      return lull_i_queue(
          program, &(struct lull_i_entry){.kind = LULL_I_DONE_RECEIVED, .ticket = expected.ticket}, NULL);
    case LULL_I_REGISTRATION:
      if (strcmp(message->verb, "ok") != 0) return false;
      lull_i_read_registration(program, message);
      return lull_i_queue(program, &(struct lull_i_entry){.kind = LULL_I_BACK}, NULL);
    case LULL_I_IGNORED: break;
  }
  return true;
}

/// False when the other end is no lulld, or out of step.
static bool take_line(lull_program *program, char *line, size_t length, size_t payload_length) {
  char copy[LULL_I_LINE + 1];
  struct lull_i_message message;
  if (length == 0 || (length == 1 && *line == '\r')) return true;
  memcpy(copy, line, length);
  if (!lull_i_parse(line, length, &message)) return false;
  struct lull_i_entry head = {.kind = LULL_I_NOTICE, .length = length, .payload_length = payload_length};
  // It is read anew when its turn comes.
  if (message.notice) return lull_i_queue(program, &head, copy);
  if (strcmp(message.verb, "item") == 0) {
    if (program->channel.item) program->channel.item(program, &message, program->channel.item_context);
    return true;
  }
  if (strcmp(message.verb, "ok") != 0 && strcmp(message.verb, "error") != 0) return false;
  return take_answer(program, line, length, &message);
}

static bool take_lines(lull_program *program) {
  struct lull_i_channel *channel = &program->channel;
  char *start = channel->input, *end = channel->input + channel->input_count, *feed;
  while ((feed = memchr(start, '\n', (size_t)(end - start)))) {
    size_t length = (size_t)(feed - start);
    bool is_beside = (size_t)(feed - channel->input) >= channel->payload_place;
    size_t payload_length = is_beside ? channel->payload_length : 0;
    if (length >= LULL_I_LINE || !take_line(program, start, length, payload_length)) return false;
    channel->payload_length -= payload_length;
    start = feed + 1;
  }
  if (channel->payload_length > 0) channel->payload_place -= (size_t)(start - channel->input);
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
  channel->payload_place = channel->input_count - 1;
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
  int64_t until = lull_i_now() + LULL_I_PATIENCE * INT64_C(1000000);
  for (bool is_late = false;; ) {
    lull_i_receive(program);
    if (channel->has_reply) break;
    if (channel->socket < 0) return lull_i_fail(program, LULL_LOST, "the connection to lulld was lost");
    // A program that was frozen while it waited finds its answer after the time is over.
    if (is_late) {
      lull_i_drop(program);
      return lull_i_fail(program, LULL_TIMED_OUT, "lulld did not answer in %d s", LULL_I_PATIENCE / 1000);
    }
    is_late = !wait_for(channel->socket, (short)(POLLIN | (channel->output_count ? POLLOUT : 0)), until);
    lull_i_flush(program);
  }
  channel->has_reply = false;
  return strcmp(channel->reply.verb, "ok") == 0 ? LULL_OK : lull_i_refused(program, &channel->reply);
}

int lull_i_ask(lull_program *program, struct lull_i_writer *line, int fd) {
  struct lull_i_channel *channel = &program->channel;
  if (program->is_closed) return lull_i_fail(program, LULL_ENDED, "the program has left");
  if (channel->socket < 0 || channel->link == LULL_I_REGISTERING)
    return lull_i_fail(program, LULL_LOST, "lulld is away, and is looked for");
  int code = send_line(program, line, fd, (struct lull_i_expected){LULL_I_AWAITED, 0});
  if (code == LULL_OK) code = await(program);
  lull_i_settle(program);
  return code;
}
