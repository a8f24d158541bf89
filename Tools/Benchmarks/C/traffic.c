// Random traffic to an echo program, and whether every byte comes back.
#include "bench.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_burst = 1200, bench_header = sizeof(uint64_t), bench_most_waiting = 8192 };

/// The byte at a place of a channel's stream.
static unsigned char bench_byte(const struct bench_channel *channel, uint64_t place) {
  return (unsigned char)((place * 2654435761u >> 7) ^ channel->salt);
}

void bench_send_burst(struct bench_channel *channel, uint64_t *seed) {
  unsigned char bytes[bench_header + bench_burst];
  size_t length = 1 + bench_random(seed, bench_burst), header = channel->datagrams ? bench_header : 0;
  // No more than what the sockets' buffers hold: a datagram too many is dropped by the kernel.
  if (channel->sent - channel->echoed + length > bench_most_waiting) return;
  memcpy(bytes, &channel->sent, bench_header);
  for (size_t index = 0; index < length; index++)
    bytes[header + index] = bench_byte(channel, channel->sent + index);
  if (send(channel->socket, bytes, header + length, MSG_NOSIGNAL) != (ssize_t)(header + length))
    bench_fail("%s: cannot send: %s", channel->name, strerror(errno));
  channel->sent += length;
}

/// The bytes between the last byte echoed and `place` never came: they are counted as lost.
static void bench_skip(struct bench_channel *channel, uint64_t place) {
  if (place < channel->echoed || place > channel->sent) bench_fail("%s: bytes from nowhere", channel->name);
  channel->lost += place - channel->echoed;
  channel->echoed = place;
}

bool bench_hear_echo(struct bench_channel *channel) {
  unsigned char bytes[65536];
  ssize_t got = recv(channel->socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  // As long as what it sent is not acknowledged the program waits for that, and the kernel takes its time.
  int on = 1;
  if (!channel->datagrams) setsockopt(channel->socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
  size_t header = channel->datagrams ? bench_header : 0;
  if (channel->datagrams) {
    uint64_t place;
    memcpy(&place, bytes, sizeof place);
    bench_skip(channel, place);
  }
  for (size_t index = header; index < (size_t)got; index++)
    channel->lost += bytes[index] != bench_byte(channel, channel->echoed++);
  return true;
}

void bench_give_up(struct bench_channel *channel) { bench_skip(channel, channel->sent); }
