/* An ALSA program that does what one test needs: alsa-client MODE FILE [FILE]
   The files are frames of 16 bits, two channels, 48 kHz. It ends with status 0 when ALSA behaved as expected. */
#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RATE = 48000, FRAME_BYTES = 4, BUFFER = 24000, PERIOD = 6000 };

struct file {
  char *bytes;
  snd_pcm_uframes_t frames, done;
};

static void fail(const char *what, long error) {
  fprintf(stderr, "%s: %s\n", what, error < 0 ? snd_strerror((int)error) : "not as expected");
  exit(1);
}

static void expect(bool condition, const char *what) {
  if (!condition) fail(what, 0);
}

static long check(long result, const char *what) {
  if (result < 0) fail(what, result);
  return result;
}

static struct file load(const char *path) {
  FILE *stream = fopen(path, "rb");
  expect(stream, path);
  fseek(stream, 0, SEEK_END);
  struct file file = {.frames = (snd_pcm_uframes_t)ftell(stream) / FRAME_BYTES};
  rewind(stream);
  file.bytes = malloc(file.frames * FRAME_BYTES);
  expect(file.bytes && fread(file.bytes, FRAME_BYTES, file.frames, stream) == file.frames, "the file can be read");
  fclose(stream);
  return file;
}

static snd_pcm_t *open_stream(int mode, snd_pcm_uframes_t threshold) {
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

/* Writes at most so many frames; returns how many, or the error. */
static long put(snd_pcm_t *pcm, struct file *file, snd_pcm_uframes_t frames) {
  if (frames > file->frames - file->done) frames = file->frames - file->done;
  long count = snd_pcm_writei(pcm, file->bytes + file->done * FRAME_BYTES, frames);
  if (count > 0) file->done += (snd_pcm_uframes_t)count;
  return count;
}

static long delay(snd_pcm_t *pcm) {
  snd_pcm_sframes_t frames;
  check(snd_pcm_delay(pcm, &frames), "delay");
  return frames;
}

/* Waits until at most so many frames are to be heard. */
static void wait_for_delay(snd_pcm_t *pcm, long frames) {
  for (int tries = 0; delay(pcm) > frames; tries++) {
    expect(tries < 1000, "the sound goes on");
    poll(NULL, 0, 10);
  }
}

/* Waits as a program with an event loop does, and counts the rounds. */
static void wait_by_poll(snd_pcm_t *pcm, unsigned *rounds) {
  struct pollfd descriptors[4];
  unsigned short events = 0;
  int count = (int)check(snd_pcm_poll_descriptors(pcm, descriptors, 4), "poll descriptors");
  while (!(events & POLLOUT)) {
    expect(poll(descriptors, (nfds_t)count, 5000) > 0, "the descriptors become ready");
    check(snd_pcm_poll_descriptors_revents(pcm, descriptors, (unsigned)count, &events), "revents");
    expect(!(events & POLLERR), "no error");
    ++*rounds;
  }
}

static void play_by_poll(struct file *file) {
  unsigned rounds = 0;
  snd_pcm_t *pcm = open_stream(SND_PCM_NONBLOCK, BUFFER);
  while (file->done < file->frames) {
    wait_by_poll(pcm, &rounds);
    long avail = check(snd_pcm_avail_update(pcm), "avail");
    expect(avail >= PERIOD, "as much as avail_min is available");
    check(put(pcm, file, (snd_pcm_uframes_t)avail), "write");
  }
  int error;
  while ((error = snd_pcm_drain(pcm)) == -EAGAIN) wait_by_poll(pcm, &rounds);
  check(error, "drain");
  expect(snd_pcm_state(pcm) == SND_PCM_STATE_SETUP, "it is stopped after the drain");
  /* Each write, and a few rounds for changes of the state. */
  expect(rounds <= 3 * file->frames / PERIOD + 10, "no round in vain");
  check(snd_pcm_close(pcm), "close");
}

static void play_with_pause(struct file *file) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  while (file->done < 2 * BUFFER) check(put(pcm, file, PERIOD), "write");
  check(snd_pcm_pause(pcm, 1), "pause");
  expect(snd_pcm_state(pcm) == SND_PCM_STATE_PAUSED, "it is paused");
  long avail = check(snd_pcm_avail(pcm), "avail"), last = -1;
  for (int tries = 0; delay(pcm) != last; tries++) {
    expect(tries < 100, "the sound halts");
    last = delay(pcm);
    poll(NULL, 0, 100);
  }
  expect(snd_pcm_avail(pcm) == avail, "the pointer stands still while it is paused");
  check(snd_pcm_pause(pcm, 0), "go on");
  while (file->done < file->frames) check(put(pcm, file, PERIOD), "write");
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

static void play_and_drop(struct file *dropped, struct file *next) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, dropped, BUFFER), "write") == BUFFER, "the buffer is filled");
  wait_for_delay(pcm, BUFFER - 2 * PERIOD);
  check(snd_pcm_drop(pcm), "drop");
  struct pollfd descriptor;
  unsigned short events = 0;
  check(snd_pcm_poll_descriptors(pcm, &descriptor, 1), "poll descriptors");
  expect(poll(&descriptor, 1, 1000) == 1, "it can be polled after the drop");
  check(snd_pcm_poll_descriptors_revents(pcm, &descriptor, 1, &events), "revents");
  check(snd_pcm_prepare(pcm), "prepare");
  expect(snd_pcm_avail(pcm) == BUFFER, "the buffer is empty");
  expect(delay(pcm) == 0, "nothing is to be heard");
  expect(check(put(pcm, next, PERIOD), "write") == PERIOD, "it takes the next frames");
  check(snd_pcm_start(pcm), "start");
  while (next->done < next->frames) check(put(pcm, next, PERIOD), "write");
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

