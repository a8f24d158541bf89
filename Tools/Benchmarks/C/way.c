// `lull-bench way`: how long a click is on its way from one sound device to another, heard at both at once.
#include "bench.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { way_rate = 48000, way_loud = 4000, way_quiet = way_rate / 4 };

/// A recording of 16 bits, one channel, that is read as it is made.
struct way_place {
  int file;
  size_t quiet;
  uint64_t heard;
  bool is_new;
};

/// Reads what has come. The last frame of it is as old as the recorder is slow, and both are equally slow.
static bool way_listen(struct way_place *place) {
  int16_t samples[4096];
  ssize_t bytes = read(place->file, samples, sizeof samples);
  if (bytes <= 0) return false;
  size_t count = (size_t)bytes / sizeof *samples;
  uint64_t now = bench_now();
  for (size_t index = 0; index < count; index++) {
    bool loud = abs(samples[index]) > way_loud;
    if (loud && place->quiet > way_quiet) {
      place->heard = now - (count - index) * BENCH_SECOND / way_rate;
      place->is_new = true;
    }
    place->quiet = loud ? 0 : place->quiet + 1;
  }
  return true;
}

int bench_way_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench way CLICKS MOUTH EAR");
  static double delays[BENCH_SAMPLES];
  size_t wanted = (size_t)bench_number(arguments[0], 1, 3600), found = 0;
  struct way_place mouth = {.file = bench_open(arguments[1], O_RDONLY)};
  struct way_place ear = {.file = bench_open(arguments[2], O_RDONLY)};
  while (found < wanted) {
    struct pollfd files[] = {{.fd = mouth.file, .events = POLLIN}, {.fd = ear.file, .events = POLLIN}};
    if (poll(files, 2, 20000) <= 0) bench_fail("nothing is recorded");
    if (files[0].revents && !way_listen(&mouth)) bench_fail("the mouth is not recorded any more");
    if (files[1].revents && !way_listen(&ear)) bench_fail("the ear is not recorded any more");
    if (!ear.is_new) continue;
    ear.is_new = false;
    if (!mouth.is_new || ear.heard < mouth.heard) continue;
    mouth.is_new = false;
    delays[found++] = (double)(ear.heard - mouth.heard) / 1e6;
  }
  double worst = bench_quantile(delays, found, 1);
  printf("call: through devices  p50 %5.1f ms   worst %5.1f ms   %zu clicks   target 120 ms: %s\n",
         bench_quantile(delays, found, 0.5), worst, found, bench_verdict(worst, 120));
  return 0;
}
