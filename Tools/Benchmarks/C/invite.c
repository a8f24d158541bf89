// `lull-bench invite`: from a SIP INVITE over UDP to the first answer, by a baresip that is never frozen and
// by one that sleeps under Lull, in turns. Each call is cancelled as soon as it rings.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bench_awake, bench_asleep, bench_phones };
enum { bench_message = 2048 };

struct bench_invite_options {
  unsigned rounds;
  const char *lull, *daemon;
};

struct bench_phone {
  const char *name;
  uint16_t port;
  int events;  // cgroup.events of the one that sleeps
  int socket;
  uint16_t own_port;
  double *samples;  // microseconds
};

/// One call's own part of every message.
struct bench_invitation {
  const struct bench_phone *phone;
  unsigned number;
};

static void bench_send_sip(const struct bench_invitation *call, const char *method, const char *to_tag,
                           const char *body) {
  char message[bench_message];
  const struct bench_phone *phone = call->phone;
  const char *type = *body ? "Content-Type: application/sdp\r\n" : "";
  int length = snprintf(message, sizeof message,
                        "%s sip:alice@127.0.0.1:%u SIP/2.0\r\n"
                        "Via: SIP/2.0/UDP 127.0.0.1:%u;branch=z9hG4bK-%u\r\n"
                        "From: <sip:bench@127.0.0.1:%u>;tag=%u\r\n"
                        "To: <sip:alice@127.0.0.1:%u>%s\r\n"
                        "Call-ID: call-%u@bench\r\nCSeq: 1 %s\r\n"
                        "Contact: <sip:bench@127.0.0.1:%u>\r\nMax-Forwards: 70\r\n%s"
                        "Content-Length: %zu\r\n\r\n%s",
                        method, phone->port, phone->own_port, call->number, phone->own_port, call->number,
                        phone->port, to_tag, call->number, method, phone->own_port, type, strlen(body), body);
  if (length < 0 || length >= bench_message) bench_fail("a SIP message is too long");
  if (send(phone->socket, message, (size_t)length, 0) != length)
    bench_fail("%s: cannot send: %s", phone->name, strerror(errno));
}

/// The status of the next answer that belongs to the call.
static int bench_sip_status(const struct bench_invitation *call, char message[bench_message]) {
  char id[32];
  snprintf(id, sizeof id, "call-%u@bench", call->number);
  for (;;) {
    int status;
    ssize_t got = recv(call->phone->socket, message, bench_message - 1, 0);
    if (got < 0) bench_fail("%s: no answer within 10 s", call->phone->name);
    message[got] = 0;
    if (strstr(message, id) && sscanf(message, "SIP/2.0 %d", &status) == 1) return status;
  }
}

static void bench_to_tag(const char *message, char tag[128]) {
  const char *to = strstr(message, "\r\nTo: "), *from = to ? strstr(to, ";tag=") : NULL;
  if (!from) bench_fail("an answer has no tag: %s", message);
  snprintf(tag, 128, "%.*s", (int)strcspn(from, "\r>"), from);
}

/// Ends a call that rings: CANCEL, 487, ACK.
static void bench_cancel(const struct bench_invitation *call, int status) {
  char message[bench_message], tag[128];
  while (status < 180) status = bench_sip_status(call, message);
  bench_send_sip(call, "CANCEL", "", "");
  do status = bench_sip_status(call, message);
  while (status != 487);
  bench_to_tag(message, tag);
  bench_send_sip(call, "ACK", tag, "");
}

static double bench_invite_once(const struct bench_phone *phone, unsigned number, uint64_t *seed) {
  static const char body[] =
      "v=0\r\no=bench 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
      "m=audio 6000 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n";
  struct bench_invitation call = {phone, number};
  char message[bench_message];
  uint64_t sent = bench_random_moment(seed);
  bench_send_sip(&call, "INVITE", "", body);
  int status = bench_sip_status(&call, message);
  uint64_t answered = bench_now();
  bench_cancel(&call, status);
  return (double)(answered - sent) / 1000;
}

