#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcm_lull.h"

extern char **environ;

/* Waits for the first process of lull-guard, which exits when the control socket accepts. */
static int wait_for(pid_t pid) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) return -errno;
  struct pollfd ended = {.fd = pidfd, .events = POLLIN};
  int count;
  do {
    count = poll(&ended, 1, 5000);
  } while (count < 0 && errno == EINTR);
  close(pidfd);
  if (count == 0) return -ETIMEDOUT;
  int status;
  /* A program that waits for all its children may have taken the status: the next connect tells then. */
  if (waitpid(pid, &status, WNOHANG) != pid) return 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECONNREFUSED;
}

int lull_launch_daemon(void) {
  /* The user who started a program with special rights could make it run any program named lull-guard. */
  if (getauxval(AT_SECURE)) {
    SNDERR("lull: no daemon runs, and a program with special rights starts none");
    return -ECONNREFUSED;
  }
  const char *given = secure_getenv("LULL_GUARD");
  const char *program = given && *given ? given : "lull-guard";
  char *arguments[] = {(char *)program, "--daemonize", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t pid;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  int error = posix_spawnp(&pid, program, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    SNDERR("lull: no daemon runs, and %s cannot be started: %s", program, strerror(error));
    return -error;
  }
  return wait_for(pid);
}
