#include "pcm_lull.h"

static bool is_playback(const struct lull_stream *stream) {
  return stream->io.stream == SND_PCM_STREAM_PLAYBACK;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high) {
  return value < low ? low : value > high ? high : value;
}

uint64_t lull_position_moved(const struct lull_stream *stream) {
  uint64_t moved = lull_ring_load64(&stream->ring->moved);
  uint64_t application = stream->application;
  if (is_playback(stream))
    return clamp(moved, stream->base, application > stream->base ? application : stream->base);
  return clamp(moved, application, application + stream->format.frames);
}

uint64_t lull_position_now(const struct lull_stream *stream) {
  uint64_t moved = lull_position_moved(stream);
  bool moves = stream->link == LULL_OPEN && lull_ring_load32(&stream->ring->state) == LULL_RING_RUNNING;
  if (!is_playback(stream) || !moves) return moved;
  uint64_t now = (uint64_t)lull_i_now(), then = lull_ring_load64(&stream->ring->moved_at);
  uint64_t taken = clamp(lull_ring_load64(&stream->ring->taken), moved, stream->application);
  /* Ten seconds are more than the device ever gets ahead, and do not overflow. */
  uint64_t elapsed = now > then ? clamp(now - then, 0, 10000000000u) : 0;
  return clamp(moved + elapsed * stream->format.rate / 1000000000u, moved, taken);
}

/* In the other states the pointer goes back by a prepare: ALSA sets it to 0 before it calls the plugin. */
static bool may_rewind(snd_pcm_state_t state) {
  switch (state) {
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
    case SND_PCM_STATE_DRAINING: return true;
    default: return false;
  }
}

/* lull-audio does not watch an empty ring: it is rung when frames are written to one. */
static void wake_player(struct lull_stream *stream) {
  /* lull-audio stores the state and reads `written` once more; without a full fence each side could miss the
     other's store. */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t state = lull_ring_load32(&stream->ring->state);
  if (state == LULL_RING_STARVED || state == LULL_RING_DRAINED) lull_session_ring_doorbell(stream);
}

void lull_position_tell(struct lull_stream *stream) {
  struct lull_ring *ring = stream->ring;
  uint64_t told = lull_ring_load64(&ring->written);
  if (stream->application == told) return;
  lull_ring_store64(&ring->written, stream->application);
  if (stream->application > told) return wake_player(stream);
  /* Told before the frames are overwritten, so that lull-audio never takes half overwritten frames for new
     ones. */
  lull_ring_store32(&ring->rewound, lull_ring_load32(&ring->rewound) + 1);
  lull_session_ring_doorbell(stream);
}

void lull_position_sync(struct lull_stream *stream) {
  snd_pcm_uframes_t pointer = stream->io.appl_ptr;
  snd_pcm_sframes_t delta = (snd_pcm_sframes_t)(pointer - stream->application_pointer);
  snd_pcm_sframes_t half = (snd_pcm_sframes_t)(stream->boundary / 2);
  if (half > 0 && delta < -half) delta += (snd_pcm_sframes_t)stream->boundary;
  if (half > 0 && delta > half) delta -= (snd_pcm_sframes_t)stream->boundary;
  stream->application += (uint64_t)delta;
  stream->application_pointer = pointer;
  if (!is_playback(stream)) {
    /* Frames that the program has taken make room. */
    lull_ring_store64(&stream->ring->written, stream->application);
  } else if (may_rewind(stream->io.state)) {
    lull_position_tell(stream);
  }
}

static snd_pcm_uframes_t whole_periods(const struct lull_stream *stream, snd_pcm_uframes_t frames) {
  snd_pcm_uframes_t period = stream->io.period_size;
  return frames < period ? frames : frames - frames % period;
}

snd_pcm_uframes_t lull_position_window(const struct lull_stream *stream) {
  return whole_periods(stream, stream->io.buffer_size - 1);
}

/* A ring may hold more than ALSA's buffer, which is a window onto the ring. A deep ring takes frames from the
   low-water mark up to its end, then none until it is low again, so that the program sleeps in between. The
   window is never quite empty: ALSA takes an empty one for the end of a drain. The window moves by whole
   periods: mpd fills a period that it could write only in part with silence. */
static uint64_t window_hardware(struct lull_stream *stream, uint64_t heard) {
  uint64_t application = stream->application;
  uint64_t fill = application - heard;
  uint64_t room = stream->limit > fill ? stream->limit - fill : 0;
  if (!stream->format.low_water || fill <= stream->format.low_water) stream->refilling = true;
  if (room < stream->wake_frames) stream->refilling = false;
  if (!stream->refilling) return stream->hardware;
  uint64_t window = lull_position_window(stream);
  uint64_t avail = room < window ? whole_periods(stream, room) : window;
  return application + avail > stream->io.buffer_size ? application + avail - stream->io.buffer_size : 0;
}

static uint64_t playing_hardware(struct lull_stream *stream) {
  uint64_t heard = lull_position_moved(stream);
  bool is_all_heard = heard >= stream->application;
  if (stream->limit == stream->io.buffer_size || is_all_heard) return heard;
  if (stream->io.state == SND_PCM_STATE_DRAINING) return stream->hardware;
  return window_hardware(stream, heard);
}

uint64_t lull_position_hardware(struct lull_stream *stream) {
  uint64_t position = stream->hardware;
  switch (stream->io.state) {
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_DRAINING:
      position = is_playback(stream) ? playing_hardware(stream) : lull_position_moved(stream);
      break;
    default: break; /* The position stands still, whatever lull-audio is still doing. */
  }
  if (position > stream->hardware) stream->hardware = position;
  return stream->hardware;
}

snd_pcm_uframes_t lull_position_avail(const struct lull_stream *stream, uint64_t hardware) {
  uint64_t application = stream->application;
  if (!is_playback(stream)) return hardware > application ? (snd_pcm_uframes_t)(hardware - application) : 0;
  uint64_t queued = application > hardware ? application - hardware : 0;
  return queued < stream->io.buffer_size ? stream->io.buffer_size - (snd_pcm_uframes_t)queued : 0;
}

bool lull_position_is_xrun(const struct lull_stream *stream) {
  if (stream->io.state != SND_PCM_STATE_RUNNING || stream->ignores_xrun) return false;
  if (!is_playback(stream)) return lull_ring_load32(&stream->ring->starved) != stream->overruns;
  /* The state `starved` may be stale: frames may have been written since. */
  return lull_ring_load32(&stream->ring->state) == LULL_RING_STARVED &&
         lull_ring_load64(&stream->ring->moved) >= stream->application;
}
