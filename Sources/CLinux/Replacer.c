#define _GNU_SOURCE
#include "CLinux.h"
#include "Threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct clinux_replacer {
  pthread_mutex_t lock;
  pthread_cond_t work, rest;
  pthread_t thread;
  int has_thread, is_busy, is_ending;
  char *waiting;
  size_t count;
  struct clinux_append_failure failure;
  char *path, *draft;
};

static const char *write_draft(const struct clinux_replacer *file, const char *bytes, size_t count) {
  int fd = open(file->draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd == -1) {
    return "open";
  }
  const char *call = NULL;
  for (size_t done = 0; done < count && call == NULL;) {
    ssize_t written = write(fd, bytes + done, count - done);
    if (written > 0) {
      done += (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      call = "write";
    }
  }
  if (call == NULL && fsync(fd) == -1) {
    call = "fsync";
  }
  int code = errno;
  close(fd);
  errno = code;
  return call;
}

static struct clinux_append_failure replace(const struct clinux_replacer *file, const char *bytes,
                                            size_t count) {
  const char *call = write_draft(file, bytes, count);
  if (call == NULL && rename(file->draft, file->path) == -1) {
    call = "rename";
  }
  if (call == NULL) {
    return (struct clinux_append_failure){0};
  }
  struct clinux_append_failure failure = {.code = errno, .call = call};
  // Half of the file on a full disk is of no use to anybody.
  unlink(file->draft);
  return failure;
}

static void *replace_all(void *argument) {
  struct clinux_replacer *file = argument;
  pthread_mutex_lock(&file->lock);
  while (1) {
    while (file->waiting == NULL && !file->is_ending) {
      file->is_busy = 0;
      pthread_cond_broadcast(&file->rest);
      pthread_cond_wait(&file->work, &file->lock);
    }
    if (file->waiting == NULL) {
      break;
    }
    char *bytes = file->waiting;
    size_t count = file->count;
    file->waiting = NULL;
    pthread_mutex_unlock(&file->lock);
    struct clinux_append_failure failure = replace(file, bytes, count);
    free(bytes);
    pthread_mutex_lock(&file->lock);
    file->failure = failure;
  }
  file->is_busy = 0;
  pthread_cond_broadcast(&file->rest);
  pthread_mutex_unlock(&file->lock);
  return NULL;
}

struct clinux_replacer *clinux_replacer_make(const char *path) {
  struct clinux_replacer *file = calloc(1, sizeof *file);
  if (file == NULL) {
    return NULL;
  }
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&file->lock, NULL);
  pthread_cond_init(&file->work, &clock);
  pthread_cond_init(&file->rest, &clock);
  pthread_condattr_destroy(&clock);
  file->path = strdup(path);
  if (file->path == NULL || asprintf(&file->draft, "%s.new", path) == -1) {
    file->draft = NULL;
    clinux_replacer_free(file, 0);
    return NULL;
  }
  return file;
}

int clinux_replacer_write(struct clinux_replacer *file, const void *bytes, size_t count) {
  char *copy = malloc(count + 1);
  if (copy == NULL) {
    errno = ENOMEM;
    return -1;
  }
  memcpy(copy, bytes, count);
  pthread_mutex_lock(&file->lock);
  int code = 0;
  if (!file->has_thread) {
    code = start_thread(&file->thread, replace_all, file);
    file->has_thread = code == 0;
  }
  if (code == 0) {
    free(file->waiting);
    file->waiting = copy;
    file->count = count;
    file->is_busy = 1;
    pthread_cond_signal(&file->work);
  }
  pthread_mutex_unlock(&file->lock);
  if (code != 0) {
    free(copy);
    errno = code;
    return -1;
  }
  return 0;
}

struct clinux_append_failure clinux_replacer_failure(struct clinux_replacer *file) {
  pthread_mutex_lock(&file->lock);
  struct clinux_append_failure failure = file->failure;
  file->failure = (struct clinux_append_failure){0};
  pthread_mutex_unlock(&file->lock);
  return failure;
}

int clinux_replacer_finish(struct clinux_replacer *file, int milliseconds) {
  struct timespec end = moment_after(milliseconds);
  pthread_mutex_lock(&file->lock);
  int code = 0;
  while (file->is_busy && code == 0) {
    code = pthread_cond_timedwait(&file->rest, &file->lock, &end);
  }
  pthread_mutex_unlock(&file->lock);
  errno = code;
  return code == 0 ? 0 : -1;
}

void clinux_replacer_free(struct clinux_replacer *file, int milliseconds) {
  if (file->has_thread) {
    // A thread that waits for its disk still needs everything.
    if (clinux_replacer_finish(file, milliseconds) == -1) {
      return;
    }
    pthread_mutex_lock(&file->lock);
    file->is_ending = 1;
    pthread_cond_signal(&file->work);
    pthread_mutex_unlock(&file->lock);
    pthread_join(file->thread, NULL);
  }
  free(file->waiting);
  free(file->path);
  free(file->draft);
  free(file);
}
