/* SPDX-License-Identifier: MIT */
/* pthread_barrier_t, which Apple's systems lack. */
#ifndef ORTCFFI_TESTS_BARRIER_H_
#define ORTCFFI_TESTS_BARRIER_H_

#include <pthread.h>

#if defined(__APPLE__)
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t complete;
  unsigned wanted;
  unsigned waiting;
  unsigned round;
} pthread_barrier_t;

static inline int pthread_barrier_init(pthread_barrier_t* barrier, const void* attributes,
                                       unsigned wanted) {
  (void)attributes;
  barrier->wanted = wanted;
  barrier->waiting = barrier->round = 0;
  return pthread_mutex_init(&barrier->lock, NULL) | pthread_cond_init(&barrier->complete, NULL);
}

static inline int pthread_barrier_wait(pthread_barrier_t* barrier) {
  pthread_mutex_lock(&barrier->lock);
  unsigned round = barrier->round;
  if (++barrier->waiting == barrier->wanted) {
    barrier->waiting = 0;
    barrier->round++;
    pthread_cond_broadcast(&barrier->complete);
  }
  while (barrier->round == round) {
    pthread_cond_wait(&barrier->complete, &barrier->lock);
  }
  return pthread_mutex_unlock(&barrier->lock);
}

static inline int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  return pthread_cond_destroy(&barrier->complete) | pthread_mutex_destroy(&barrier->lock);
}
#endif

#endif /* ORTCFFI_TESTS_BARRIER_H_ */
