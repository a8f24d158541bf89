#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "client.h"

static struct timespec now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time;
}

static bool is_before(struct timespec one, struct timespec other) {
  return one.tv_sec < other.tv_sec || (one.tv_sec == other.tv_sec && one.tv_nsec < other.tv_nsec);
}

/* The time of the underrun lies between two readings of the clock with which aplay compares that time. */
static void expect_trigger(snd_pcm_t *pcm, struct timespec before) {
  snd_pcm_status_t *status;
  snd_htimestamp_t trigger;
  snd_pcm_status_alloca(&status);
  check(snd_pcm_status(pcm, status), "status");
  snd_pcm_status_get_trigger_htstamp(status, &trigger);
  expect(snd_pcm_status_get_state(status) == SND_PCM_STATE_XRUN, "it has run dry");
  expect(!is_before(trigger, before) && !is_before(now(), trigger), "the time of the underrun is told");
}

void play_with_underrun(struct file *file) {
  snd_pcm_t *pcm = open_stream(0, PERIOD);
  unsigned underruns = 0;
  check(put(pcm, file, PERIOD), "write");
  struct timespec before = now();
  for (int tries = 0; snd_pcm_avail(pcm) != -EPIPE; tries++) {
    expect(tries < 1000, "the underrun is told");
    before = now();
    poll(NULL, 0, 10);
  }
  expect_trigger(pcm, before);
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

/* Aborts as a signal does that comes while ALSA reads its descriptors, and not while it waits for them. */
static void *abort_when_told(void *pcm) {
  await_word("waiting");
  snd_pcm_abort(pcm);
  puts("aborted");
  fflush(stdout);
  return NULL;
}

/* The test holds the sound, so that a write waits for ever. */
void play_until_aborted(struct file *file) {
  pthread_t thread;
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, file, BUFFER), "write") == BUFFER, "the buffer is filled");
  await_word("playing");
  expect(pthread_create(&thread, NULL, abort_when_told, pcm) == 0, "a thread");
  long count;
  do {
    count = put(pcm, file, PERIOD);
    expect(file->done < file->frames, "the sound is held");
  } while (count > 0);
  expect(count == -EINTR, "the write is interrupted");
  pthread_join(thread, NULL);
  check(snd_pcm_close(pcm), "close");
}
