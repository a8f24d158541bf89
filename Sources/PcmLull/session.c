#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcm_lull.h"

enum { first_retry_msec = 50, last_retry_msec = 5000 };

/* The wait for lull-audio to pause, and the wait for its doorbell after that. */
enum { patience_msec = 100, answer_msec = 2 };

static void close_doorbell(struct lull_stream *stream) {
  if (stream->doorbell >= 0) close(stream->doorbell);
  stream->doorbell = -1;
}

static int ask_for_doorbell(struct lull_stream *stream) {
  int ends[2];
  struct stat status;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) return -errno;
  close_doorbell(stream);
  stream->doorbell = ends[0];
  int error = fstat(ends[0], &status) < 0
      ? -errno : lull_control_ask(stream, ends[1], "doorbell inode=%ju", (uintmax_t)status.st_ino);
  close(ends[1]);
  return error < 0 ? error : lull_pollset_watch(stream, stream->doorbell);
}

static int ask_for_session(struct lull_stream *stream) {
  const struct lull_session_format *format = &stream->format;
  const struct lull_config *config = &stream->config;
  int error = lull_control_ask(
      stream, -1,
      "session category=%s direction=%s rate=%d channels=%d format=%s frames=%ju mix?%d duck?%d spoken?%d"
      " lowWater?=%ju latency?=%f",
      config->category, stream->io.stream == SND_PCM_STREAM_PLAYBACK ? "play" : "capture", (int)format->rate,
      (int)format->channels, format->sample, (uintmax_t)format->frames, config->mix, config->duck,
      config->spoken, (uintmax_t)format->low_water, format->latency_usec / 1e6);
  if (error < 0) return error;
  stream->session = lull_i_number(&stream->lulld->channel.reply, "session", UINT64_MAX);
  return stream->session == UINT64_MAX ? -EPROTO : 0;
}

int lull_session_open(struct lull_stream *stream) {
  int error = lull_control_ask(stream, stream->memory, "ring");
  if (error == 0) error = ask_for_doorbell(stream);
  if (error == 0) error = ask_for_session(stream);
  if (error < 0) {
    close_doorbell(stream);
    return error;
  }
  stream->link = LULL_OPEN;
  return 0;
}

void lull_session_close(struct lull_stream *stream) {
  /* lulld has ended a session that was given up, and would refuse to end it again. */
  bool is_cut = stream->ring && lull_ring_load32(&stream->ring->state) == LULL_RING_CUT;
  if (stream->link == LULL_OPEN && !is_cut &&
      lull_control_ask(stream, -1, "end-session session=%ju", stream->session) < 0)
    lull_control_close(stream);
  close_doorbell(stream);
  lull_pollset_retry(stream, 0);
  stream->link = LULL_UNOPENED;
}

unsigned lull_session_latency(const struct lull_stream *stream) {
  if (stream->config.latency > 0) return (unsigned)(stream->config.latency * 1000000);
  /* The device cannot get more ahead than the program writes ahead. */
  bool is_short = stream->limit < stream->format.rate / 2;
  return is_short ? (unsigned)(1000000ull * stream->limit / stream->format.rate) : 0;
}

void lull_session_choose_depth(struct lull_stream *stream) {
  if (!stream->format.low_water || stream->asks_delay || !stream->io.nonblock) return;
  /* Such a program neither waits until its frames are taken nor asks how many were played. Like mpd it counts
     all frames handed over as played, and a pause would skip them. */
  bool was_open = stream->link == LULL_OPEN;
  stream->limit = stream->io.buffer_size;
  stream->format.low_water = 0;
  stream->format.latency_usec = lull_session_latency(stream);
  if (!was_open) return;
  lull_session_close(stream);
  lull_session_resume(stream);
}

void lull_session_resume(struct lull_stream *stream) {
  int error = lull_control_attend(stream) ? 0 : lull_control_connect(stream, false);
  if (error == 0) error = lull_session_open(stream);
  if (error == 0) {
    stream->retry_msec = 0;
    lull_pollset_retry(stream, 0);
    lull_session_ring_doorbell(stream);
    return;
  }
  lull_control_close(stream);
  stream->link = LULL_AWAY;
  if (error == -EACCES || error == -EINVAL) {
    stream->link = LULL_GIVEN_UP;
    lull_pollset_retry(stream, 0);
    return;
  }
  stream->retry_msec = stream->retry_msec ? stream->retry_msec * 2 : first_retry_msec;
  if (stream->retry_msec > last_retry_msec) stream->retry_msec = last_retry_msec;
  lull_pollset_retry(stream, stream->retry_msec);
}

