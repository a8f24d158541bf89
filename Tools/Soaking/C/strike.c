// `strike SOCKET SIGNAL LIMIT PID... -- CGROUP...`: sends the signal to the processes and tells, in
// microseconds from then on, when each program ran again. A hang counts as over, too, when a daemon that was
// asked after the signal answers. Signal 0 sends nothing. Prints
//     frozen=N microseconds=N by=thaw|answer|none [still=CGROUP ...]
// frozen: the programs that were frozen when the signal was sent. SOCKET is - when no daemon is asked.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most = 512, pause_microseconds = 100 };

struct program {
  const char *path;
  int freeze, events;
  bool runs;
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int open_in(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static bool has(int file, const char *text) {
  char bytes[128];
  ssize_t length = file < 0 ? -1 : pread(file, bytes, sizeof bytes - 1, 0);
  if (length < 0) return false;  // it is gone
  bytes[length] = 0;
  return strstr(bytes, text) != NULL;
}

static bool is_frozen(const struct program *program) {
  return has(program->freeze, "1") || has(program->events, "frozen 1");
}

/// A connection on which the daemon will answer once it runs, or -1.
static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strcmp(path, "-") == 0 || strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(line, (struct sockaddr *)&address, sizeof address) == 0) return line;
  close(line);
  return -1;
}

static bool answers(int line) {
  char bytes[4096];
  return line >= 0 && recv(line, bytes, sizeof bytes, MSG_DONTWAIT) > 0;
}

/// A dead process freezes nobody any more: what is seen before it has ended does not count.
static void await_end(const int *processes, unsigned count) {
  for (unsigned index = 0; index < count; index++) {
    struct pollfd entry = {.fd = processes[index], .events = POLLIN};
    poll(&entry, 1, 1000);
  }
}

static bool all_run(struct program *programs, unsigned count) {
  bool all = true;
  for (unsigned index = 0; index < count; index++)
    if (!programs[index].runs) all &= programs[index].runs = !is_frozen(&programs[index]);
  return all;
}

int main(int count, char **words) {
  static struct program programs[most];
  static int processes[most];
  unsigned program_count = 0, process_count = 0, frozen = 0;
  int index = 4;
  if (count < 5) return 64;
  int number = atoi(words[2]);
  uint64_t limit = strtoull(words[3], NULL, 10) * 1000000;
  struct sched_param priority = {.sched_priority = 2};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  int line = connect_to(words[1]);
  for (; index < count && strcmp(words[index], "--") != 0 && process_count < most; index++)
    processes[process_count++] = (int)syscall(SYS_pidfd_open, atoi(words[index]), 0);
  for (index++; index < count && program_count < most; index++)
    programs[program_count++] = (struct program){
        words[index], open_in(words[index], "cgroup.freeze"), open_in(words[index], "cgroup.events"), false};
  for (unsigned each = 0; each < program_count; each++) frozen += is_frozen(&programs[each]);
  uint64_t start = now();
  for (unsigned each = 0; number && each < process_count; each++)
    syscall(SYS_pidfd_send_signal, processes[each], number, NULL, 0);
  if (line >= 0) send(line, "hello\n", 6, MSG_NOSIGNAL);
  if (number == SIGKILL) await_end(processes, process_count);
  const char *by = "none";
  while (now() - start < limit) {
    if (all_run(programs, program_count)) by = "thaw";
    else if (answers(line)) by = "answer";
    if (*by != 'n') break;
    usleep(pause_microseconds);
  }
  printf("frozen=%u microseconds=%llu by=%s", frozen, (unsigned long long)(now() - start), by);
  for (unsigned each = 0; *by == 'n' && each < program_count; each++)
    if (!programs[each].runs) printf(" still=%s", programs[each].path);
  putchar('\n');
  return 0;
}
