/* The ring of frames that a program shares with lull-audio, and its atomic accesses, for the Swift modules
   and the ALSA plugin. docs/PROTOCOL-SOUND.md has the meaning of each field and the side that writes it. */
#ifndef LULL_RING_H
#define LULL_RING_H

#include <stddef.h>
#include <stdint.h>

/* The offset of the frames; the fields stand before them. */
#define LULL_RING_DATA 4096

/* The state that the program wants (lull_ring.transport). */
enum lull_ring_transport {
  LULL_RING_STOP = 0,
  LULL_RING_PLAY = 1,
  LULL_RING_PAUSE = 2,
  LULL_RING_DRAIN = 3,
};

/* The state of lull-audio's end (lull_ring.state). */
enum lull_ring_state {
  LULL_RING_IDLE = 0,
  LULL_RING_RUNNING = 1,
  LULL_RING_PAUSED = 2,
  /* The session is to play and has nothing to play. */
  LULL_RING_STARVED = 3,
  /* Another program plays instead, or the program has no sound in the background. */
  LULL_RING_HELD = 4,
  /* Everything up to the drain has been played. */
  LULL_RING_DRAINED = 5,
  /* Given up: lull_ring.error holds the reason. Nothing is taken from the ring any more. */
  LULL_RING_CUT = 6,
};

/* The reason why a ring was given up (lull_ring.error). */
enum lull_ring_error {
  LULL_RING_NO_ERROR = 0,
  /* The positions contradict each other. */
  LULL_RING_BAD_POSITION = 1,
  /* No sound device can be opened. */
  LULL_RING_NO_DEVICE = 2,
  /* The device cannot play or record this rate or number of channels. */
  LULL_RING_BAD_FORMAT = 3,
  /* The user denies that the program records. */
  LULL_RING_DENIED = 4,
};

/* Positions count frames since the session was opened and never wrap. Each side writes its own 64 bytes. */
struct lull_ring {
  /* Written by the program. */
  uint64_t written;  /* play: frames written; capture: frames read */
  uint64_t flushed;  /* play: frames before this one that were not played yet are dropped */
  uint64_t doorbell_at;  /* the doorbell rings once when `moved` is here or beyond; 0: never */
  uint32_t transport;
  uint32_t gain;     /* the bits of a float, 0 to 1 */
  uint32_t rewound;  /* play: counts the times that `written` was put back, to write other frames there */
  uint32_t unused[7];
  /* Written by lull-audio. */
  uint64_t moved;    /* play: the frame that plays now; capture: frames captured */
  uint64_t taken;    /* play: frames handed to the device */
  uint64_t moved_at; /* the time of `moved`, in nanoseconds of CLOCK_BOOTTIME */
  uint32_t state;
  uint32_t error;
  uint32_t starved;  /* play: the underruns; capture: the overruns */
  uint32_t rung_for; /* the low half of the last doorbell_at for which the doorbell rang */
  uint32_t reserved[6];
};

_Static_assert(sizeof(struct lull_ring) == 128, "each side has 64 bytes");

static inline uint64_t lull_ring_load64(const uint64_t *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline uint32_t lull_ring_load32(const uint32_t *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void lull_ring_store64(uint64_t *_Nonnull word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void lull_ring_store32(uint32_t *_Nonnull word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

#endif
