/* The functions that ALSA calls. */
#ifndef LULL_CALLBACKS_H
#define LULL_CALLBACKS_H

#include "pcm_lull.h"

extern const snd_pcm_ioplug_callback_t lull_callbacks;

/* pcm_lull.c: frees a stream, open or half made. */
void lull_stream_free(struct lull_stream *stream);

/* parameters.c */
int lull_on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters);
int lull_on_hw_free(snd_pcm_ioplug_t *io);
int lull_on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters);
int lull_on_prepare(snd_pcm_ioplug_t *io);

/* polling.c */
int lull_on_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space);
int lull_on_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                         unsigned short *events);

/* drain.c */
int lull_on_drain(snd_pcm_ioplug_t *io);

/* channels.c */
snd_pcm_chmap_query_t **lull_on_query_chmaps(snd_pcm_ioplug_t *io);
snd_pcm_chmap_t *lull_on_get_chmap(snd_pcm_ioplug_t *io);
int lull_on_set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map);

#endif
