// `lull-bench call`: two phones on the loopback interface, one of which speaks a click at each full second
// of CLOCK_MONOTONIC. Where the clicks stand in what the other one has played tells how long they were on
// their way.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_rate = 48000, bench_wave_header = 44, bench_loud = 4000 };
static const uint64_t bench_step = 5 * BENCH_MILLISECOND;

struct bench_call_options {
  unsigned seconds;
  const char *phone;
};

static FILE *bench_phone(char *const command[]) {
  int ends[2];
  if (pipe(ends) < 0) bench_fail("pipe: %s", strerror(errno));
  pid_t child = bench_fork(ends[1]);
  if (child == 0) {
    // bench_fork has put the kept end at 3.
    dup2(3, STDOUT_FILENO);
    close(3);
    execv(command[0], command);
    bench_fail("cannot run %s: %s", command[0], strerror(errno));
  }
  close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  if (!output) bench_fail("fdopen: %s", strerror(errno));
  return output;
}

/// The next line in which a text stands, from that text on; `moment` becomes the stamp at the line's
/// beginning.
static const char *bench_phone_line(FILE *output, const char *text, uint64_t *moment, char line[BENCH_LINE]) {
  while (fgets(line, BENCH_LINE, output)) {
    const char *found = strstr(line, text);
    line[strcspn(line, "\n")] = 0;
    if (!found) continue;
    *moment = strtoull(line, NULL, 10) * 1000;
    return found;
  }
  bench_fail("the phone ended without \"%s\"", text);
}

/// The milliseconds that each click was on its way. The first 5 ms were asked for 5 ms after `start`.
static size_t bench_clicks(const char *path, uint64_t start, double *delays) {
  int file = bench_open(path, O_RDONLY);
  struct stat status;
  if (fstat(file, &status) < 0) bench_fail("cannot look at %s: %s", path, strerror(errno));
  size_t count = ((size_t)status.st_size - bench_wave_header) / sizeof(int16_t), quiet = 0, found = 0;
  int16_t *samples = malloc(count * sizeof *samples);
  ssize_t wanted = (ssize_t)(count * sizeof *samples);
  if (!samples || pread(file, samples, (size_t)wanted, bench_wave_header) != wanted)
    bench_fail("cannot read %s", path);
  for (size_t index = 0; index < count && found < BENCH_SAMPLES; index++) {
    bool loud = abs(samples[index]) > bench_loud;
    uint64_t heard = start + bench_step + index * BENCH_SECOND / bench_rate;
    if (loud && quiet > bench_rate / 2) delays[found++] = (double)(heard % BENCH_SECOND) / 1e6;
    quiet = loud ? 0 : quiet + 1;
  }
  free(samples);
  close(file);
  return found;
}

static int bench_call(const struct bench_world *world, const void *given) {
  const struct bench_call_options *options = given;
  static double delays[BENCH_SAMPLES];
  char path[PATH_MAX], sink[PATH_MAX], peer[64], duration[16], line[BENCH_LINE];
  uint64_t start, end;
  unsigned port;
  bench_path(path, "%s/ear.wav", world->runtime);
  bench_path(sink, "file:%.*s", PATH_MAX - 8, path);
  FILE *ear = bench_phone((char *[]){(char *)options->phone, "call", "--embedded", "--timestamps", "--source",
                                     "silence", "--sink", sink, NULL});
  if (sscanf(bench_phone_line(ear, "Call begun", &start, line), "Call begun on port %u", &port) != 1)
    bench_fail("no port in \"%s\"", line);
  snprintf(peer, sizeof peer, "127.0.0.1:%u", port);
  snprintf(duration, sizeof duration, "%u", options->seconds);
  FILE *mouth = bench_phone((char *[]){(char *)options->phone, "call", peer, "--embedded", "--timestamps",
                                       "--source", "clicks", "--sink", "none", "--duration", duration, NULL});
  const char *figures = bench_phone_line(ear, "Call ended: ", &end, line);
  size_t count = bench_clicks(path, start, delays);
  if (count == 0) bench_fail("no click of %u s was heard", options->seconds);
  double worst = bench_quantile(delays, count, 1);
  printf("call: mouth to ear   p50 %5.1f ms   worst %5.1f ms   %zu clicks   target 60 ms: %s\n",
         bench_quantile(delays, count, 0.5), worst, count, bench_verdict(worst, 60));
  printf("call: %s\n", figures + strlen("Call ended: "));
  fclose(mouth);
  fclose(ear);
  return 0;
}

int bench_call_command(int count, char **arguments) {
  if (count != 2) bench_fail("usage: lull-bench call SECONDS PHONE");
  struct bench_call_options options = {bench_number(arguments[0], 2, 3600), arguments[1]};
  bench_own_network();
  return bench_run(bench_call, &options);
}
