/* The channels of a program, in the order of a session: that of WAV files (docs/PROTOCOL-SOUND.md). */
#include <stdlib.h>
#include <string.h>

#include "pcm_lull.h"

enum {
  FL = SND_CHMAP_FL, FR = SND_CHMAP_FR, FC = SND_CHMAP_FC, LFE = SND_CHMAP_LFE,
  RL = SND_CHMAP_RL, RR = SND_CHMAP_RR, RC = SND_CHMAP_RC, SL = SND_CHMAP_SL, SR = SND_CHMAP_SR,
};

typedef unsigned layout[LULL_CHANNELS];

/* For 1 to 8 channels. */
static const layout in_session[LULL_CHANNELS] = {
    {SND_CHMAP_MONO}, {FL, FR}, {FL, FR, FC}, {FL, FR, RL, RR}, {FL, FR, FC, RL, RR},
    {FL, FR, FC, LFE, RL, RR}, {FL, FR, FC, LFE, RC, SL, SR}, {FL, FR, FC, LFE, RL, RR, SL, SR},
};

/* The order of a program that sets none, as of hardware (snd_pcm_std_chmaps in the kernel). */
static const layout of_alsa[LULL_CHANNELS] = {
    {SND_CHMAP_MONO}, {FL, FR}, {FL, FR, FC}, {FL, FR, RL, RR}, {FL, FR, RL, RR, FC},
    {FL, FR, RL, RR, FC, LFE}, {FL, FR, RL, RR, FC, LFE, RC}, {FL, FR, RL, RR, FC, LFE, SL, SR},
};

/* A position can take the place of another one: 5.1 has its second pair at the side or at the rear. */
static unsigned other_name(unsigned position) {
  switch (position) {
    case RL: return SL;
    case RR: return SR;
    case SL: return RL;
    case SR: return RR;
    case SND_CHMAP_MONO: return FC;
    default: return position;
  }
}

static int find(const unsigned *positions, unsigned count, unsigned position) {
  for (unsigned i = 0; i < count; i++)
    if (positions[i] == position) return (int)i;
  return -1;
}

/* -EINVAL for an order that has other channels than a session. */
static int set_order(struct lull_stream *stream, const unsigned *positions, unsigned count) {
  struct lull_channels next = {.is_session_order = true};
  if (count < 1 || count > LULL_CHANNELS) return -EINVAL;
  for (unsigned channel = 0; channel < count; channel++) {
    unsigned wanted = in_session[count - 1][channel];
    int place = find(positions, count, wanted);
    /* Among 8 channels are both pairs. */
    if (place < 0 && count < LULL_CHANNELS) place = find(positions, count, other_name(wanted));
    if (place < 0) return -EINVAL;
    next.places[channel] = (uint8_t)place;
    next.positions[channel] = positions[channel];
    next.is_session_order &= place == (int)channel;
  }
  stream->channels = next;
  return 0;
}

void lull_channels_reset(struct lull_stream *stream) {
  unsigned count = stream->format.channels;
  if (count >= 1 && count <= LULL_CHANNELS) set_order(stream, of_alsa[count - 1], count);
}

void lull_channels_copy(const struct lull_stream *stream, uint8_t *inside, uint8_t *outside, size_t frames,
                        bool into_ring) {
  size_t frame_bytes = stream->frame_bytes, width = frame_bytes / stream->format.channels;
  if (stream->channels.is_session_order) {
    memcpy(into_ring ? inside : outside, into_ring ? outside : inside, frames * frame_bytes);
    return;
  }
  for (; frames > 0; frames--, inside += frame_bytes, outside += frame_bytes) {
    for (unsigned channel = 0; channel < stream->format.channels; channel++) {
      uint8_t *in = inside + channel * width, *out = outside + stream->channels.places[channel] * width;
      memcpy(into_ring ? in : out, into_ring ? out : in, width);
    }
  }
}

static snd_pcm_chmap_query_t *new_query(const unsigned *positions, unsigned count) {
  snd_pcm_chmap_query_t *query = malloc(sizeof *query + count * sizeof *positions);
  if (!query) return NULL;
  /* The program may set them in any order. */
  query->type = count > 1 ? SND_CHMAP_TYPE_VAR : SND_CHMAP_TYPE_FIXED;
  query->map.channels = count;
  memcpy(query->map.pos, positions, count * sizeof *positions);
  return query;
}

snd_pcm_chmap_query_t **lull_on_query_chmaps(snd_pcm_ioplug_t *io) {
  (void)io;
  /* For 4 to 7 channels also with the other name of their second pair. */
  snd_pcm_chmap_query_t **queries = calloc(2 * LULL_CHANNELS + 1, sizeof *queries), **next = queries;
  for (unsigned count = 1; queries && count <= LULL_CHANNELS; count++) {
    layout other;
    for (unsigned i = 0; i < count; i++) other[i] = other_name(of_alsa[count - 1][i]);
    bool has_other = count >= 4 && count < LULL_CHANNELS;
    *next++ = new_query(of_alsa[count - 1], count);
    if (next[-1] && has_other) *next++ = new_query(other, count);
    if (next[-1]) continue;
    snd_pcm_free_chmaps(queries);
    queries = NULL;
  }
  return queries;
}

snd_pcm_chmap_t *lull_on_get_chmap(snd_pcm_ioplug_t *io) {
  struct lull_stream *stream = io->private_data;
  pthread_mutex_lock(&stream->lock);
  unsigned count = stream->ring ? stream->format.channels : 0;
  snd_pcm_chmap_t *map = count ? malloc(sizeof *map + count * sizeof *map->pos) : NULL;
  if (map) {
    map->channels = count;
    memcpy(map->pos, stream->channels.positions, count * sizeof *map->pos);
  }
  pthread_mutex_unlock(&stream->lock);
  return map;
}

int lull_on_set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map) {
  struct lull_stream *stream = io->private_data;
  pthread_mutex_lock(&stream->lock);
  bool is_possible = stream->ring && map->channels == stream->format.channels;
  int error = is_possible ? set_order(stream, map->pos, map->channels) : -EINVAL;
  pthread_mutex_unlock(&stream->lock);
  return error;
}
