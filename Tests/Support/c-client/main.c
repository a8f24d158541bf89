/* A program on liblull by hand: a word of standard input is a call, a line of standard output its result
   (`= CODE TEXT`) or an event. The tests drive it; it is built by them with cc. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lull.h"

enum { MOST = 8 };

struct held {
  int fd;
  lull_line *line;
};

static lull_program *program;
static struct held held[MOST];
/// `lull_done` is called when nothing is left to do.
static bool is_automatic = true;
static bool ends;

static struct held *find(int fd) {
  for (int index = 0; index < MOST; index++)
    if (held[index].fd == fd) return &held[index];
  printf("= -99 no line %d\n", fd);
  exit(2);
}

static void result(int code) { printf("= %d %s\n", code, code < 0 && program ? lull_error(program) : ""); }

static void emit(lull_program *which, const lull_event *event, void *context) {
  static const char *const kinds[] = {"",      "message",  "wake",    "keepalive", "expire", "action", "open",
                                      "received", "changed", "keeping", "prepare",   "lost",   "restored",
                                      "line-lost", "fetch",   "push"};
  printf("event %s", kinds[event->kind]);
  switch (event->kind) {
    case LULL_EVENT_MESSAGE: printf(" %d", event->message); break;
    case LULL_EVENT_WAKE:
      printf(" %d %d", event->reason, event->line ? lull_line_fd(event->line) : -1);
      break;
    case LULL_EVENT_EXPIRE: printf(" %llu", (unsigned long long)event->task); break;
    case LULL_EVENT_ACTION: printf(" %u %s", event->notification, event->action); break;
    case LULL_EVENT_OPEN: printf(" %s", event->url); break;
    case LULL_EVENT_RECEIVED: printf(" %u %s", event->notification, event->content->body); break;
    case LULL_EVENT_CHANGED: printf(" %u", event->changes); break;
    case LULL_EVENT_LINE_LOST: printf(" %d %s", lull_line_fd(event->line), event->text); break;
    case LULL_EVENT_PUSH:
      printf(" %s: %.*s", event->title ? event->title : "-", (int)event->payload_length,
             (const char *)event->payload);
      break;
    default: break;
  }
  printf("\n");
  if (event->kind == LULL_EVENT_PUSH) lull_fetched(which, LULL_FETCH_NEW_DATA);
  if (event->kind == LULL_EVENT_MESSAGE && event->message == LULL_WILL_TERMINATE) lull_close(which);
  if (context != &program) abort();
}

static void open_program(char **words) {
  char error[256];
  lull_options options = LULL_OPTIONS_INIT;
  options.name = words[1];
  options.modes = (unsigned)atoi(words[2]);
  options.flags = (unsigned)atoi(words[3]);
  options.schemes = words[4];
  options.accessories = words[4] ? words[5] : NULL;
  options.handler = emit;
  options.context = &program;
  int code = lull_open(&program, &options, error, sizeof error);
  printf("= %d %s\n", code, code < 0 ? error : lull_name(program));
}

static void hold(struct held *one, char **words) {
  lull_line_options options = LULL_LINE_OPTIONS_INIT;
  options.name = words[2];
  options.offload = words[2] && words[3] ? (unsigned)atoi(words[3]) : 0;
  options.tcp_keepalive = words[2] && words[3] && words[4] ? atof(words[4]) : 0;
  result(lull_hold(program, one->fd, &options, &one->line));
}

static void dial(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    printf("= -99 %s\n", strerror(errno));
    exit(2);
  }
  *find(-1) = (struct held){.fd = fd};
  printf("= %d\n", fd);
}

/// A line within the program: its other end stays open.
static void pair(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) exit(2);
  *find(-1) = (struct held){.fd = ends[0]};
  printf("= %d\n", ends[0]);
}

static void print_notification(uint32_t id, const lull_notification *notification, void *context) {
  printf("item %u %s at=%.0f\n", id, notification->body, notification->at);
  if (context != &held) abort();
}

static void schedule(char **words) {
  lull_notification notification = LULL_NOTIFICATION_INIT;
  uint32_t id = 0;
  notification.body = words[1];
  notification.action = words[2];
  if (words[2] && words[3]) {
    notification.in = atof(words[3]);
    notification.repeat = words[4];
    int code = lull_schedule(program, &notification, &id);
    return result(code ? code : (int)id);
  }
  int code = lull_present(program, &notification, &id);
  result(code ? code : (int)id);
}

static void tell_restored(void) {
  const lull_restored *one;
  for (size_t index = 0; (one = lull_restored_at(program, index)); index++)
    printf("item %s %.*s\n", one->name ? one->name : "-", (int)one->state_size, (const char *)one->state);
  result(LULL_OK);
}

static void count_descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) exit(2);
  for (struct dirent *entry; (entry = readdir(folder));) count += *entry->d_name != '.';
  closedir(folder);
  // The folder has one, too.
  result(count - 1);
}

static void task(const char *name) {
  uint64_t number;
  int code = lull_begin_task(program, name, &number);
  result(code ? code : (int)number);
}

static void remaining(void) {
  double seconds, for_tasks;
  int code = lull_remaining(program, &seconds);
  if (code == LULL_OK) code = lull_task_remaining(program, &for_tasks);
  if (code < 0) return result(code);
  printf("= %d %.0f %.0f\n", code, seconds, for_tasks);
}

static void tell_suspension(void) {
  printf("= %d wakes=%d\n", lull_suspension(program), lull_wakes_machine(program));
}

static void tell_launch(void) {
  printf("= 0 %d %s %s state=%d\n", lull_launch_reason(program),
         lull_launch_line(program) ? lull_launch_line(program) : "-",
         lull_launch_url(program) ? lull_launch_url(program) : "-", lull_state(program));
}

/// False for a word that is none.
static bool obey_line(char **words) {
  const char *word = words[0];
  if (strcmp(word, "dial") == 0) dial(words[1]);
  else if (strcmp(word, "hold") == 0) hold(find(atoi(words[1])), words);
  else if (strcmp(word, "pair") == 0) pair();
  else if (strcmp(word, "pass") == 0) *find(-1) = (struct held){.fd = atoi(words[1])}, result(0);
  else if (strcmp(word, "state") == 0) {
    struct held *one = find(atoi(words[1]));
    result(lull_line_set_state(one->line, words[2], words[2] ? strlen(words[2]) : 0));
  } else if (strcmp(word, "release") == 0) {
    struct held *one = find(atoi(words[1]));
    lull_release(one->line);
    close(one->fd);
    *one = (struct held){.fd = -1};
    result(0);
  } else return false;
  return true;
}

static void obey(char **words) {
  const char *word = words[0];
  if (strcmp(word, "open") == 0) open_program(words);
  else if (obey_line(words)) return;
  else if (strcmp(word, "keepalive") == 0) result(lull_set_keepalive(program, atof(words[1])));
  else if (strcmp(word, "fetch") == 0) result(lull_set_fetch(program, atof(words[1])));
  else if (strcmp(word, "fetched") == 0) result(lull_fetched(program, atoi(words[1])));
  else if (strcmp(word, "wake-in") == 0) result(lull_wake_in(program, atof(words[1])));
  else if (strcmp(word, "task") == 0) task(words[1]);
  else if (strcmp(word, "end") == 0) result(lull_end_task(program, strtoull(words[1], NULL, 10)));
  else if (strcmp(word, "remaining") == 0) remaining();
  else if (strcmp(word, "suspension") == 0) tell_suspension();
  else if (strcmp(word, "notify") == 0) schedule(words);
  else if (strcmp(word, "cancel") == 0) result(lull_cancel(program, (uint32_t)atoi(words[1])));
  else if (strcmp(word, "scheduled") == 0)
    result(lull_scheduled(program, words[1] != NULL, print_notification, &held));
  else if (strcmp(word, "background") == 0) result(lull_enter_background(program));
  else if (strcmp(word, "foreground") == 0) result(lull_request_foreground(program));
  else if (strcmp(word, "done") == 0) result(lull_done(program));
  else if (strcmp(word, "handling") == 0) result(lull_handling(program));
  else if (strcmp(word, "manual") == 0) is_automatic = false, result(0);
  else if (strcmp(word, "auto") == 0) is_automatic = true, result(0);
  else if (strcmp(word, "exit") == 0) ends = true;
  else if (strcmp(word, "restored") == 0) tell_restored();
  else if (strcmp(word, "descriptors") == 0) count_descriptors();
  else if (strcmp(word, "launch") == 0) tell_launch();
  else if (strcmp(word, "version") == 0) printf("= 0 %s %s\n", lull_version(), lull_daemon_version(program));
  else if (strcmp(word, "close") == 0) lull_close(program), program = NULL, result(0);
  else printf("= -99 no word %s\n", word);
}

/// False at the end of standard input.
static bool hear(void) {
  static char text[1 << 14];
  static size_t count;
  ssize_t got = read(STDIN_FILENO, text + count, sizeof text - 1 - count);
  if (got <= 0) return false;
  count += (size_t)got;
  for (char *feed; (feed = memchr(text, '\n', count));) {
    char *words[8] = {0}, *rest = text;
    *feed = 0;
    for (int index = 0; index < 7; index++)
      if (!(words[index] = strtok_r(index ? NULL : text, " ", &rest))) break;
    if (words[0]) obey(words);
    count -= (size_t)(feed + 1 - text);
    memmove(text, feed + 1, count);
  }
  return true;
}

/// Tells what came on a held line, and answers `ping`.
static void read_line(struct held *one) {
  char text[256];
  ssize_t got = recv(one->fd, text, sizeof text - 1, MSG_DONTWAIT);
  if (got < 0) return;
  while (got > 0 && text[got - 1] == '\n') got--;
  text[got] = 0;
  if (strcmp(text, "ping") == 0 && send(one->fd, "pong\n", 5, MSG_NOSIGNAL) < 0) return;
  printf("bytes %d %s\n", one->fd, text);
  if (got > 0) return;
  lull_release(one->line);
  close(one->fd);
  *one = (struct held){.fd = -1};
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int index = 0; index < MOST; index++) held[index].fd = -1;
  while (!ends) {
    struct pollfd entries[MOST + 2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                       {.fd = program ? lull_fd(program) : -1, .events = POLLIN}};
    for (int index = 0; index < MOST; index++)
      entries[index + 2] = (struct pollfd){.fd = held[index].line ? held[index].fd : -1, .events = POLLIN};
    if (poll(entries, MOST + 2, -1) < 0) continue;
    for (int index = 0; index < MOST; index++)
      if (entries[index + 2].revents) read_line(&held[index]);
    if (entries[1].revents && lull_dispatch(program) == LULL_ENDED) return 0;
    if (entries[0].revents && !hear()) break;
    if (program && is_automatic) lull_done(program);
  }
  lull_close(program);
  return 0;
}
