#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "listener.h"

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static unsigned long long number(const char *line, const char *key) {
  const char *field = strstr(line, key);
  return field ? strtoull(field + strlen(key), NULL, 10) : 0;
}

static unsigned sample_bytes(const char *line) {
  if (strstr(line, "format=u8")) return 1;
  if (strstr(line, "format=s16")) return 2;
  return strstr(line, "format=s24") ? 3 : 4;
}

bool session_open(struct session *session, const char *line, int memory, int doorbell) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  session->frames = number(line, " frames=");
  session->rate = (unsigned)number(line, " rate=");
  session->frame_bytes = sample_bytes(line) * (unsigned)number(line, " channels=");
  session->is_capture = strstr(line, "direction=capture");
  session->mapped = LULL_RING_DATA + session->frames * session->frame_bytes;
  if (fcntl(memory, F_GET_SEALS) != seals) return false;
  if (lseek(memory, 0, SEEK_END) != (off_t)session->mapped) return false;
  session->ring = mmap(NULL, session->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (session->ring == MAP_FAILED) return false;
  session->doorbell = doorbell;
  session->moved = lull_ring_load64(&session->ring->moved);
  session->written = lull_ring_load64(&session->ring->written);
  session->state = LULL_RING_IDLE;
  session->is_open = true;
  return true;
}

void session_close(struct session *session) {
  if (!session->is_open) return;
  munmap(session->ring, session->mapped);
  close(session->doorbell);
  memset(session, 0, sizeof *session);
}

static void ring_doorbell(struct session *session) {
  send(session->doorbell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void enter(struct session *session, uint32_t state) {
  if (state == session->state && state == lull_ring_load32(&session->ring->state)) return;
  session->state = state;
  lull_ring_store32(&session->ring->state, state);
  ring_doorbell(session);
}

void session_cut(struct session *session, enum lull_ring_error error) {
  lull_ring_store32(&session->ring->error, error);
  enter(session, LULL_RING_CUT);
}

static void count_starved(struct session *session) {
  lull_ring_store32(&session->ring->starved, lull_ring_load32(&session->ring->starved) + 1);
}

static void tell_position(struct session *session, int64_t time) {
  struct lull_ring *ring = session->ring;
  lull_ring_store64(&ring->moved_at, (uint64_t)time);
  lull_ring_store64(&ring->moved, session->moved);
  lull_ring_store64(&ring->taken, session->is_capture ? session->moved : session->written);
}

/* Play: writes the frames from `moved` to `position`. Capture: frame N holds the bytes of its number. */
static void transfer(struct session *session, uint64_t position, int output) {
  uint8_t *frames = (uint8_t *)session->ring + LULL_RING_DATA;
  for (; session->moved < position; session->moved++) {
    uint8_t *frame = frames + session->moved % session->frames * session->frame_bytes;
    for (unsigned i = 0; session->is_capture && i < session->frame_bytes; i++) {
      frame[i] = (uint8_t)(session->moved >> (i % 4 * 8));
    }
    if (!session->is_capture && write(output, frame, session->frame_bytes) < 0) abort();
  }
}

static void begin(struct session *session, int64_t time) {
  session->anchor = session->moved;
  session->began = time;
  enter(session, LULL_RING_RUNNING);
}

static void run(struct session *session, int64_t time, int output, bool drains) {
  uint64_t limit = session->is_capture ? session->written + session->frames : session->written;
  if (session->state != LULL_RING_RUNNING) {
    if (session->moved < limit) return begin(session, time);
    return enter(session, drains ? LULL_RING_DRAINED : LULL_RING_STARVED);
  }
  uint64_t due = session->anchor + (uint64_t)(time - session->began) * session->rate / 1000000000u;
  transfer(session, due < limit ? due : limit, output);
  /* The position comes first: a program that is told of the state finds it. */
  tell_position(session, time);
  if (due <= limit) return;
  if (!drains) count_starved(session);
  enter(session, drains ? LULL_RING_DRAINED : LULL_RING_STARVED);
}

static bool is_honest(struct session *session, uint64_t written) {
  if (session->is_capture && written < session->written) return false;
  return session->is_capture ? written <= session->moved : written <= session->moved + session->frames;
}

static void drop(struct session *session, uint64_t position, int64_t time) {
  if (session->is_capture || position <= session->moved) return;
  session->moved = position < session->written ? position : session->written;
  session->anchor = session->moved;
  session->began = time;
}

void session_step(struct session *session, int output) {
  struct lull_ring *ring = session->ring;
  int64_t time = now();
  uint64_t written = lull_ring_load64(&ring->written);
  if (session->state == LULL_RING_CUT) return;
  /* A program that rewinds may find itself behind the position that was played by then. */
  if (!session->is_capture && written < session->moved) written = session->moved;
  if (!is_honest(session, written)) return session_cut(session, LULL_RING_BAD_POSITION);
  session->written = written;
  drop(session, lull_ring_load64(&ring->flushed), time);
  uint32_t transport = lull_ring_load32(&ring->transport);
  if (session->is_held && transport != LULL_RING_STOP && transport != LULL_RING_PAUSE) {
    enter(session, LULL_RING_HELD);
  } else if (transport == LULL_RING_PLAY || transport == LULL_RING_DRAIN) {
    run(session, time, output, transport == LULL_RING_DRAIN);
  } else {
    enter(session, transport == LULL_RING_PAUSE ? LULL_RING_PAUSED : LULL_RING_IDLE);
  }
  tell_position(session, time);
  uint64_t doorbell_at = lull_ring_load64(&ring->doorbell_at);
  bool is_rung = lull_ring_load32(&ring->rung_for) == (uint32_t)doorbell_at;
  if (doorbell_at && session->moved >= doorbell_at && !is_rung) {
    lull_ring_store32(&ring->rung_for, (uint32_t)doorbell_at);
    ring_doorbell(session);
  }
}
