#define _GNU_SOURCE
#include "CLinux.h"
#include "History.h"
#include "Paging.h"
#include "Threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum stage { IDLE, QUEUED, RUNNING, FINISHED };

struct clinux_compaction {
  struct clinux_compactor *compactor;
  struct clinux_compaction *next;
  uint64_t id;
  // Under the compactor's lock.
  enum stage stage;
  int is_dropped;
  struct clinux_compaction_result result;
  // Written by the loop, read between two steps.
  int is_stopped;
  // The thread's own while it runs.
  pid_t *pids;
  size_t count;
  int reclaim, was_reclaimed;
  struct histories histories;
};

struct clinux_compactor {
  pthread_mutex_t lock;
  struct clinux_compaction *all;
  int news, has_thread;
};

static int is_stopped(const struct clinux_compaction *program) {
  return __atomic_load_n(&program->is_stopped, __ATOMIC_ACQUIRE);
}

static uint64_t resident(pid_t pid) {
  char text[128];
  ssize_t count = -1;
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/statm", pid);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd != -1) {
    count = read(fd, text, sizeof text - 1);
    close(fd);
  }
  if (count <= 0) {
    return 0;
  }
  text[count] = '\0';
  unsigned long long size = 0, pages = 0;
  return sscanf(text, "%llu %llu", &size, &pages) == 2 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static uint64_t resident_of_all(const struct clinux_compaction *program) {
  uint64_t bytes = 0;
  for (size_t index = 0; index < program->count; index++) {
    bytes += resident(program->pids[index]);
  }
  return bytes;
}

// memory.reclaim needs no right over the processes, but nobody tells it what came back: once.
static int reclaim(struct clinux_compaction *program, uint64_t bytes) {
  if (program->reclaim == -1 || program->was_reclaimed) {
    return -1;
  }
  for (uint64_t asked = 0; asked < bytes; asked += CLINUX_COMPACTION_STEP) {
    if (is_stopped(program)) {
      return 1;
    }
    char text[32];
    int count = snprintf(text, sizeof text, "%d", CLINUX_COMPACTION_STEP);
    if (write(program->reclaim, text, (size_t)count) == -1) {
      if (errno != EAGAIN && asked == 0) {
        return -1;
      }
      break;
    }
  }
  program->was_reclaimed = 1;
  return 0;
}

static struct clinux_compaction_result compact(struct clinux_compaction *program) {
  struct clinux_compaction_result result = {.id = program->id, .before = resident_of_all(program)};
  clinux_forget_ended(&program->histories);
  int code = 0, failures = 0;
  for (size_t index = 0; index < program->count && code != 1; index++) {
    errno = 0;
    code = is_stopped(program)
               ? 1
               : clinux_page_out(program->pids[index], &program->histories, &program->is_stopped);
    if (code == -1) {
      failures++;
    }
  }
  if (code != 1 && failures > 0) {
    code = reclaim(program, result.before);
    result.is_refused = code == -1;
  }
  result.was_stopped = code == 1;
  result.after = resident_of_all(program);
  return result;
}

static void give_back(struct clinux_compaction *program) {
  for (size_t index = 0; index < program->histories.count; index++) {
    history_free(&program->histories.all[index]);
  }
  if (program->reclaim != -1) {
    close(program->reclaim);
  }
  free(program->histories.all);
  free(program->pids);
  free(program);
}

static void unlink_from(struct clinux_compactor *compactor, const struct clinux_compaction *program) {
  struct clinux_compaction **place = &compactor->all;
  while (*place != NULL && *place != program) {
    place = &(*place)->next;
  }
  if (*place != NULL) {
    *place = program->next;
  }
}

static struct clinux_compaction *next(struct clinux_compactor *compactor, enum stage stage) {
  struct clinux_compaction *program = compactor->all;
  while (program != NULL && program->stage != stage) {
    program = program->next;
  }
  return program;
}

static void *compact_all(void *argument) {
  struct clinux_compactor *compactor = argument;
  pthread_mutex_lock(&compactor->lock);
  for (struct clinux_compaction *program = next(compactor, QUEUED); program != NULL;
       program = next(compactor, QUEUED)) {
    program->stage = RUNNING;
    pthread_mutex_unlock(&compactor->lock);
    struct clinux_compaction_result result = compact(program);
    pthread_mutex_lock(&compactor->lock);
    if (program->is_dropped) {
      unlink_from(compactor, program);
      give_back(program);
      continue;
    }
    program->result = result;
    program->stage = FINISHED;
    uint64_t one = 1;
    ssize_t told = write(compactor->news, &one, sizeof one);
    (void)told;
  }
  compactor->has_thread = 0;
  pthread_mutex_unlock(&compactor->lock);
  return NULL;
}

struct clinux_compactor *clinux_compactor_make(int news) {
  struct clinux_compactor *compactor = calloc(1, sizeof *compactor);
  if (compactor != NULL) {
    pthread_mutex_init(&compactor->lock, NULL);
    compactor->news = news;
  }
  return compactor;
}

struct clinux_compaction *clinux_compaction_make(struct clinux_compactor *compactor, uint64_t id,
                                                 int reclaim) {
  struct clinux_compaction *program = calloc(1, sizeof *program);
  if (program == NULL) {
    return NULL;
  }
  program->compactor = compactor;
  program->id = id;
  program->reclaim = reclaim;
  pthread_mutex_lock(&compactor->lock);
  program->next = compactor->all;
  compactor->all = program;
  pthread_mutex_unlock(&compactor->lock);
  return program;
}

int clinux_compaction_start(struct clinux_compaction *program, const pid_t *pids, size_t count) {
  struct clinux_compactor *compactor = program->compactor;
  int code = 0;
  pthread_mutex_lock(&compactor->lock);
  pid_t *copy = program->stage == IDLE ? malloc((count > 0 ? count : 1) * sizeof *copy) : NULL;
  if (copy == NULL) {
    code = program->stage == IDLE ? ENOMEM : EBUSY;
  } else {
    memcpy(copy, pids, count * sizeof *copy);
    free(program->pids);
    program->pids = copy;
    program->count = count;
    program->stage = QUEUED;
    __atomic_store_n(&program->is_stopped, 0, __ATOMIC_RELEASE);
    if (!compactor->has_thread) {
      code = start_thread(NULL, compact_all, compactor);
      compactor->has_thread = code == 0;
      program->stage = code == 0 ? QUEUED : IDLE;
    }
  }
  pthread_mutex_unlock(&compactor->lock);
  errno = code;
  return code == 0 ? 0 : -1;
}

void clinux_compaction_stop(struct clinux_compaction *program) {
  __atomic_store_n(&program->is_stopped, 1, __ATOMIC_RELEASE);
}

int clinux_compactor_result(struct clinux_compactor *compactor, struct clinux_compaction_result *result) {
  pthread_mutex_lock(&compactor->lock);
  struct clinux_compaction *program = next(compactor, FINISHED);
  if (program != NULL) {
    *result = program->result;
    program->stage = IDLE;
  }
  pthread_mutex_unlock(&compactor->lock);
  return program != NULL;
}

void clinux_compaction_drop(struct clinux_compaction *program) {
  struct clinux_compactor *compactor = program->compactor;
  clinux_compaction_stop(program);
  pthread_mutex_lock(&compactor->lock);
  int is_running = program->stage == RUNNING;
  program->is_dropped = 1;
  if (!is_running) {
    unlink_from(compactor, program);
    give_back(program);
  }
  pthread_mutex_unlock(&compactor->lock);
}
