#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcm_lull.h"

int lull_ring_create(struct lull_stream *stream, size_t frames) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const float full = 1;
  size_t size = LULL_RING_DATA + frames * stream->frame_bytes;
  lull_ring_destroy(stream);
  stream->memory = memfd_create("lull-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (stream->memory < 0) return -errno;
  if (ftruncate(stream->memory, (off_t)size) < 0 || fcntl(stream->memory, F_ADD_SEALS, seals) < 0)
    goto failed;
  void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, stream->memory, 0);
  if (address == MAP_FAILED) goto failed;
  stream->ring = address;
  stream->mapped = size;
  memcpy(&stream->ring->gain, &full, sizeof full);
  stream->base = stream->application = stream->hardware = 0;
  return 0;

failed:;
  int error = -errno;
  lull_ring_destroy(stream);
  return error;
}

void lull_ring_destroy(struct lull_stream *stream) {
  if (stream->ring) munmap(stream->ring, stream->mapped);
  if (stream->memory >= 0) close(stream->memory);
  stream->ring = NULL;
  stream->memory = -1;
}

static void copy_part(struct lull_stream *stream, size_t frame, void *outside, size_t frames,
                      bool into_ring) {
  uint8_t *inside = (uint8_t *)stream->ring + LULL_RING_DATA + frame * stream->frame_bytes;
  lull_channels_copy(stream, inside, outside, frames, into_ring);
}

void lull_ring_copy(struct lull_stream *stream, uint64_t position, void *outside, size_t frames,
                    bool into_ring) {
  size_t place = (size_t)(position % stream->format.frames);
  size_t first = stream->format.frames - place;
  if (first > frames) first = frames;
  copy_part(stream, place, outside, first, into_ring);
  if (frames > first) {
    copy_part(stream, 0, (uint8_t *)outside + first * stream->frame_bytes, frames - first, into_ring);
  }
}
