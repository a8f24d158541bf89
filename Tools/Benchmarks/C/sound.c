// The frames that came out of a sound device: compared with those that went in, and the moment of silence.
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHANNELS 2
// About -50 dBFS.
#define LOUD 100

struct sound {
  int16_t *samples;
  size_t count;
};

static struct sound sound_read(const char *path) {
  int file = bench_open(path, O_RDONLY);
  struct stat status;
  if (fstat(file, &status) < 0) bench_fail("%s: %m", path);
  struct sound sound = {.samples = malloc((size_t)status.st_size + 1)};
  if (!sound.samples) bench_fail("no memory for %s", path);
  size_t bytes = 0;
  size_t size = (size_t)status.st_size;
  for (ssize_t count; (count = read(file, (char *)sound.samples + bytes, size - bytes)) > 0;)
    bytes += (size_t)count;
  close(file);
  sound.count = bytes / sizeof(int16_t);
  return sound;
}

/// Interleaved 16-bit stereo without a header, both: how much of `played` stands in `recorded`, and how often
/// it was interrupted by silence. A gap is the place where the recording has zeros and goes on with the frame
/// that was due.
int bench_compare_command(int count, char **arguments) {
  if (count != 2) bench_fail("usage: lull-bench compare PLAYED RECORDED");
  struct sound played = sound_read(arguments[0]), recorded = sound_read(arguments[1]);
  size_t from = 0, at = 0, gaps = 0, gap_frames = 0;
  while (at < recorded.count && !recorded.samples[at]) at++;
  while (from < played.count && !played.samples[from]) from++;
  size_t begin = from;
  while (from < played.count && at < recorded.count) {
    if (played.samples[from] == recorded.samples[at]) {
      from++, at++;
      continue;
    }
    size_t zeros = at;
    while (zeros < recorded.count && !recorded.samples[zeros]) zeros++;
    if (zeros == at || zeros == recorded.count || recorded.samples[zeros] != played.samples[from]) break;
    gaps++, gap_frames += (zeros - at) / CHANNELS, at = zeros;
  }
  size_t total = played.count - begin, same = from - begin;
  printf("%zu of %zu frames to the bit, %zu gaps of together %zu frames\n", same / CHANNELS,
         total / CHANNELS, gaps, gap_frames);
  return same == total && !gaps ? 0 : 1;
}

/// Reads interleaved 16-bit stereo from standard input as it is played; prints the seconds since 1970 at
/// which the last loud sample came, when there has been none for a second.
int bench_edge_command(int count, char **arguments) {
  (void)arguments;
  if (count) bench_fail("usage: lull-bench edge <SOUND");
  int16_t samples[512];
  struct timespec last = {0}, now;
  for (ssize_t bytes; (bytes = read(STDIN_FILENO, samples, sizeof samples)) > 0;) {
    clock_gettime(CLOCK_REALTIME, &now);
    bool loud = false;
    for (size_t index = 0; index < (size_t)bytes / sizeof *samples; index++)
      loud |= abs(samples[index]) > LOUD;
    if (loud) last = now;
    if (!loud && last.tv_sec && now.tv_sec - last.tv_sec > 1) {
      printf("%lld.%06ld\n", (long long)last.tv_sec, last.tv_nsec / 1000);
      return 0;
    }
  }
  bench_fail("the sound ended before it fell silent");
}
