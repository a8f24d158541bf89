// Programs that were never written for Lull: started as they are, and by `lull run`.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bench_most_words = 32 };

pid_t bench_start_silent(char *const command[], int silent) {
  pid_t child = bench_fork(-1);
  if (child > 0) return child;
  int nothing = bench_open("/dev/null", O_RDWR), errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  for (int stream = 0; stream < silent; stream++) dup2(nothing, stream);
  execvp(command[0], command);
  int reason = errno;
  dup2(errors, STDERR_FILENO);
  bench_fail("cannot run %s: %s", command[0], strerror(reason));
}

void bench_lull_run(const char *lull, const char *name, char *const command[]) {
  bench_lull_run_with(lull, name, NULL, command);
}

void bench_lull_run_with(const char *lull, const char *name, const char *option, char *const command[]) {
  const char *words[bench_most_words] = {lull, "run", "--detach", "--mode", "voip", "--name", name};
  size_t count = 7;
  int status;
  if (option) words[count++] = option;
  words[count++] = "--";
  for (; *command; command++) {
    if (count == bench_most_words - 1) bench_fail("a command has too many words");
    words[count++] = *command;
  }
  pid_t child = bench_start_silent((char *const *)words, 2);
  if (waitpid(child, &status, 0) != child || status != 0) bench_fail("lull run %s failed", name);
}

void bench_own_path(char path[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length < 0) bench_fail("cannot read /proc/self/exe: %s", strerror(errno));
  path[length] = 0;
}
