#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "client.h"

static void fail(const char *what, long error) {
  fprintf(stderr, "%s: %s\n", what, error < 0 ? snd_strerror((int)error) : "not as expected");
  exit(1);
}

void expect(bool condition, const char *what) {
  if (!condition) fail(what, 0);
}

long check(long result, const char *what) {
  if (result < 0) fail(what, result);
  return result;
}

struct file load(const char *path) {
  FILE *stream = fopen(path, "rb");
  expect(stream, path);
  fseek(stream, 0, SEEK_END);
  struct file file = {.frames = (snd_pcm_uframes_t)ftell(stream) / FRAME_BYTES};
  rewind(stream);
  file.bytes = malloc(file.frames * FRAME_BYTES);
  expect(file.bytes && fread(file.bytes, FRAME_BYTES, file.frames, stream) == file.frames,
         "the file can be read");
  fclose(stream);
  return file;
}

snd_pcm_t *open_stream(int mode, snd_pcm_uframes_t threshold) {
  snd_pcm_t *pcm;
  snd_pcm_hw_params_t *hardware;
  snd_pcm_sw_params_t *software;
  snd_pcm_uframes_t buffer = BUFFER, period = PERIOD;
  snd_pcm_hw_params_alloca(&hardware);
  snd_pcm_sw_params_alloca(&software);
  check(snd_pcm_open(&pcm, "lull", SND_PCM_STREAM_PLAYBACK, mode), "open");
  check(snd_pcm_hw_params_any(pcm, hardware), "parameters");
  check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "access");
  check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE), "format");
  check(snd_pcm_hw_params_set_channels(pcm, hardware, 2), "channels");
  check(snd_pcm_hw_params_set_rate(pcm, hardware, RATE, 0), "rate");
  check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, NULL), "period");
  check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer");
  check(snd_pcm_hw_params(pcm, hardware), "hardware parameters");
  expect(buffer == BUFFER && period == PERIOD, "the buffer has the size that was asked for");
  expect(snd_pcm_hw_params_can_pause(hardware), "it can pause");
  check(snd_pcm_sw_params_current(pcm, software), "software parameters");
  check(snd_pcm_sw_params_set_start_threshold(pcm, software, threshold), "threshold");
  check(snd_pcm_sw_params_set_avail_min(pcm, software, PERIOD), "avail_min");
  check(snd_pcm_sw_params(pcm, software), "software parameters");
  return pcm;
}

long put(snd_pcm_t *pcm, struct file *file, snd_pcm_uframes_t frames) {
  if (frames > file->frames - file->done) frames = file->frames - file->done;
  long count = snd_pcm_writei(pcm, file->bytes + file->done * FRAME_BYTES, frames);
  if (count > 0) file->done += (snd_pcm_uframes_t)count;
  return count;
}

long delay(snd_pcm_t *pcm) {
  snd_pcm_sframes_t frames;
  check(snd_pcm_delay(pcm, &frames), "delay");
  return frames;
}

void wait_for_delay(snd_pcm_t *pcm, long frames) {
  for (int tries = 0; delay(pcm) > frames; tries++) {
    expect(tries < 1000, "the sound goes on");
    poll(NULL, 0, 10);
  }
}

void await_word(const char *line) {
  char word[64];
  puts(line);
  fflush(stdout);
  expect(fgets(word, sizeof word, stdin), "the test says a word");
}
