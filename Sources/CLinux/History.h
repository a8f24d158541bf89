#ifndef CLINUX_HISTORY_H
#define CLINUX_HISTORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// A step of giving memory back is one chunk, whose pages are the bits of one word.
#define CHUNK_PAGES 64

struct chunk {
  uint64_t number, pages;
};

// The pages of a process that were given back, in the order of their addresses.
struct history {
  pid_t pid;
  uint64_t start;
  int is_unscanned; // nobody can tell which pages those were: all
  struct chunk *chunks;
  size_t count, room;
};

// The histories of all processes of a program.
struct histories {
  struct history *all;
  size_t count;
};

static inline void history_free(struct history *history) {
  free(history->chunks);
  *history = (struct history){0};
}

// Adds pages of the last chunk or of one behind it.
static inline int history_add(struct history *history, uint64_t number, uint64_t pages) {
  if (history->count > 0 && history->chunks[history->count - 1].number == number) {
    history->chunks[history->count - 1].pages |= pages;
    return 0;
  }
  if (history->count == history->room) {
    size_t room = history->room == 0 ? 64 : 2 * history->room;
    struct chunk *chunks = realloc(history->chunks, room * sizeof *chunks);
    if (chunks == NULL) {
      return -1;
    }
    history->chunks = chunks;
    history->room = room;
  }
  history->chunks[history->count++] = (struct chunk){number, pages};
  return 0;
}

static inline size_t history_place(const struct history *history, uint64_t number) {
  size_t low = 0, high = history->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (history->chunks[middle].number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static inline uint64_t history_of(const struct history *history, uint64_t number) {
  if (history == NULL) {
    return 0;
  }
  size_t place = history_place(history, number);
  int is_there = place < history->count && history->chunks[place].number == number;
  return is_there ? history->chunks[place].pages : 0;
}

static inline void history_append_rest(struct history *history, const struct history *other,
                                       uint64_t number) {
  if (other == NULL || number == ~0ULL) {
    return;
  }
  for (size_t place = history_place(other, number); place < other->count; place++) {
    if (history_add(history, other->chunks[place].number, other->chunks[place].pages) == -1) {
      return;
    }
  }
}

static inline struct history *history_find(const struct histories *histories, pid_t pid, uint64_t start) {
  for (size_t index = 0; index < histories->count; index++) {
    if (histories->all[index].pid == pid && histories->all[index].start == start) {
      return &histories->all[index];
    }
  }
  return NULL;
}

static inline int history_replace(struct histories *histories, const struct history *next) {
  struct history *old = history_find(histories, next->pid, next->start);
  if (old != NULL) {
    history_free(old);
    *old = *next;
    return 0;
  }
  struct history *larger = realloc(histories->all, (histories->count + 1) * sizeof *larger);
  if (larger == NULL) {
    return -1;
  }
  larger[histories->count++] = *next;
  histories->all = larger;
  return 0;
}

#endif
