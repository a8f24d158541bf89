#define _GNU_SOURCE
#include "CLinux.h"
#include "Threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct batch {
  char *bytes;
  size_t count, room;
  uint64_t mark;
};

struct clinux_appender {
  pthread_mutex_t lock;
  pthread_cond_t work, rest;
  pthread_t thread;
  int has_thread, is_busy, is_ending, is_hurried;
  struct batch waiting, taken;
  uint64_t written;
  struct clinux_append_failure failure;
  // The thread's own.
  char *path, *old, *head;
  size_t limit, size;
  int fd;
};

static int failed(struct clinux_append_failure *failure, const char *call) {
  *failure = (struct clinux_append_failure){.code = errno, .call = call};
  return -1;
}

// Half a line at the end is what a crash or a full disk has left.
static int cut_torn_line(int fd, size_t *size) {
  char end[CLINUX_APPENDED_LINE];
  size_t count = *size < sizeof end ? *size : sizeof end;
  if (count == 0) {
    return 0;
  }
  if (pread(fd, end, count, (off_t)(*size - count)) != (ssize_t)count) {
    return -1;
  }
  char *feed = memrchr(end, '\n', count);
  size_t torn = feed == NULL ? count : count - (size_t)(feed - end) - 1;
  if (torn > 0 && ftruncate(fd, (off_t)(*size - torn)) == -1) {
    return -1;
  }
  *size -= torn;
  return 0;
}

// The race: a child has a copy of the descriptor until it runs its program, and would keep the lock.
static void close_file(struct clinux_appender *file) {
  if (file->fd != -1) {
    flock(file->fd, LOCK_UN);
    close(file->fd);
    file->fd = -1;
  }
}

static int add(struct clinux_appender *file, const char *bytes, size_t count) {
  ssize_t written = write(file->fd, bytes, count);
  if (written == (ssize_t)count) {
    file->size += count;
    return 0;
  }
  int code = written == -1 ? errno : ENOSPC;
  if (written > 0 && ftruncate(file->fd, (off_t)file->size) == -1) {
    // The rest is cut off at the next opening.
    close_file(file);
  }
  errno = code;
  return -1;
}

// Somebody may have removed the folders as well.
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

static int open_file(struct clinux_appender *file, struct clinux_append_failure *failure) {
  int flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file->fd = open(file->path, flags, 0600);
  if (file->fd == -1 && errno == ENOENT) {
    make_folders(file->path);
    file->fd = open(file->path, flags, 0600);
  }
  if (file->fd == -1) {
    return failed(failure, "open");
  }
  struct stat status;
  const char *call = NULL;
  if (flock(file->fd, LOCK_EX | LOCK_NB) == -1) {
    call = "flock";
  } else if (fstat(file->fd, &status) == -1) {
    call = "fstat";
  } else if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    errno = EINVAL;
    call = "open";
  } else {
    file->size = (size_t)status.st_size;
    if (cut_torn_line(file->fd, &file->size) == -1) {
      call = "ftruncate";
    } else if (add(file, file->head, strlen(file->head)) == -1) {
      call = "write";
    }
  }
  if (call == NULL) {
    return 0;
  }
  failed(failure, call);
  close_file(file);
  return -1;
}

