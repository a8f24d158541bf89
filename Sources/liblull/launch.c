/* The way to lulld: its control socket, and its start by lull-guard, in a session of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

static bool socket_path(const lull_program *program, char *path, size_t size) {
  const char *given = program->folder ? program->folder : secure_getenv("LULL_RUNTIME_DIR");
  const char *session = secure_getenv("XDG_RUNTIME_DIR");
  int count;
  // Programs in other folders would look for lulld elsewhere.
  if (given && *given) count = *given == '/' ? snprintf(path, size, "%s/control", given) : -1;
  else if (geteuid() == 0) count = snprintf(path, size, "/run/lull/control");
  else if (session && *session == '/') count = snprintf(path, size, "%s/lull/control", session);
  else count = snprintf(path, size, "/tmp/lull-%u/control", (unsigned)geteuid());
  return count >= 0 && (size_t)count < size;
}

/// LULL_UNAVAILABLE when nobody listens.
static int connect_socket(lull_program *program, int control, bool waits) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct timeval patience = {.tv_sec = LULL_I_PATIENCE / 1000};
  struct ucred peer;
  socklen_t size = sizeof peer;
  const char *path = address.sun_path;
  if (!socket_path(program, address.sun_path, sizeof address.sun_path))
    return lull_i_fail(
        program, LULL_REFUSED, "%s must be a path that begins with / and has at most 99 bytes",
        program->folder ? "the folder of lulld" : "LULL_RUNTIME_DIR");
  if (waits) setsockopt(control, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  int connected;
  do {
    connected = connect(control, (struct sockaddr *)&address, sizeof address);
  } while (connected < 0 && errno == EINTR);
  if (connected < 0)
    return lull_i_fail(program, LULL_UNAVAILABLE, "no daemon: %s: %s", path, strerror(errno));
  if (getsockopt(control, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
    return lull_i_fail_call(program, "getsockopt(SO_PEERCRED)");
  // Only the user's own lulld, or root's in /run/lull, which only root can make: in /tmp any user could have
  // made the directory first.
  if (peer.uid == geteuid() || (peer.uid == 0 && strncmp(path, "/run/lull/", 10) == 0)) return LULL_OK;
  return lull_i_fail(
      program, LULL_REFUSED,
      "%s: uid %u listens there, not uid %u: set LULL_RUNTIME_DIR to a directory of your own", path,
      (unsigned)peer.uid, (unsigned)geteuid());
}

int lull_i_connect(lull_program *program, bool waits) {
  int control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), 0);
  if (control < 0) return lull_i_fail_call(program, "socket");
  int code = connect_socket(program, control, waits);
  if (code == LULL_OK) code = lull_i_adopt(program, control);
  if (code != LULL_OK) close(control);
  return code;
}

extern char **environ;

static const char guard[] = "lull-guard";

/// `$LULL_GUARD`, else the one beside this program, else that in PATH.
static const char *find(char *beside, size_t size) {
  const char *given = secure_getenv("LULL_GUARD");
  if (given && *given) return given;
  ssize_t count = readlink("/proc/self/exe", beside, size);
  char *slash = count > 0 && (size_t)count < size ? memrchr(beside, '/', (size_t)count) : NULL;
  if (!slash || size - (size_t)(slash + 1 - beside) < sizeof guard) return guard;
  memcpy(slash + 1, guard, sizeof guard);
  return access(beside, X_OK) == 0 ? beside : guard;
}

/// The signals of the caller are none of lulld's, nor are its descriptors.
static int spawn(pid_t *pid, const char *program, int errors) {
  char *arguments[] = {(char *)program, "--daemonize", "--started-by", "use", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawnp(pid, program, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The last line that lull-guard wrote, without its name; "" when there is none.
static const char *last_line(int errors, char *text, size_t size) {
  ssize_t count = recv(errors, text, size - 1, MSG_DONTWAIT);
  while (count > 0 && text[count - 1] == '\n') count--;
  text[count < 0 ? 0 : count] = 0;
  char *line = strrchr(text, '\n');
  line = line ? line + 1 : text;
  return strncmp(line, "lull-guard: ", 12) == 0 ? line + 12 : line;
}

/// Its first process exits when the control socket accepts.
static int await(lull_program *program, pid_t pid, const char *path, int errors) {
  char text[400];
  int status = 0, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) return lull_i_fail_call(program, "pidfd_open");
  bool ended = lull_i_wait(pidfd, POLLIN, lull_i_later(LULL_I_PATIENCE));
  if (!ended) {
    kill(pid, SIGTERM);
    if (!lull_i_wait(pidfd, POLLIN, lull_i_later(500))) kill(pid, SIGKILL);
    lull_i_wait(pidfd, POLLIN, lull_i_later(500));
  }
  close(pidfd);
  // The caller may ignore SIGCHLD, or wait for all its children: the next connect tells then.
  if (waitpid(pid, &status, WNOHANG) != pid) status = 0;
  if (!ended) return lull_i_fail(program, LULL_UNAVAILABLE, "no daemon: %s was not ready in 5 s", path);
  if (status == 0) return LULL_OK;
  const char *words = last_line(errors, text, sizeof text);
  if (*words) return lull_i_fail(program, LULL_UNAVAILABLE, "no daemon: %s", words);
  return lull_i_fail(
      program, LULL_UNAVAILABLE, "no daemon: %s %s %d", path,
      WIFEXITED(status) ? "ended with status" : "was ended by signal",
      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int launch(lull_program *program) {
  char beside[1024];
  int ends[2];
  pid_t pid;
  // The user who started a program with special rights could make it run any program of that name.
  if (getauxval(AT_SECURE))
    return lull_i_fail(
        program, LULL_UNAVAILABLE, "no daemon: a program with special rights does not start one");
  const char *path = find(beside, sizeof beside);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return lull_i_fail_call(program, "socketpair");
  int error = spawn(&pid, path, ends[1]);
  close(ends[1]);
  int code = error ? LULL_UNAVAILABLE : await(program, pid, path, ends[0]);
  close(ends[0]);
  if (error == ENOENT && path == guard)
    lull_i_fail(
        program, code,
        "no daemon: lull-guard is neither beside this program nor in PATH (LULL_GUARD names its file)");
  else if (error)
    lull_i_fail(program, code, "no daemon: %s: %s", path, strerror(error));
  return code;
}

int lull_i_reach(lull_program *program) {
  int code = lull_i_connect(program, true);
  // A folder that is named belongs to another daemon, which its owner starts.
  if (code != LULL_UNAVAILABLE || program->folder) return code;
  code = launch(program);
  return code == LULL_OK ? lull_i_connect(program, true) : code;
}
