// `lull-bench notify`: from the bytes `notify` on a connection to the call of `Notify` at the notification
// server, by a C program that is awake and calls it with sd-bus (the floor), and by a phone that sleeps under
// Lull, whose notification goes through lulld and lull-notify. The server is this process.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define BENCH_NOTIFICATIONS "org.freedesktop.Notifications"
#define BENCH_NOTIFICATIONS_PATH "/org/freedesktop/Notifications"
/// The quiet before each round: no limit on the notifications of a second is met.
#define BENCH_NOTIFY_QUIET (200 * BENCH_MILLISECOND)

enum { bench_direct, bench_through_lull, bench_ways };

struct bench_notify_options {
  unsigned rounds;
  const char *daemon, *phone;
};

struct bench_server {
  sd_bus *bus;
  uint64_t notified;  // when `Notify` was called last; 0 before
  uint32_t last;
};

struct bench_caller {
  const char *name;
  int line;
  double *samples;  // milliseconds
};

static int bench_checked(int result, const char *what) {
  if (result < 0) bench_fail("%s: %s", what, strerror(-result));
  return result;
}

static int bench_capabilities(sd_bus_message *call, void *given, sd_bus_error *error) {
  (void)given, (void)error;
  return sd_bus_reply_method_return(call, "as", 3, "actions", "body", "body-markup");
}

static int bench_server_information(sd_bus_message *call, void *given, sd_bus_error *error) {
  (void)given, (void)error;
  return sd_bus_reply_method_return(call, "ssss", "lull-bench", "Lull", "1", "1.2");
}

static int bench_notified(sd_bus_message *call, void *given, sd_bus_error *error) {
  struct bench_server *server = given;
  (void)error;
  server->notified = bench_now();
  return sd_bus_reply_method_return(call, "u", ++server->last);
}

static int bench_close_notification(sd_bus_message *call, void *given, sd_bus_error *error) {
  uint32_t id = 0;
  (void)given, (void)error;
  sd_bus_message_read(call, "u", &id);
  sd_bus_emit_signal(sd_bus_message_get_bus(call), BENCH_NOTIFICATIONS_PATH, BENCH_NOTIFICATIONS,
                     "NotificationClosed", "uu", id, 3);
  return sd_bus_reply_method_return(call, "");
}

static const sd_bus_vtable bench_server_methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetCapabilities", "", "as", bench_capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("GetServerInformation", "", "ssss", bench_server_information, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", bench_notified, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("CloseNotification", "u", "", bench_close_notification, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL("NotificationClosed", "uu", 0),
    SD_BUS_SIGNAL("ActionInvoked", "us", 0),
    SD_BUS_VTABLE_END};

/// Starts a session bus of its own, for this process and all that it starts.
static void bench_start_bus(const struct bench_world *world) {
  char address[PATH_MAX], argument[PATH_MAX];
  bench_path(address, "unix:path=%s/bus", world->runtime);
  bench_path(argument, "--address=%s", address);
  setenv("DBUS_SESSION_BUS_ADDRESS", address, 1);
  bench_start_silent((char *const[]){"dbus-daemon", "--session", "--nofork", argument, NULL}, 3);
}

static sd_bus *bench_open_bus(void) {
  uint64_t limit = bench_now() + 10 * BENCH_SECOND;
  sd_bus *bus = NULL;
  int result;
  while ((result = sd_bus_open_user(&bus)) < 0) {
    if (bench_now() > limit) bench_fail("no session bus: %s; is dbus-daemon installed?", strerror(-result));
    bench_pause(20 * BENCH_MILLISECOND);
  }
  return bus;
}

static void bench_open_server(struct bench_server *server) {
  server->bus = bench_open_bus();
  bench_checked(sd_bus_add_object_vtable(server->bus, NULL, BENCH_NOTIFICATIONS_PATH, BENCH_NOTIFICATIONS,
                                         bench_server_methods, server),
                "the notification server has no methods");
  bench_checked(sd_bus_request_name(server->bus, BENCH_NOTIFICATIONS, 0), "the server has no name");
}

/// Serves until `Notify` was called, or until the time is over; false then.
static bool bench_serve(struct bench_server *server, uint64_t until) {
  while (!server->notified) {
    int done = bench_checked(sd_bus_process(server->bus, NULL), "the session bus");
    uint64_t now = bench_now();
    if (now >= until) return server->notified != 0;
    if (done == 0) bench_checked(sd_bus_wait(server->bus, (until - now) / 1000 + 1), "the session bus");
  }
  return true;
}

/// The floor: it waits for bytes and calls `Notify`.
static _Noreturn void bench_direct_caller(uint16_t port) {
  char text[64];
  int line = bench_connect(port);
  sd_bus *bus = bench_open_bus();
  if (send(line, "ready\n", 6, MSG_NOSIGNAL) != 6) _exit(1);
  while (recv(line, text, sizeof text, 0) > 0) {
    // Without a callback: the answer is read when the next call is made.
    sd_bus_call_method_async(bus, NULL, BENCH_NOTIFICATIONS, BENCH_NOTIFICATIONS_PATH, BENCH_NOTIFICATIONS,
                             "Notify", NULL, NULL, "susssasa{sv}i", "bench", 0, "", "phone", "New VOIP call",
                             2, "default", "Answer", 0, 0);
    sd_bus_flush(bus);
    while (sd_bus_process(bus, NULL) > 0) continue;
  }
  _exit(0);
}