// Somebody may have removed the file.
static int is_named(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

static int append(struct clinux_appender *file, struct clinux_append_failure *failure) {
  const struct batch *batch = &file->taken;
  if (file->fd != -1 && !is_named(file->fd)) {
    close_file(file);
  }
  if (file->fd == -1 && open_file(file, failure) == -1) {
    return -1;
  }
  if (file->size + batch->count > file->limit) {
    if (rename(file->path, file->old) == -1) {
      return failed(failure, "rename");
    }
    close_file(file);
    if (open_file(file, failure) == -1) {
      return -1;
    }
  }
  return add(file, batch->bytes, batch->count) == -1 ? failed(failure, "write") : 0;
}

// Whoever hands lines over has others to serve now, who want the processor.
static void hold_back(struct clinux_appender *file) {
  struct timespec end = moment_after(CLINUX_APPENDER_DELAY);
  int code = 0;
  while (!file->is_hurried && code == 0) {
    code = pthread_cond_timedwait(&file->work, &file->lock, &end);
  }
}

static void *append_all(void *argument) {
  struct clinux_appender *file = argument;
  pthread_mutex_lock(&file->lock);
  while (1) {
    while (file->waiting.count == 0 && !file->is_ending) {
      file->is_busy = file->is_hurried = 0;
      pthread_cond_broadcast(&file->rest);
      pthread_cond_wait(&file->work, &file->lock);
    }
    if (file->waiting.count == 0) {
      break;
    }
    hold_back(file);
    struct batch empty = file->taken;
    file->taken = file->waiting;
    file->waiting = empty;
    file->waiting.count = 0;
    pthread_mutex_unlock(&file->lock);
    struct clinux_append_failure failure = {0};
    int code = append(file, &failure);
    pthread_mutex_lock(&file->lock);
    if (code == 0) {
      file->written = file->taken.mark;
    } else {
      // What waits behind must not come without what is missing.
      file->failure = failure;
      file->waiting.count = 0;
    }
  }
  file->is_busy = 0;
  pthread_cond_broadcast(&file->rest);
  pthread_mutex_unlock(&file->lock);
  return NULL;
}

struct clinux_appender *clinux_appender_make(const char *path, const char *head, size_t limit) {
  struct clinux_appender *file = calloc(1, sizeof *file);
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
  file->limit = limit;
  file->fd = -1;
  file->path = strdup(path);
  file->head = strdup(head);
  if (file->path == NULL || file->head == NULL || asprintf(&file->old, "%s.1", path) == -1) {
    file->old = NULL;
    clinux_appender_free(file, 0);
    return NULL;
  }
  return file;
}

static int take(struct batch *batch, const void *bytes, size_t count, uint64_t mark) {
  if (batch->count + count > CLINUX_APPENDER_ROOM) {
    return ENOBUFS;
  }
  if (batch->count + count > batch->room) {
    size_t room = batch->room == 0 ? 4096 : batch->room;
    while (room < batch->count + count) {
      room *= 2;
    }
    char *larger = realloc(batch->bytes, room);
    if (larger == NULL) {
      return ENOMEM;
    }
    *batch = (struct batch){.bytes = larger, .count = batch->count, .room = room};
  }
  memcpy(batch->bytes + batch->count, bytes, count);
  batch->count += count;
  batch->mark = mark;
  return 0;
}

int clinux_appender_append(struct clinux_appender *file, const void *bytes, size_t count, uint64_t mark) {
  pthread_mutex_lock(&file->lock);
  int code = file->failure.code != 0 ? EBUSY : 0;
  if (code == 0 && !file->has_thread) {
    code = start_thread(&file->thread, append_all, file);
    file->has_thread = code == 0;
  }
  int is_first = file->waiting.count == 0;
  if (code == 0) {
    code = take(&file->waiting, bytes, count, mark);
  }
  if (code == 0) {
    file->is_busy = 1;
    if (is_first) {
      pthread_cond_signal(&file->work);
    }
  }
  pthread_mutex_unlock(&file->lock);
  errno = code;
  return code == 0 ? 0 : -1;
}

struct clinux_append_failure clinux_appender_progress(struct clinux_appender *file, uint64_t *written) {
  pthread_mutex_lock(&file->lock);
  struct clinux_append_failure failure = file->failure;
  file->failure = (struct clinux_append_failure){0};
  *written = file->written;
  pthread_mutex_unlock(&file->lock);
  return failure;
}

int clinux_appender_finish(struct clinux_appender *file, int milliseconds) {
  struct timespec end = moment_after(milliseconds);
  pthread_mutex_lock(&file->lock);
  int code = 0;
  file->is_hurried = file->is_busy;
  pthread_cond_signal(&file->work);
  while (file->is_busy && code == 0) {
    code = pthread_cond_timedwait(&file->rest, &file->lock, &end);
  }
  pthread_mutex_unlock(&file->lock);
  errno = code;
  return code == 0 ? 0 : -1;
}

void clinux_appender_free(struct clinux_appender *file, int milliseconds) {
  if (file->has_thread) {
    // A thread that waits for its disk still needs everything.
    if (clinux_appender_finish(file, milliseconds) == -1) {
      return;
    }
    pthread_mutex_lock(&file->lock);
    file->is_ending = 1;
    pthread_cond_signal(&file->work);
    pthread_mutex_unlock(&file->lock);
    pthread_join(file->thread, NULL);
  }
  close_file(file);
  free(file->waiting.bytes);
  free(file->taken.bytes);
  free(file->path);
  free(file->old);
  free(file->head);
  free(file);
}
