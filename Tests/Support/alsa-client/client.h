/* The parts that the modes of alsa-client share. */
#ifndef CLIENT_H
#define CLIENT_H

#include <alsa/asoundlib.h>
#include <stdbool.h>

enum { RATE = 48000, FRAME_BYTES = 4, BUFFER = 24000, PERIOD = 6000 };

struct file {
  char *bytes;
  snd_pcm_uframes_t frames, done;
};

/* helpers.c: a result that is not as expected ends the program. */
void expect(bool condition, const char *what);
long check(long result, const char *what);
struct file load(const char *path);
snd_pcm_t *open_stream(int mode, snd_pcm_uframes_t threshold);
/* Writes at most so many frames; returns their number, or the error. */
long put(snd_pcm_t *pcm, struct file *file, snd_pcm_uframes_t frames);
long delay(snd_pcm_t *pcm);
/* Waits until at most so many frames are still to be played. */
void wait_for_delay(snd_pcm_t *pcm, long frames);
/* Tells the test a text line, and waits for a word of the test. */
void await_word(const char *line);

/* rewinding.c */
void play_rewound(struct file *file, struct file *next, snd_pcm_uframes_t forward);
void play_rewound_whole(struct file *file, struct file *next);

/* stopping.c */
void play_until_aborted(struct file *file);
void play_with_underrun(struct file *file);

#endif
