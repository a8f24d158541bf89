/* An ALSA program that does what one test needs: alsa-client MODE FILE [FILE]
   The files are frames of 16 bits, two channels, 48 kHz. The program ends with status 0 when ALSA behaved as
   expected. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "client.h"

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

/* Waits for the end of a drain as mpd does, which asks for nothing but the state. */
static void drain_by_poll(snd_pcm_t *pcm, unsigned *rounds) {
  expect(snd_pcm_drain(pcm) == -EAGAIN, "the drain takes its time");
  for (int tries = 0; snd_pcm_state(pcm) == SND_PCM_STATE_DRAINING; tries++) {
    expect(tries < 10, "the drain ends by itself");
    wait_by_poll(pcm, rounds);
  }
}

static void play_by_poll(struct file *file, bool asks_state) {
  unsigned rounds = 0;
  snd_pcm_t *pcm = open_stream(SND_PCM_NONBLOCK, BUFFER);
  while (file->done < file->frames) {
    wait_by_poll(pcm, &rounds);
    long avail = check(snd_pcm_avail_update(pcm), "avail");
    expect(avail >= PERIOD, "as much as avail_min is available");
    check(put(pcm, file, (snd_pcm_uframes_t)avail), "write");
  }
  if (asks_state) drain_by_poll(pcm, &rounds);
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
  struct pollfd descriptor;
  check(snd_pcm_poll_descriptors(pcm, &descriptor, 1), "poll descriptors");
  expect(poll(&descriptor, 1, 0) == 0, "nothing is to be done while it is paused");
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

/* Plays less than the start threshold: the drain starts the stream. */
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

/* The session is given up while a program waits for the end of a drain. */
static void drain_until_cut(struct file *file) {
  snd_pcm_t *pcm = open_stream(SND_PCM_NONBLOCK, BUFFER);
  struct pollfd descriptor;
  unsigned short events = 0;
  expect(check(put(pcm, file, BUFFER), "write") == BUFFER, "the buffer is filled");
  check(snd_pcm_poll_descriptors(pcm, &descriptor, 1), "poll descriptors");
  expect(snd_pcm_drain(pcm) == -EAGAIN, "the drain takes its time");
  puts("draining"), fflush(stdout);
  while (!events) {
    expect(poll(&descriptor, 1, 5000) == 1, "the end comes");
    check(snd_pcm_poll_descriptors_revents(pcm, &descriptor, 1, &events), "revents");
  }
  expect(events & POLLERR, "the end is an error");
  expect(snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED, "a session that was cut has no device");
  snd_pcm_close(pcm);
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
    play_by_poll(&file, false);
  } else if (strcmp(mode, "drain-by-poll") == 0) {
    play_by_poll(&file, true);
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
  } else if (strcmp(mode, "abort") == 0) {
    play_until_aborted(&file);
  } else if ((strcmp(mode, "rewind") == 0 || strcmp(mode, "forward") == 0) && count == 4) {
    struct file next = load(arguments[3]);
    play_rewound(&file, &next, strcmp(mode, "forward") == 0 ? PERIOD : 0);
    free(next.bytes);
  } else if (strcmp(mode, "rewind-whole") == 0 && count == 4) {
    struct file next = load(arguments[3]);
    play_rewound_whole(&file, &next);
    free(next.bytes);
  } else if (strcmp(mode, "cut") == 0) {
    play_until_cut(&file);
  } else if (strcmp(mode, "drain-cut") == 0) {
    drain_until_cut(&file);
  } else {
    return 2;
  }
  free(file.bytes);
  return 0;
}
