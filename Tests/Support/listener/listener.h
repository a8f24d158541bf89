/* A stand-in for lulld and lull-audio: it speaks the requests of sound on a control socket, and plays (or
   captures) each session in real time. */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lull_ring.h"

enum { MAXIMUM_CLIENTS = 8, MAXIMUM_LINE = 4096 };

struct session {
  bool is_open, is_capture;
  unsigned long long id;
  unsigned rate, frame_bytes;
  uint64_t frames;
  struct lull_ring *ring;
  size_t mapped;
  int doorbell;
  uint64_t moved, written; /* as this side believes them */
  uint64_t anchor;         /* the position at `began` */
  int64_t began;           /* nanoseconds */
  uint32_t state;
  bool is_held;
};

struct client {
  int socket; /* -1: none */
  char text[MAXIMUM_LINE];
  size_t count;
  int memory, doorbell; /* for the next session, -1: none */
  struct session session;
};

/* session.c */
bool session_open(struct session *session, const char *line, int memory, int doorbell);
void session_close(struct session *session);
/* Brings the session up to now; the frames that were played are written to `output`. */
void session_step(struct session *session, int output);
void session_cut(struct session *session, enum lull_ring_error error);

#endif
