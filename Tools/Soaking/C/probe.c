// `probe SOCKET`: the longest turn of the daemon's loop, from outside. Asks `hello` every few milliseconds;
// the answer takes no longer than the turn that it met. What the kernel made the daemon wait for a processor
// meanwhile (schedstat) is no part of its turn and is taken off. Standard input: `p` pauses (a hang that was
// made is no turn), `r` goes on, its end ends. Prints each turn of more than 20 ms when it comes, and in
// which calls of the kernel its threads were after 15 ms; at the end
//     samples=N longest=MICROSECONDS raw=MICROSECONDS
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { period = 3000, long_turn = 20000 };       // microseconds
enum { curious_after = 15, patience = 60000 };  // milliseconds

struct probe {
  const char *path;
  int line, schedule, daemon;
  char place[512];  // where a turn was when it took long
  bool is_paused, is_over;
  uint64_t samples, longest, raw;
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/// The microseconds for which the daemon's loop has waited for a processor.
static uint64_t waited(const struct probe *probe) {
  char bytes[128];
  ssize_t length = pread(probe->schedule, bytes, sizeof bytes - 1, 0);
  char *second;
  if (length <= 0) return 0;
  bytes[length] = 0;
  strtoull(bytes, &second, 10);
  return strtoull(second, NULL, 10) / 1000;
}

static void leave(struct probe *probe) {
  if (probe->line >= 0) close(probe->line);
  if (probe->schedule >= 0) close(probe->schedule);
  probe->line = probe->schedule = -1;
}

/// In which call each thread of the daemon waits.
static void note_place(struct probe *probe) {
  char path[512], line[128];
  size_t length = 0;
  snprintf(path, sizeof path, "/proc/%d/task", probe->daemon);
  DIR *threads = opendir(path);
  for (struct dirent *entry; threads && (entry = readdir(threads));) {
    snprintf(path, sizeof path, "/proc/%d/task/%s/wchan", probe->daemon, entry->d_name);
    int file = *entry->d_name == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0) close(file);
    if (got <= 0 || length + (size_t)got + 2 > sizeof probe->place) continue;
    line[got] = 0;
    length += (size_t)snprintf(probe->place + length, sizeof probe->place - length, "%s ", line);
  }
  if (threads) closedir(threads);
}

/// Asks and waits; false when the connection has ended, or the wait was paused.
static bool ask(struct probe *probe, char *reply, size_t size) {
  struct pollfd entry = {.fd = probe->line, .events = POLLIN};
  if (send(probe->line, "hello\n", 6, MSG_NOSIGNAL) != 6) return false;
  *probe->place = 0;
  if (poll(&entry, 1, curious_after) == 0) {
    note_place(probe);
    if (poll(&entry, 1, patience) <= 0) return false;
  }
  ssize_t length = recv(probe->line, reply, size - 1, 0);
  if (length <= 0) return false;
  reply[length] = 0;
  return true;
}

static void connect_again(struct probe *probe) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char reply[4096], path[64];
  snprintf(address.sun_path, sizeof address.sun_path, "%s", probe->path);
  probe->line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(probe->line, (struct sockaddr *)&address, sizeof address) == 0 &&
      ask(probe, reply, sizeof reply)) {
    const char *pid = strstr(reply, " pid=");
    probe->daemon = pid ? atoi(pid + 5) : 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", probe->daemon);
    probe->schedule = open(path, O_RDONLY | O_CLOEXEC);
  }
  if (probe->schedule < 0) leave(probe);
}

static void obey(struct probe *probe) {
  struct pollfd entry = {.fd = STDIN_FILENO, .events = POLLIN};
  char order;
  while (!probe->is_over && poll(&entry, 1, 0) > 0) {
    probe->is_over = read(STDIN_FILENO, &order, 1) != 1;
    probe->is_paused = !probe->is_over && order == 'p';
    if (probe->is_paused) leave(probe);
  }
}

static void sample(struct probe *probe) {
  char reply[4096];
  uint64_t before = waited(probe), start = now();
  if (!ask(probe, reply, sizeof reply)) return leave(probe);
  uint64_t raw = now() - start, aside = waited(probe) - before, turn = raw > aside ? raw - aside : 0;
  // A hang that was made while the answer was awaited is none of its own.
  obey(probe);
  if (probe->is_paused) return;
  probe->samples++;
  if (raw > probe->raw) probe->raw = raw;
  if (turn > probe->longest) probe->longest = turn;
  if (turn > long_turn)
    printf("turn=%llu raw=%llu in %s\n", (unsigned long long)turn, (unsigned long long)raw, probe->place);
  fflush(stdout);
}

int main(int count, char **words) {
  struct probe probe = {.path = count == 2 ? words[1] : "", .line = -1, .schedule = -1};
  struct sched_param priority = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (!probe.is_over) {
    usleep(period);
    obey(&probe);
    if (probe.is_paused) continue;
    if (probe.line < 0) connect_again(&probe);
    else sample(&probe);
  }
  printf("samples=%llu longest=%llu raw=%llu\n", (unsigned long long)probe.samples,
         (unsigned long long)probe.longest, (unsigned long long)probe.raw);
  return 0;
}