/* The end of the doorbell is no event: either lulld is gone, which its own connection tells, or the session
   was cut, which the ring tells. A doorbell watched on would be readable for ever. */
static void attend_doorbell(struct lull_stream *stream) {
  char bytes[256];
  ssize_t count;
  if (stream->doorbell < 0) return;
  do {
    count = recv(stream->doorbell, bytes, sizeof bytes, MSG_DONTWAIT);
  } while (count == sizeof bytes || (count < 0 && errno == EINTR));
  if (count == 0 || (count < 0 && errno != EAGAIN)) close_doorbell(stream);
}

void lull_session_attend(struct lull_stream *stream) {
  uint64_t expirations;
  switch (stream->link) {
    case LULL_OPEN:
      attend_doorbell(stream);
      if (lull_control_attend(stream)) return;
      close_doorbell(stream);
      lull_session_resume(stream);
      return;
    case LULL_AWAY:
      if (read(stream->timer, &expirations, sizeof expirations) > 0) lull_session_resume(stream);
      return;
    case LULL_UNOPENED:
      /* A new connection is made when it is needed. */
      if (!lull_control_attend(stream)) lull_control_close(stream);
      return;
    case LULL_GIVEN_UP: return;
  }
}

static void tell_cut(struct lull_stream *stream) {
  switch (lull_ring_load32(&stream->ring->error)) {
    case LULL_RING_NO_DEVICE:
      SNDERR("lull: no sound device can be opened: `lull doctor` says what is missing, and "
             "LULL_SOUND_DEVICE in the environment of lulld names another device");
      return;
    case LULL_RING_BAD_FORMAT:
      SNDERR("lull: %u channels at %u Hz cannot be converted for the sound device: 48000 Hz can",
             stream->format.channels, stream->format.rate);
      return;
    case LULL_RING_DENIED: SNDERR(LULL_DENIED); return;
    default: SNDERR("lull: lull-audio gave the stream up, since its positions contradict each other");
  }
}

bool lull_session_is_over(struct lull_stream *stream) {
  bool is_cut = lull_ring_load32(&stream->ring->state) == LULL_RING_CUT;
  if (is_cut && !stream->has_told_cut) tell_cut(stream);
  stream->has_told_cut = is_cut;
  return is_cut || stream->link == LULL_GIVEN_UP;
}

void lull_session_ring_doorbell(struct lull_stream *stream) {
  if (stream->doorbell < 0) return;
  /* A full socket holds bytes that already tell lull-audio. */
  if (send(stream->doorbell, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return;
  if (errno == EPIPE) close_doorbell(stream);
}

void lull_session_set_transport(struct lull_stream *stream, enum lull_ring_transport transport) {
  lull_ring_store32(&stream->ring->transport, transport);
  lull_session_ring_doorbell(stream);
}

/* The state is current after a ring: lull-audio stores it before it rings. */
static bool is_at_rest(struct lull_stream *stream) {
  uint32_t state = lull_ring_load32(&stream->ring->state);
  return state == LULL_RING_IDLE || state == LULL_RING_PAUSED || state == LULL_RING_CUT;
}

void lull_session_pause(struct lull_stream *stream) {
  bool was_at_rest = is_at_rest(stream), is_over = false;
  int64_t deadline = lull_milliseconds() + patience_msec;
  lull_session_set_transport(stream, LULL_RING_PAUSE);
  while (!was_at_rest && !is_over && stream->link == LULL_OPEN && stream->doorbell >= 0) {
    struct pollfd doorbell = {.fd = stream->doorbell, .events = POLLIN};
    int64_t left = deadline - lull_milliseconds();
    is_over = is_at_rest(stream) || left <= 0;
    poll(&doorbell, 1, is_over ? answer_msec : (int)left);
    attend_doorbell(stream);
  }
}
