// `lull-bench servers`: how much of the time a server that others wrote sleeps between requests, and what
// that costs the daemon.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_rates = 3 };

struct bench_servers_options {
  unsigned seconds;
  const char *lull, *daemon;
};

static void bench_configure_nginx(const struct bench_world *world, const char *path, uint16_t port) {
  FILE *file = fopen(path, "we");
  if (!file) bench_fail("cannot write %s: %s", path, strerror(errno));
  fprintf(file,
          "daemon off;\nuser root;\nworker_processes 2;\npid %s/nginx.pid;\nerror_log %s/nginx.log;\n"
          "events {}\n"
          "http {\n  access_log off;\n  server { listen 127.0.0.1:%u; root %s; autoindex on; }\n}\n",
          world->runtime, world->runtime, port, world->runtime);
  if (fclose(file) != 0) bench_fail("cannot write %s: %s", path, strerror(errno));
}

/// The milliseconds until the whole answer is there, connecting included.
static double bench_request(uint16_t port) {
  static const char request[] = "GET / HTTP/1.0\r\n\r\n", expected[] = "HTTP/1.1 200";
  char bytes[65536];
  size_t length = 0;
  uint64_t from = bench_now();
  int line = bench_connect(port);
  bench_limit_receive(line, 10);
  if (send(line, request, sizeof request - 1, MSG_NOSIGNAL) < 0)
    bench_fail("cannot ask: %s", strerror(errno));
  for (ssize_t got; (got = recv(line, bytes + length, sizeof bytes - 1 - length, 0)) != 0;) {
    if (got < 0) bench_fail("a request got no answer within 10 s");
    length += (size_t)got;
  }
  close(line);
  bytes[length] = 0;
  if (strncmp(bytes, expected, sizeof expected - 1) != 0) bench_fail("a request was refused: %.80s", bytes);
  return (double)(bench_now() - from) / 1e6;
}

static void bench_await_server(uint16_t port) {
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  for (int line; (line = bench_try_connect(port)) < 0; bench_pause(10 * BENCH_MILLISECOND))
    if (bench_now() > limit) bench_fail("the server does not listen within 10 s");
    else close(line);
}

/// One request each `period` for the given time; the row of it.
static void bench_serve(struct bench_control *control, pid_t daemon, uint16_t port, uint64_t period,
                        unsigned seconds, double target) {
  static double delays[BENCH_SAMPLES];
  size_t requests = 0;
  double asleep = bench_program_figure(control, "nginx", "asleepSeconds"), ran = bench_processor_time(daemon);
  uint64_t from = bench_now(), end = from + seconds * BENCH_SECOND, next = from + period;
  for (; next <= end || requests == 0; next += period) {
    uint64_t now = bench_now();
    if (now < next) bench_pause(next - now);
    delays[requests++] = bench_request(port);
  }
  ran = bench_processor_time(daemon) - ran;
  asleep = bench_program_figure(control, "nginx", "asleepSeconds") - asleep;
  double took = (double)(bench_now() - from) / 1e9, share = 100 * asleep / took, processor = 100 * ran / took;
  printf("each %.1f s   %3zu requests   asleep %5.1f %%", (double)period / 1e9, requests, share);
  if (target > 0) printf("   target %.0f %%: %-11s", target, share >= target ? "reached" : "not reached");
  else printf("%27s", "");
  printf("   lulld %5.2f %% of a processor   target 0.5 %%: %s", processor, bench_verdict(processor, 0.5));
  printf("   answer p50 %.2f ms, worst %.2f ms\n", bench_quantile(delays, requests, 0.5),
         bench_quantile(delays, requests, 1));
  fflush(stdout);
}

static int bench_servers(const struct bench_world *world, const void *given) {
  static const struct { uint64_t period; double target; } rates[bench_rates] = {
      {1200 * BENCH_MILLISECOND, 0}, {1000 * BENCH_MILLISECOND, 95}, {500 * BENCH_MILLISECOND, 90}};
  const struct bench_servers_options *options = given;
  struct bench_control control;
  char path[PATH_MAX], log[PATH_MAX];
  bench_own_network();
  uint16_t port = bench_free_port();
  bench_path(path, "%s/nginx.conf", world->runtime), bench_path(log, "%s/nginx.log", world->runtime);
  bench_configure_nginx(world, path, port);
  pid_t child = bench_spawn_daemon(world, options->daemon), daemon = bench_await_daemon(world, &control);
  bench_lull_run(options->lull, "nginx", (char *const[]){"nginx", "-c", path, "-e", log, NULL});
  bench_await_server(port);
  printf("servers: nginx with 2 workers under `lull run --mode voip`, a request at a time, %u s each\n",
         options->seconds);
  for (int rate = 0; rate < bench_rates; rate++) {
    bench_await_suspended(&control, "nginx");
    bench_serve(&control, daemon, port, rates[rate].period, options->seconds, rates[rate].target);
  }
  bench_end_daemon(child);
  return 0;
}

int bench_servers_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench servers SECONDS LULL LULLD");
  struct bench_servers_options options = {bench_number(arguments[0], 1, 3600), arguments[1], arguments[2]};
  return bench_run(bench_servers, &options);
}
