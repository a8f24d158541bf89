#include "client.h"

/* Fills the buffer, and goes back over half of it when a quarter has been played; perhaps forward again over
   a part. */
void play_rewound(struct file *file, struct file *next, snd_pcm_uframes_t forward) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, file, BUFFER), "write") == BUFFER, "the buffer is filled");
  wait_for_delay(pcm, BUFFER - PERIOD);
  expect(check(snd_pcm_rewindable(pcm), "rewindable") >= BUFFER / 2,
         "half of the buffer can be gone back over");
  expect(check(snd_pcm_rewind(pcm, BUFFER / 2), "rewind") == BUFFER / 2, "it goes back");
  expect(delay(pcm) < BUFFER / 2, "what was gone back over is not to be heard");
  if (forward) expect(check(snd_pcm_forward(pcm, forward), "forward") == (long)forward, "it goes forward");
  while (next->done < next->frames) check(put(pcm, next, PERIOD), "write");
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}

/* Goes back over all frames that were not played, while the device plays; those played meanwhile stay so. */
void play_rewound_whole(struct file *file, struct file *next) {
  snd_pcm_t *pcm = open_stream(0, BUFFER);
  expect(check(put(pcm, file, BUFFER), "write") == BUFFER, "the buffer is filled");
  wait_for_delay(pcm, BUFFER - PERIOD);
  check(snd_pcm_avail(pcm), "avail");
  long frames = check(snd_pcm_rewindable(pcm), "rewindable");
  expect(check(snd_pcm_rewind(pcm, (snd_pcm_uframes_t)frames), "rewind") == frames, "it goes back");
  while (next->done < next->frames) {
    long count = put(pcm, next, PERIOD);
    check(count == -EPIPE ? snd_pcm_prepare(pcm) : count, "write");
  }
  check(snd_pcm_drain(pcm), "drain");
  check(snd_pcm_close(pcm), "close");
}
