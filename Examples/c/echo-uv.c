/* An echo server for datagrams in libuv's loop, which sleeps: `echo-uv PORT`. Every handle of libuv that is a
   socket tells its descriptor (uv_fileno).
   Built with: cc echo-uv.c $(pkg-config --cflags --libs lull libuv) */
#include <stdio.h>
#include <stdlib.h>

#include <lull.h>
#include <uv.h>

struct echo {
  lull_program *lull;
  lull_line *line;
  char text[512];
};

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  struct echo *echo = handle->data;
  (void)suggested;
  *buffer = uv_buf_init(echo->text, sizeof echo->text);
}

static void echo_datagram(uv_udp_t *socket, ssize_t count, const uv_buf_t *text, const struct sockaddr *peer,
                          unsigned flags) {
  struct echo *echo = socket->data;
  (void)flags;
  if (count > 0) {
    uv_buf_t answer = uv_buf_init(text->base, (unsigned)count);
    uv_udp_try_send(socket, &answer, 1, peer);
  }
  // libuv calls once more with nothing when it has read everything.
  if (count == 0 && !peer) lull_done(echo->lull);
}

static void dispatch(uv_poll_t *watch, int status, int events) {
  struct echo *echo = watch->data;
  (void)status, (void)events;
  lull_dispatch(echo->lull);
}

static void handle(lull_program *lull, const lull_event *event, void *context) {
  uv_loop_t *loop = context;
  if (event->kind == LULL_EVENT_WAKE) printf("woken, reason %d\n", event->reason);
  if (event->kind == LULL_EVENT_MESSAGE && event->message == LULL_WILL_TERMINATE) uv_stop(loop);
  lull_done(lull);
}

int main(int count, char **words) {
  uv_loop_t *loop = uv_default_loop();
  struct echo echo = {0};
  uv_udp_t socket = {.data = &echo};
  uv_poll_t watch = {.data = &echo};
  struct sockaddr_in own;
  uv_os_fd_t fd;
  char error[256];
  lull_options options = LULL_OPTIONS_INIT;
  if (count != 2) return fprintf(stderr, "usage: echo-uv PORT\n"), 64;
  setvbuf(stdout, NULL, _IOLBF, 0);
  options.name = "echo";
  options.modes = LULL_VOIP;
  options.handler = handle;
  options.context = loop;
  if (lull_open(&echo.lull, &options, error, sizeof error) != LULL_OK)
    return fprintf(stderr, "echo-uv: %s\n", error), 1;
  uv_ip4_addr("127.0.0.1", atoi(words[1]), &own);
  uv_udp_init(loop, &socket);
  if (uv_udp_bind(&socket, (struct sockaddr *)&own, 0) != 0 || uv_fileno((uv_handle_t *)&socket, &fd) != 0)
    return fprintf(stderr, "echo-uv: cannot bind\n"), 1;
  if (lull_hold(echo.lull, fd, NULL, &echo.line) != LULL_OK)
    return fprintf(stderr, "echo-uv: %s\n", lull_error(echo.lull)), 1;
  uv_udp_recv_start(&socket, give_room, echo_datagram);
  uv_poll_init(loop, &watch, lull_fd(echo.lull));
  uv_poll_start(&watch, UV_READABLE, dispatch);
  printf("ready\n");
  uv_run(loop, UV_RUN_DEFAULT);
  lull_close(echo.lull);
  return 0;
}
