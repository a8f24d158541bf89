#ifndef CLINUX_THREADS_H
#define CLINUX_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <time.h>

// Starts a thread with a small stack, which takes no signal of the process; detached without a place for its
// name. Returns an error number, or 0.
static inline int start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t unnamed;
  if (thread == NULL) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    thread = &unnamed;
  }
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = pthread_create(thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

static inline struct timespec moment_after(long milliseconds) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  moment.tv_sec += milliseconds / 1000;
  moment.tv_nsec += milliseconds % 1000 * 1000000L;
  if (moment.tv_nsec >= 1000000000L) {
    moment.tv_sec += 1;
    moment.tv_nsec -= 1000000000L;
  }
  return moment;
}

#endif