static void bench_open_phone(struct bench_phone *phone, const char *name, const struct bench_world *world,
                             char folder[PATH_MAX], unsigned rounds) {
  *phone = (struct bench_phone){.name = name, .port = bench_free_port()};
  bench_path(folder, "%s/%s", world->runtime, name);
  bench_configure_softphone(folder, phone->port, "manual");
  phone->samples = calloc(rounds, sizeof(double));
  if (!phone->samples) bench_fail("no memory for the samples");
}

/// Awake and listening: it answers OPTIONS.
static void bench_connect_phone(struct bench_phone *phone) {
  struct bench_invitation greeting = {phone, 0};
  char message[bench_message];
  for (unsigned attempt = 0;; attempt++) {
    phone->socket = bench_datagrams_to(phone->port);
    phone->own_port = bench_local_port(phone->socket);
    bench_limit_receive(phone->socket, 1);
    bench_send_sip(&greeting, "OPTIONS", "", "");
    if (recv(phone->socket, message, sizeof message, 0) > 0) break;
    if (attempt == 100) bench_fail("%s does not listen", phone->name);
    close(phone->socket);
    bench_pause(50 * BENCH_MILLISECOND);
  }
  bench_limit_receive(phone->socket, 10);
}

static void bench_report_invite(const struct bench_phone *phones, unsigned rounds) {
  static const struct { double quantile, target; } rows[] = {{0.5, 350}, {0.99, 1000}};
  printf("invite: SIP INVITE over UDP -> first answer of baresip, microseconds\n%u rounds each, in turns\n",
         rounds);
  printf("%-30s %8s %8s %8s\n", "", "p50", "p99", "max");
  for (unsigned who = 0; who < bench_phones; who++)
    printf("%-30s %8.0f %8.0f %8.0f\n", phones[who].name, bench_quantile(phones[who].samples, rounds, 0.5),
           bench_quantile(phones[who].samples, rounds, 0.99), bench_quantile(phones[who].samples, rounds, 1));
  for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++) {
    double more = bench_quantile(phones[bench_asleep].samples, rounds, rows[row].quantile) -
                  bench_quantile(phones[bench_awake].samples, rounds, rows[row].quantile);
    printf("asleep minus awake  p%.0f %8.0f us   target %.0f us: %s\n", rows[row].quantile * 100, more,
           rows[row].target, bench_verdict(more, rows[row].target));
  }
}

static int bench_invite(const struct bench_world *world, const void *given) {
  const struct bench_invite_options *options = given;
  struct bench_phone phones[bench_phones];
  struct bench_control control;
  char awake[PATH_MAX], asleep[PATH_MAX];
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  bench_own_network();
  pid_t daemon = bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &control);
  bench_open_phone(&phones[bench_awake], "never-frozen", world, awake, options->rounds);
  bench_open_phone(&phones[bench_asleep], "asleep-under-lull", world, asleep, options->rounds);
  bench_start_silent((char *const[]){"baresip", "-4", "-f", awake, NULL}, 3);
  bench_lull_run_softphone(options->lull, phones[bench_asleep].name, asleep);
  for (unsigned who = 0; who < bench_phones; who++) bench_connect_phone(&phones[who]);
  bench_await_suspended(&control, phones[bench_asleep].name);
  bench_pause(3 * BENCH_SECOND);
  phones[bench_asleep].events = bench_program_events(&control, phones[bench_asleep].name);
  for (unsigned round = 0; round < options->rounds; round++)
    for (unsigned who = 0; who < bench_phones; who++) {
      // Alike for both: the sleeper sleeps, and neither was called for the last 50 ms. It is asked to sleep,
      // since after sleeps of less than a second it would be left awake for longer and longer.
      bench_put_to_sleep(&control, phones[bench_asleep].name, phones[bench_asleep].events);
      bench_pause(50 * BENCH_MILLISECOND);
      phones[who].samples[round] = bench_invite_once(&phones[who], round + 1, &seed);
    }
  bench_report_invite(phones, options->rounds);
  bench_end_daemon(daemon);
  return 0;
}

int bench_invite_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench invite ROUNDS LULL LULLD");
  struct bench_invite_options options = {
      bench_number(arguments[0], 1, BENCH_SAMPLES), arguments[1], arguments[2]};
  return bench_run(bench_invite, &options);
}