static void play_with_underrun(struct file *file) {
  snd_pcm_t *pcm = open_stream(0, PERIOD);
  unsigned underruns = 0;
  check(put(pcm, file, PERIOD), "write");
  for (int tries = 0; snd_pcm_avail(pcm) != -EPIPE; tries++) {
    expect(tries < 1000, "the underrun is told");
    poll(NULL, 0, 10);
  }
  while (file->done < file->frames) {
    long count = put(pcm, file, PERIOD);
    if (count != -EPIPE) {
      check(count, "write");
      continue;
    }
    expect(++underruns == 1, "one underrun is told once");
    check(snd_pcm_prepare(pcm), "prepare");
  }
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

/* Less than the start threshold: the drain starts it. */
static void drain_unstarted(struct file *file) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  while (file->done < file->frames) check(put(pcm, file, PERIOD), "write");
  expect(snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED, "it is not started");
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

static void play_until_cut(struct file *file) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  long count = 0;
  while (count >= 0) {
    expect(file->done < file->frames, "it is cut");
    count = put(pcm, file, PERIOD);
    if (file->done == BUFFER) puts("playing"), fflush(stdout);
  }
  expect(count == -ENODEV, "a session that was cut has no device");
  expect(snd_pcm_prepare(pcm) < 0, "nothing comes of it any more");
  snd_pcm_close(pcm);
}

/* Tells the test that the buffer is filled, and waits for its word. */
static void await_word(const char *line) {
  char word[64];
  puts(line);
  fflush(stdout);
  expect(fgets(word, sizeof word, stdin), "the test says a word");
}

/* The sound stands still and a new session is refused until the test has been told. */
static void play_anew(struct file *dropped, struct file *next) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, dropped, BUFFER), "write") == BUFFER, "the buffer is filled");
  await_word("playing");
  check(snd_pcm_drop(pcm), "drop");
  check(snd_pcm_prepare(pcm), "prepare");
  check(snd_pcm_prepare(pcm), "prepare again");
  check(put(pcm, next, PERIOD), "write");
  await_word("prepared");
  while (next->done < next->frames) check(put(pcm, next, PERIOD), "write");
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

/* The sound stands still, and there is no descriptor for a new ring. */
static void play_without_ring(struct file *file) {
  struct rlimit limit, none;
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, file, BUFFER), "write") == BUFFER, "the buffer is filled");
  await_word("playing");
  check(getrlimit(RLIMIT_NOFILE, &limit), "limit");
  none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
  check(snd_pcm_drop(pcm), "drop");
  check(setrlimit(RLIMIT_NOFILE, &none), "no descriptors");
  expect(snd_pcm_prepare(pcm) == -EMFILE, "there is no new ring");
  check(setrlimit(RLIMIT_NOFILE, &limit), "descriptors");
  expect(snd_pcm_prepare(pcm) < 0, "it has no ring any more");
  expect(put(pcm, file, PERIOD) < 0, "it takes no frames");
  expect(snd_pcm_start(pcm) < 0, "it does not start");
  expect(snd_pcm_drain(pcm) <= 0, "it does not drain");
  check(snd_pcm_close(pcm), "close");
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *mode = arguments[1];
  struct file file = load(arguments[2]);
  if (strcmp(mode, "poll") == 0) {
    play_by_poll(&file);
  } else if (strcmp(mode, "pause") == 0) {
    play_with_pause(&file);
  } else if (strcmp(mode, "drop") == 0 && count == 4) {
    struct file next = load(arguments[3]);
    play_and_drop(&file, &next);
    free(next.bytes);
  } else if (strcmp(mode, "underrun") == 0) {
    play_with_underrun(&file);
  } else if (strcmp(mode, "unstarted") == 0) {
    drain_unstarted(&file);
  } else if (strcmp(mode, "anew") == 0 && count == 4) {
    struct file next = load(arguments[3]);
    play_anew(&file, &next);
    free(next.bytes);
  } else if (strcmp(mode, "ringless") == 0) {
    play_without_ring(&file);
  } else if (strcmp(mode, "cut") == 0) {
    play_until_cut(&file);
  } else {
    return 2;
  }
  free(file.bytes);
  return 0;
}
