/* The ring of frames that a program shares with lull-audio, and the few atomic accesses that it takes. Public domain of both the Swift modules
   and the ALSA plugin; prefix lull_ring_. docs/PROTOCOL.md, "Sound", says what each word means and who may write it. */
#ifndef LULL_RING_H
#define LULL_RING_H

#include <stddef.h>
#include <stdint.h>

/* Where the frames begin; the words stand before. */
#define LULL_RING_DATA 4096

/* What the program wants (lull_ring.command). */
enum lull_ring_command {
  LULL_RING_STOP = 0,
  LULL_RING_PLAY = 1,
  LULL_RING_PAUSE = 2,
  LULL_RING_DRAIN = 3,
};

/* What lull-audio does (lull_ring.state). */
enum lull_ring_state {
  LULL_RING_IDLE = 0,
  LULL_RING_RUNNING = 1,
  LULL_RING_PAUSED = 2,
  /* It is to play and has nothing to play. */
  LULL_RING_STARVED = 3,
  /* Another program is heard instead, or the program has no sound in the background. */
  LULL_RING_HELD = 4,
  /* Everything up to the drain has been heard. */
  LULL_RING_DRAINED = 5,
  /* Given up: lull_ring.error says why. Nothing is taken from the ring any more. */
  LULL_RING_CUT = 6,
};

/* Why a ring was given up (lull_ring.error). */
enum lull_ring_error {
  LULL_RING_NO_ERROR = 0,
  /* The positions contradict each other. */
  LULL_RING_BAD_POSITION = 1,
  /* No sound device can be opened. */
  LULL_RING_NO_DEVICE = 2,
  /* The device cannot play or record this rate or number of channels. */
  LULL_RING_BAD_FORMAT = 3,
};

/* Positions count frames since the session was opened and never wrap. Each side writes its own 64 bytes only. */
struct lull_ring {
  /* By the program. */
  uint64_t written;  /* play: frames written; capture: frames read */
  uint64_t flushed;  /* play: frames before this one that were not heard yet are dropped */
  uint64_t bell_at;  /* ring the bell once when `moved` is here or beyond; 0: never */
  uint32_t command;
  uint32_t gain;     /* the bits of a float, 0 to 1 */
  uint32_t rewound;  /* play: counts how often `written` was put back, to write other frames there */
  uint32_t unused[7];
  /* By lull-audio. */
  uint64_t moved;    /* play: the frame that is heard now; capture: frames captured */
  uint64_t taken;    /* play: frames handed to the device */
  uint64_t moved_at; /* when `moved` was so, in nanoseconds of CLOCK_BOOTTIME */
  uint32_t state;
  uint32_t error;
  uint32_t starved;  /* how often it ran dry while it was to play; capture: how often it overran */
  uint32_t rung_for; /* the low half of the last bell_at for which the bell was rung */
  uint32_t reserved[6];
};

_Static_assert(sizeof(struct lull_ring) == 128, "each side has 64 bytes");

static inline uint64_t lull_ring_load64(const uint64_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint32_t lull_ring_load32(const uint32_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void lull_ring_store64(uint64_t *_Nonnull word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static inline void lull_ring_store32(uint32_t *_Nonnull word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

#endif
