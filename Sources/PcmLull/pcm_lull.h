/* The ALSA plugin `lull`: an external I/O plugin of ALSA whose frames stand in a ring that lull-audio plays
   or fills while the program sleeps (docs/PROTOCOL-SOUND.md). */
#ifndef PCM_LULL_H
#define PCM_LULL_H

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A keyword of clang that the ring's header needs for Swift. */
#ifndef __clang__
#define _Nonnull
#endif
#include "lull_ring.h"

/* liblull is compiled into the plugin, and exports nothing from it. */
#include "../liblull/internal.h"

/* ALSA's macro would show the path that this file had where it was built. */
#undef SNDERR
#define SNDERR(...) snd_lib_error(__FILE_NAME__, __LINE__, __func__, 0, __VA_ARGS__)

#define LULL_DENIED "lull: this program may not record: the user has denied it (`lull allow NAME record`)"

/* Positions are frames since the ring was made, as in the ring. ALSA's own positions begin anew with each
   prepare. */

struct lull_config {
  char category[16];
  bool mix, duck, spoken;
  double deep;    /* seconds of the deep buffer; 0: none */
  double latency; /* seconds; 0: what suits the buffer */
  char *runtime_dir;
};

/* What lulld is told of a session, beside its configuration. */
struct lull_session_format {
  const char *sample;
  unsigned rate, channels;
  size_t frames;         /* in the ring, never fewer than in ALSA's buffer */
  size_t low_water;      /* frames; 0: no deep buffer */
  unsigned latency_usec; /* 0: lull-audio's choice */
};

enum { LULL_CHANNELS = 8 }; /* at most */

/* The program's order of its channels. */
struct lull_channels {
  unsigned positions[LULL_CHANNELS]; /* ALSA's words for them, in the program's order */
  uint8_t places[LULL_CHANNELS];     /* for each channel of the session its place in the program's frame */
  bool is_session_order;
};

enum lull_link {
  LULL_UNOPENED, /* no hardware parameters yet */
  LULL_OPEN,
  LULL_AWAY,   /* lulld is gone; the stream tries to reconnect */
  LULL_GIVEN_UP /* refused for good */
};

struct lull_stream {
  snd_pcm_ioplug_t io;
  pthread_mutex_t lock; /* ALSA calls some callbacks outside its own lock */
  struct lull_config config;

  enum lull_link link;
  lull_program *lulld; /* the connection to it; NULL: none */
  struct lull_session_format format;
  uint64_t session;
  unsigned retry_msec;

  int memory; /* the ring's memfd, -1: none */
  struct lull_ring *ring;
  size_t mapped;
  size_t frame_bytes;
  struct lull_channels channels;
  bool has_told_cut; /* the user was told why the session was given up */
  int doorbell; /* -1: none */

  size_t limit; /* the most frames that are taken ahead of the frame that plays */

  uint64_t base;                         /* the position that is 0 for ALSA */
  uint64_t application;                  /* the position of io.appl_ptr */
  snd_pcm_uframes_t application_pointer; /* the io.appl_ptr that `application` stands for */
  uint64_t hardware;                     /* the position that ALSA was told last */
  uint32_t overruns;                     /* capture: the ring's count when it was started */
  bool refilling;                        /* a deep buffer takes frames from here up to its end */

  snd_pcm_uframes_t wake_frames; /* avail_min, at least 1 and at most what can become available */
  snd_pcm_uframes_t boundary;
  bool ignores_xrun;
  bool is_telling_xrun;
  bool asks_delay; /* the program asks for the delay, and so knows which frames were played */

  int set;   /* the descriptor that the program polls: an epoll set of the others */
  int event; /* readable while the stream is ready */
  int timer; /* readable when the stream is to try again */
  bool is_ready;
};

/* All functions that return int return 0 or a negative error, if nothing else is said. */

/* config.c: reads the program's part of the ALSA configuration. */
int lull_config_read(struct lull_config *config, snd_config_t *fields, snd_pcm_stream_t direction);
void lull_config_free(struct lull_config *config);

/* control.c */
/* Connects; `starts` a lulld if none runs, and tells the user what fails. -EPERM: another user listens there,
   or the directory is none for a socket. */
int lull_control_connect(struct lull_stream *stream, bool starts);
void lull_control_close(struct lull_stream *stream);
/* Sends a request, perhaps with a descriptor (-1: none), and waits at most 5 s for the answer. -ECONNRESET:
   lulld is gone; -EACCES and others: lulld refused, and stderr has the reason. */
#define lull_control_ask(stream, descriptor, ...) \
  lull_control_result(stream, lull_i_ask((stream)->lulld, descriptor, __VA_ARGS__))
