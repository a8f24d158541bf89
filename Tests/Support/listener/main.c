#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "listener.h"

/* Usage: listener DIRECTORY OUTPUT
   Listens at DIRECTORY/control, writes the played frames to OUTPUT and each request to standard output. On
   standard input: `hold`, `release`, `cut NUMBER`, `refuse` (until `accept` no ring is read and no
   session opened), and notices, which are handed on to every client. */

static struct client clients[MAXIMUM_CLIENTS];
static int output;
static bool is_refusing;
static volatile sig_atomic_t is_over;

static void end(int number) {
  (void)number;
  is_over = 1;
}

static void close_client(struct client *client) {
  session_close(&client->session);
  if (client->memory >= 0) close(client->memory);
  if (client->doorbell >= 0) close(client->doorbell);
  if (client->socket >= 0) close(client->socket);
  client->socket = client->memory = client->doorbell = -1;
  client->count = 0;
}

static void say(struct client *client, const char *text) {
  send(client->socket, text, strlen(text), MSG_NOSIGNAL);
}

static void open_session(struct client *client, const char *line) {
  static unsigned long long last;
  char reply[64];
  if (is_refusing) return say(client, "error code=too-many-sessions message=\"at most none\"\n");
  if (client->memory < 0 || client->doorbell < 0) {
    return say(client, "error code=refused message=\"no ring\"\n");
  }
  bool is_open = session_open(&client->session, line, client->memory, client->doorbell);
  close(client->memory);
  client->memory = client->doorbell = -1;
  if (!is_open) return say(client, "error code=bad-value message=\"not such a ring\"\n");
  client->session.id = ++last;
  snprintf(reply, sizeof reply, "ok session=%llu\n", last);
  say(client, reply);
}

static void answer(struct client *client, const char *line, int descriptor) {
  puts(line);
  if (strcmp(line, "ring") == 0) client->memory = descriptor;
  if (strncmp(line, "doorbell", 4) == 0) client->doorbell = descriptor;
  if (strncmp(line, "session", 7) == 0) return open_session(client, line);
  if (strncmp(line, "end-session", 11) == 0) session_close(&client->session);
  say(client, "ok\n");
}

static void receive(struct client *client) {
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec room = {client->text + client->count, sizeof client->text - client->count - 1};
  struct msghdr message = {
      .msg_iov = &room, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count = recvmsg(client->socket, &message, MSG_CMSG_CLOEXEC);
  if (count <= 0) return close_client(client);
  int descriptor = -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  client->count += (size_t)count;
  client->text[client->count] = 0;
  for (char *line = client->text, *feed; (feed = strchr(line, '\n')); line = client->text) {
    *feed = 0;
    answer(client, line, descriptor);
    client->count -= (size_t)(feed + 1 - line);
    memmove(line, feed + 1, client->count + 1);
  }
}

static void command(const char *line) {
  char notice[MAXIMUM_LINE + 1];
  snprintf(notice, sizeof notice, "%s\n", line);
  if (strcmp(line, "refuse") == 0) is_refusing = true;
  if (strcmp(line, "accept") == 0) is_refusing = false;
  for (struct client *client = clients; client < clients + MAXIMUM_CLIENTS; client++) {
    struct session *session = &client->session;
    if (client->socket >= 0 && strncmp(line, "event", 5) == 0) say(client, notice);
    if (!session->is_open) continue;
    if (strcmp(line, "hold") == 0) session->is_held = true;
    if (strcmp(line, "release") == 0) session->is_held = false;
    if (strncmp(line, "cut ", 4) == 0) session_cut(session, (enum lull_ring_error)atoi(line + 4));
  }
}

static bool read_commands(void) {
  static char text[MAXIMUM_LINE];
  static size_t count;
  ssize_t more = read(STDIN_FILENO, text + count, sizeof text - count - 1);
  if (more <= 0) return false;
  count += (size_t)more;
  text[count] = 0;
  for (char *feed; (feed = strchr(text, '\n'));) {
    *feed = 0;
    command(text);
    count -= (size_t)(feed + 1 - text);
    memmove(text, feed + 1, count + 1);
  }
  return true;
}

static int listen_at(const char *directory) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/control", directory);
  unlink(address.sun_path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 8) < 0) {
    perror(address.sun_path);
    exit(1);
  }
  return listener;
}

static void accept_client(int listener) {
  int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  for (struct client *client = clients; client < clients + MAXIMUM_CLIENTS; client++) {
    if (client->socket >= 0) continue;
    client->socket = socket;
    return;
  }
  close(socket);
}

static void forget_bytes(int doorbell) {
  char bytes[256];
  while (recv(doorbell, bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
}

static int pace(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct itimerspec time = {.it_interval.tv_nsec = 10000000, .it_value.tv_nsec = 10000000};
  timerfd_settime(timer, 0, &time, NULL);
  return timer;
}

enum { LISTENER, TIMER, INPUT, FIRST_CLIENT, COUNT = FIRST_CLIENT + 2 * MAXIMUM_CLIENTS };

static void turn(struct pollfd *watched) {
  uint64_t expirations;
  for (int i = 0; i < MAXIMUM_CLIENTS; i++) {
    watched[FIRST_CLIENT + 2 * i] = (struct pollfd){.fd = clients[i].socket, .events = POLLIN};
    int doorbell = clients[i].session.is_open ? clients[i].session.doorbell : -1;
    watched[FIRST_CLIENT + 2 * i + 1] = (struct pollfd){.fd = doorbell, .events = POLLIN};
  }
  if (poll(watched, COUNT, -1) < 0) return;
  if (watched[LISTENER].revents) accept_client(watched[LISTENER].fd);
  if (watched[INPUT].revents && !read_commands()) watched[INPUT].fd = -1;
  if (watched[TIMER].revents && read(watched[TIMER].fd, &expirations, sizeof expirations) < 0) abort();
  for (int i = 0; i < MAXIMUM_CLIENTS; i++) {
    if (watched[FIRST_CLIENT + 2 * i + 1].revents) forget_bytes(clients[i].session.doorbell);
    if (clients[i].session.is_open && !is_refusing) session_step(&clients[i].session, output);
    if (watched[FIRST_CLIENT + 2 * i].revents) receive(&clients[i]);
  }
}

int main(int count, char **arguments) {
  struct pollfd watched[COUNT] = {0};
  struct sigaction action = {.sa_handler = end};
  if (count != 3) return 2;
  sigaction(SIGTERM, &action, NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < MAXIMUM_CLIENTS; i++)
    clients[i] = (struct client){.socket = -1, .memory = -1, .doorbell = -1};
  output = open(arguments[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  watched[LISTENER] = (struct pollfd){.fd = listen_at(arguments[1]), .events = POLLIN};
  watched[TIMER] = (struct pollfd){.fd = pace(), .events = POLLIN};
  watched[INPUT] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
  puts("ready");
  while (!is_over) turn(watched);
  return 0;
}
