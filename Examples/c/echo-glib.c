/* An echo server for datagrams in GLib's main loop, which sleeps: `echo-glib PORT`.
   Built with: cc echo-glib.c $(pkg-config --cflags --libs lull glib-2.0) */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <glib-unix.h>
#include <lull.h>

struct echo {
  lull_program *lull;
  lull_line *line;
  GMainLoop *loop;
};

static gboolean echo_datagram(gint fd, GIOCondition condition, gpointer context) {
  struct echo *echo = context;
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  char text[512];
  (void)condition;
  ssize_t count = recvfrom(fd, text, sizeof text, MSG_DONTWAIT, (struct sockaddr *)&peer, &size);
  if (count > 0) sendto(fd, text, (size_t)count, 0, (struct sockaddr *)&peer, size);
  lull_done(echo->lull);
  return G_SOURCE_CONTINUE;
}

static gboolean dispatch(gint fd, GIOCondition condition, gpointer context) {
  struct echo *echo = context;
  (void)fd, (void)condition;
  lull_dispatch(echo->lull);
  return G_SOURCE_CONTINUE;
}

static void handle(lull_program *lull, const lull_event *event, void *context) {
  struct echo *echo = context;
  if (event->kind == LULL_EVENT_WAKE) printf("woken, reason %d\n", event->reason);
  if (event->kind == LULL_EVENT_MESSAGE && event->message == LULL_WILL_TERMINATE)
    g_main_loop_quit(echo->loop);
  lull_done(lull);
}

static int bind_port(const char *port) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof own) == 0) return fd;
  perror("cannot bind");
  exit(1);
}

int main(int count, char **words) {
  struct echo echo = {.loop = g_main_loop_new(NULL, FALSE)};
  char error[256];
  lull_options options = LULL_OPTIONS_INIT;
  if (count != 2) return fprintf(stderr, "usage: echo-glib PORT\n"), 64;
  setvbuf(stdout, NULL, _IOLBF, 0);
  options.name = "echo";
  options.modes = LULL_VOIP;
  options.handler = handle;
  options.context = &echo;
  if (lull_open(&echo.lull, &options, error, sizeof error) != LULL_OK)
    return fprintf(stderr, "echo-glib: %s\n", error), 1;
  int fd = bind_port(words[1]);
  if (lull_hold(echo.lull, fd, NULL, &echo.line) != LULL_OK)
    return fprintf(stderr, "echo-glib: %s\n", lull_error(echo.lull)), 1;
  g_unix_fd_add(fd, G_IO_IN, echo_datagram, &echo);
  g_unix_fd_add(lull_fd(echo.lull), G_IO_IN, dispatch, &echo);
  printf("ready\n");
  g_main_loop_run(echo.loop);
  lull_close(echo.lull);
  g_main_loop_unref(echo.loop);
  return 0;
}
