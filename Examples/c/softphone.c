/* A softphone's connection in C, in a loop of poll(2): `softphone PORT`. It answers its server's `ping` from
   its sleep, shows a notification for `notify`, and goes on with the connection in its next life, where Lull
   has kept it. Built with: cc softphone.c $(pkg-config --cflags --libs lull) */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <lull.h>

struct phone {
  lull_program *lull;
  lull_line *line;
  /// What the next life has to know of the connection.
  char pings[24];
  bool ends;
};

static void handle(lull_program *lull, const lull_event *event, void *context) {
  struct phone *phone = context;
  switch (event->kind) {
    case LULL_EVENT_WAKE: printf("woken, reason %d\n", event->reason); break;
    case LULL_EVENT_KEEPALIVE:
      if (phone->line) send(lull_line_fd(phone->line), "ping\n", 5, MSG_NOSIGNAL);
      break;
    case LULL_EVENT_ACTION: printf("the user chose %s\n", event->action); break;
    case LULL_EVENT_KEEPING: printf("the connection is kept\n"); break;
    case LULL_EVENT_MESSAGE:
      if (event->message == LULL_WILL_TERMINATE) phone->ends = true;
      break;
    case LULL_EVENT_LINE_LOST: fprintf(stderr, "the connection wakes nobody: %s\n", event->text); break;
    default: break;
  }
  // The event is handled: the program may sleep when nothing is left to read.
  lull_done(lull);
}

static void notify(struct phone *phone) {
  lull_notification call = LULL_NOTIFICATION_INIT;
  call.body = "New VOIP call";
  call.action = "Answer";
  if (lull_present(phone->lull, &call, NULL) != LULL_OK) fprintf(stderr, "%s\n", lull_error(phone->lull));
}

static void answer(struct phone *phone, const char *text) {
  int fd = lull_line_fd(phone->line);
  if (strcmp(text, "ping") == 0) {
    snprintf(phone->pings, sizeof phone->pings, "%d", atoi(phone->pings) + 1);
    // Before the answer: the next life knows of each ping that was answered.
    lull_line_set_state(phone->line, phone->pings, strlen(phone->pings));
    send(fd, "pong\n", 5, MSG_NOSIGNAL);
  } else if (strcmp(text, "pings") == 0) {
    dprintf(fd, "%s\n", *phone->pings ? phone->pings : "0");
  } else if (strcmp(text, "notify") == 0) {
    notify(phone);
  }
}

/// Each read is taken for whole lines, which is enough for an example.
static void receive(struct phone *phone) {
  char text[512], *rest = text;
  int fd = lull_line_fd(phone->line);
  ssize_t count = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    // The line is released before its descriptor is closed.
    lull_release(phone->line);
    close(fd);
    phone->line = NULL;
    phone->ends = true;
    return;
  }
  text[count] = 0;
  for (char *line; (line = strtok_r(rest, "\r\n", &rest));) answer(phone, line);
}

static int connect_to(const char *port) {
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&server, sizeof server) == 0) return fd;
  perror("cannot connect");
  exit(1);
}

/// Goes on with the connection of the last life, or makes one.
static int begin(struct phone *phone, const char *port) {
  const lull_restored *last = lull_restored_at(phone->lull, 0);
  if (last && last->state_size < sizeof phone->pings) {
    memcpy(phone->pings, last->state, last->state_size);
    return lull_take(phone->lull, last, &phone->line);
  }
  lull_line_options options = LULL_LINE_OPTIONS_INIT;
  options.name = "server";
  return lull_hold(phone->lull, connect_to(port), &options, &phone->line);
}

int main(int count, char **words) {
  struct phone phone = {0};
  char error[256];
  lull_options options = LULL_OPTIONS_INIT;
  if (count != 2) return fprintf(stderr, "usage: softphone PORT\n"), 64;
  setvbuf(stdout, NULL, _IOLBF, 0);
  options.name = "softphone";
  options.modes = LULL_VOIP;
  options.flags = LULL_KEEPS_LINES;
  options.handler = handle;
  options.context = &phone;
  if (lull_open(&phone.lull, &options, error, sizeof error) != LULL_OK) {
    fprintf(stderr, "softphone: %s\n", error);
    return 1;
  }
  if (begin(&phone, words[1]) != LULL_OK || lull_set_keepalive(phone.lull, 600) != LULL_OK)
    fprintf(stderr, "softphone: %s\n", lull_error(phone.lull));
  while (!phone.ends && phone.line) {
    struct pollfd entries[] = {{.fd = lull_line_fd(phone.line), .events = POLLIN},
                               {.fd = lull_fd(phone.lull), .events = POLLIN}};
    if (poll(entries, 2, -1) < 0) continue;
    // The connection first: its peer waits, and lulld does not.
    if (entries[0].revents) receive(&phone);
    if (entries[1].revents) lull_dispatch(phone.lull);
    lull_done(phone.lull);
  }
  lull_close(phone.lull);
  return 0;
}
