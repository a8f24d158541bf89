// Locks, and words in shared memory.
#include "waits.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/file.h>

static void by_flock(void) {
  int file = open("lock", O_RDWR | O_CREAT, 0600);
  if (outside) {
    flock(file, LOCK_EX);
    tell(0);
    cause();
    flock(file, LOCK_UN);
    return;
  }
  told();
  watch_line();
  waits();
  expect(!flock(file, LOCK_EX));
  seen();
}

static void by_fcntl(int set, int wait) {
  int file = open("lock", O_RDWR | O_CREAT, 0600);
  struct flock lock = {.l_type = F_WRLCK};
  if (outside) {
    fcntl(file, set, &lock);
    tell(0);
    cause();
    lock.l_type = F_UNLCK;
    fcntl(file, set, &lock);
    return;
  }
  told();
  watch_line();
  waits();
  expect(!fcntl(file, wait, &lock));
  seen();
}

static void by_setlkw(void) { by_fcntl(F_SETLK, F_SETLKW); }
static void by_ofd_setlkw(void) { by_fcntl(F_OFD_SETLK, F_OFD_SETLKW); }

static void by_futex(void) {
  uint32_t *word = share_page();
  if (outside) {
    cause();
    *word = 1;
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return;
  }
  watch_line();
  waits();
  while (*(volatile uint32_t *)word == 0) {
    syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
  }
  seen();
}

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  int is_set;
};

static void initialize(struct shared *shared) {
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &condition);
  sem_init(&shared->semaphore, 1, 0);
}

static void set(struct shared *shared) {
  pthread_mutex_lock(&shared->mutex);
  shared->is_set = 1;
  pthread_cond_signal(&shared->condition);
  pthread_mutex_unlock(&shared->mutex);
}

static void await(struct shared *shared) {
  watch_line();
  waits();
  pthread_mutex_lock(&shared->mutex);
  while (!shared->is_set) {
    pthread_cond_wait(&shared->condition, &shared->mutex);
  }
  seen();
}

static void by_condition(void) {
  struct shared *shared = share_page();
  if (!outside) {
    told();
    await(shared);
  }
  initialize(shared);
  tell(0);
  cause();
  set(shared);
}

// The child decides, by a byte from outside.
static void by_condition_of_child(void) {
  int end = share_pipe(1);
  char byte;
  if (outside) return strike(end);
  struct shared *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  initialize(shared);
  if (!split()) {
    if (read(end, &byte, 1) == 1) set(shared);
    _exit(0);
  }
  await(shared);
}

static void by_semaphore(void) {
  struct shared *shared = share_page();
  if (outside) {
    initialize(shared);
    tell(0);
    cause();
    sem_post(&shared->semaphore);
    return;
  }
  told();
  watch_line();
  waits();
  expect(!sem_wait(&shared->semaphore));
  seen();
}

static int end;
static sem_t own;

static void *post(void *unused) {
  char byte;
  if (read(end, &byte, 1) == 1) sem_post(&own);
  return unused;
}

// Another thread decides, by a byte from outside.
static void by_thread(void) {
  end = share_pipe(1);
  if (outside) return strike(end);
  start(post);
  waits();
  expect(!sem_wait(&own));
  seen();
}

const struct wait locks[] = {
    {"flock", by_flock},
    {"fcntl-setlkw", by_setlkw},
    {"fcntl-ofd-setlkw", by_ofd_setlkw},
    {"futex-shared", by_futex},
    {"condition-shared", by_condition},
    {"condition-child", by_condition_of_child},
    {"semaphore-shared", by_semaphore},
    {"semaphore-thread", by_thread},
    {0},
};