int lull_control_result(struct lull_stream *stream, int code);
/* Discards the events that came; false when lulld is gone. */
bool lull_control_attend(struct lull_stream *stream);

/* ring.c */
int lull_ring_create(struct lull_stream *stream, size_t frames);
void lull_ring_destroy(struct lull_stream *stream);
/* Copies whole frames between the ring and the program's memory. */
void lull_ring_copy(struct lull_stream *stream, uint64_t position, void *outside, size_t frames,
                    bool into_ring);

/* channels.c */
/* Sets ALSA's usual order of the channels. */
void lull_channels_reset(struct lull_stream *stream);
/* Copies whole frames, with each channel at its place. */
void lull_channels_copy(const struct lull_stream *stream, uint8_t *inside, uint8_t *outside, size_t frames,
                        bool into_ring);
snd_pcm_chmap_query_t **lull_on_query_chmaps(snd_pcm_ioplug_t *io);
snd_pcm_chmap_t *lull_on_get_chmap(snd_pcm_ioplug_t *io);
int lull_on_set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map);

/* pollset.c: the descriptor that the program polls. */
int lull_pollset_create(struct lull_stream *stream);
void lull_pollset_destroy(struct lull_stream *stream);
int lull_pollset_watch(struct lull_stream *stream, int descriptor);
void lull_pollset_signal(struct lull_stream *stream, bool ready);
/* Makes the timer ready after `msec`, to try lulld again; 0: never. */
void lull_pollset_retry(struct lull_stream *stream, unsigned msec);
/* Waits for an event of the stream, at most `msec`. */
void lull_pollset_wait(struct lull_stream *stream, int msec);
/* The time of CLOCK_MONOTONIC. */
int64_t lull_milliseconds(void);

/* session.c: a session with lulld for the stream's ring. */
int lull_session_open(struct lull_stream *stream);
void lull_session_close(struct lull_stream *stream);
/* Opens the session again without its deep buffer if the program would lose frames that it wrote ahead. */
void lull_session_choose_depth(struct lull_stream *stream);
/* The microseconds of sound that lull-audio hands to the device ahead; 0: lull-audio's choice. */
unsigned lull_session_latency(const struct lull_stream *stream);
/* Tries once to open a session for the ring again. A failure is no error of the program: the stream tries
   again by itself, unless it is refused for good. */
void lull_session_resume(struct lull_stream *stream);
/* Reads the doorbell and the connection, and opens a lost connection again. */
void lull_session_attend(struct lull_stream *stream);
/* True when the session was given up or refused for good; the user is told why. */
bool lull_session_is_over(struct lull_stream *stream);
/* Asks lull-audio to read the ring. */
void lull_session_ring_doorbell(struct lull_stream *stream);
void lull_session_set_transport(struct lull_stream *stream, enum lull_ring_transport transport);
/* Pauses, and waits a moment for lull-audio's answer, which is read here: a program that waits for nothing
   would leave it unread, and a program with unread bytes is not put to sleep. */
void lull_session_pause(struct lull_stream *stream);

/* position.c */
/* The frame that plays (play), or the last captured frame (capture). */
uint64_t lull_position_moved(const struct lull_stream *stream);
/* The same position, advanced by the clock to this moment. */
uint64_t lull_position_now(const struct lull_stream *stream);
/* Follows the program's pointer, and tells lull-audio when the program has moved it. */
void lull_position_sync(struct lull_stream *stream);
/* Tells lull-audio the position up to which frames are written. */
void lull_position_tell(struct lull_stream *stream);
/* Advances and returns the position that ALSA is told. */
uint64_t lull_position_hardware(struct lull_stream *stream);
/* The frames that the program can write or read, for a position that ALSA is told. */
snd_pcm_uframes_t lull_position_avail(const struct lull_stream *stream, uint64_t hardware);
/* The most frames of a deep buffer that are available at once. */
snd_pcm_uframes_t lull_position_window(const struct lull_stream *stream);
bool lull_position_is_xrun(const struct lull_stream *stream);

/* readiness.c: when the program's poll ends. */
/* Asks for the doorbell when the stream is not ready. */
bool lull_readiness_update(struct lull_stream *stream);
/* The same as update, for the state that ALSA sets when the callback has returned. */
bool lull_readiness_enter(struct lull_stream *stream, snd_pcm_state_t state);
int lull_on_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space);
int lull_on_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                         unsigned short *events);

/* drain.c */
int lull_on_drain(snd_pcm_ioplug_t *io);

/* parameters.c */
int lull_on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters);
int lull_on_hw_free(snd_pcm_ioplug_t *io);
int lull_on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters);
int lull_on_prepare(snd_pcm_ioplug_t *io);

#endif