static double bench_notify_once(struct bench_server *server, const struct bench_caller *caller,
                                uint64_t *seed) {
  server->notified = 0;
  uint64_t sent = bench_random_moment(seed);
  if (send(caller->line, "notify\n", 7, MSG_NOSIGNAL) != 7)
    bench_fail("%s: cannot send: %s", caller->name, strerror(errno));
  if (!bench_serve(server, sent + 10 * BENCH_SECOND))
    bench_fail("%s: Notify was not called within 10 s", caller->name);
  return (double)(server->notified - sent) / 1e6;
}

/// Takes all notifications away, so that every call is the only one, and what was said to the caller.
static void bench_tidy(struct bench_control *control, const struct bench_caller *callers) {
  char line[BENCH_LINE], id[BENCH_LINE], bytes[256];
  unsigned ids[256], count = 0;
  bench_control_send(control, -1, "notifications");
  for (;;) {
    bench_control_line(control, true, line);
    if (bench_starts_with(line, "ok")) break;
    if (bench_starts_with(line, "item") && count < 256 && bench_field(line, "notification", id))
      ids[count++] = bench_number(id, 0, UINT_MAX);
  }
  for (unsigned index = 0; index < count; index++) {
    bench_control_send(control, -1, "answer notification=%u action=dismiss", ids[index]);
    do bench_control_line(control, true, line);
    while (bench_starts_with(line, "event"));
  }
  for (unsigned who = 0; who < bench_ways; who++)
    while (recv(callers[who].line, bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
}

static void bench_quiet(struct bench_server *server) {
  uint64_t until = bench_now() + BENCH_NOTIFY_QUIET;
  do server->notified = 0;
  while (bench_serve(server, until));
}

static void bench_report_notify(const struct bench_caller *callers, unsigned rounds) {
  const double target = 5;
  printf("notify: `notify` sent to a phone -> Notify on the session bus, milliseconds\n"
         "%u rounds each, in turns\n%-36s %8s %8s %8s\n",
         rounds, "", "p50", "p99", "max");
  for (unsigned who = 0; who < bench_ways; who++)
    printf("%-36s %8.2f %8.2f %8.2f\n", callers[who].name,
           bench_quantile(callers[who].samples, rounds, 0.5),
           bench_quantile(callers[who].samples, rounds, 0.99),
           bench_quantile(callers[who].samples, rounds, 1));
  double median = bench_quantile(callers[bench_through_lull].samples, rounds, 0.5);
  printf("asleep under Lull   p50 %8.2f ms   target %.0f ms: %s\n", median, target,
         bench_verdict(median, target));
}

static void bench_start_callers(struct bench_caller *callers, const struct bench_notify_options *options) {
  uint16_t port;
  char address[32], byte;
  int listener = bench_listen(&port);
  snprintf(address, sizeof address, "127.0.0.1:%u", port);
  callers[bench_direct].name = "awake, sd-bus in C (floor)";
  if (bench_fork(-1) == 0) bench_direct_caller(port);
  callers[bench_direct].line = bench_accept(listener);
  if (recv(callers[bench_direct].line, &byte, 1, 0) != 1) bench_fail("the C program found no bus");
  callers[bench_through_lull].name = "asleep under Lull, lull-notify runs";
  bench_start_silent((char *const[]){(char *)options->phone, address, "--name", "phone", NULL}, 3);
  callers[bench_through_lull].line = bench_accept(listener);
  for (unsigned who = 0; who < bench_ways; who++) {
    callers[who].samples = calloc(options->rounds, sizeof(double));
    if (!callers[who].samples) bench_fail("no memory for the samples");
  }
}

static int bench_notify(const struct bench_world *world, const void *given) {
  const struct bench_notify_options *options = given;
  struct bench_caller callers[bench_ways] = {0};
  struct bench_server server = {0};
  struct bench_control control;
  uint64_t seed = 0x9E3779B97F4A7C15ull;
  bench_start_bus(world);
  bench_open_server(&server);
  pid_t daemon = bench_spawn_daemon(world, options->daemon);
  bench_await_daemon(world, &control);
  bench_start_callers(callers, options);
  int events = bench_program_events(&control, "phone");
  // The first round of each is not counted: the first notification starts lull-notify.
  for (unsigned round = 0; round <= options->rounds; round++)
    for (unsigned who = 0; who < bench_ways; who++) {
      bench_tidy(&control, callers);
      bench_quiet(&server);
      bench_put_to_sleep(&control, "phone", events);
      double time = bench_notify_once(&server, &callers[who], &seed);
      if (round > 0) callers[who].samples[round - 1] = time;
    }
  bench_report_notify(callers, options->rounds);
  bench_end_daemon(daemon);
  return 0;
}

int bench_notify_command(int count, char **arguments) {
  if (count != 3) bench_fail("usage: lull-bench notify ROUNDS LULLD LULL-PHONE");
  struct bench_notify_options options = {
      bench_number(arguments[0], 1, BENCH_SAMPLES), arguments[1], arguments[2]};
  return bench_run(bench_notify, &options);
}
