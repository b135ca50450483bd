/* SPDX-License-Identifier: MIT */
/*
 * Threads that run jobs. See jobs.h.
 *
 * A session has as many jobs under way as there are processors, since more would not end anything
 * earlier; the others wait in a queue of the session, so that no other session waits for them. A
 * job that an op in Python has started begins at once, because the op may wait for it.
 *
 * A thread gives the next job of the session its place before it tells of the end of its own, and a
 * thread is added where none is idle: so a callback may block, or wait for another run.
 */
#include "boundary/session/jobs.h"

#include "platform/platform.h"

static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there_is_work = PTHREAD_COND_INITIALIZER;
static struct queue ready; /* for the next thread */
static size_t idle_workers, workers;

/* --- queues; they need the lock ----------------------------------------------------------------*/

static void append(struct queue* queue, struct job* job) {
  struct job** end = queue->first == NULL ? &queue->first : queue->end;
  job->next = NULL;
  job->link = end;
  job->queue = queue;
  *end = job;
  queue->end = &job->next;
  queue->count++;
}

static void take_out(struct job* job) {
  *job->link = job->next;
  if (job->next != NULL) {
    job->next->link = job->link;
  } else {
    job->queue->end = job->link;
  }
  job->link = NULL;
  job->queue->count--;
}

/* How many jobs a session has under way at most. */
static size_t most_begun(void) {
  static size_t most;
  if (most == 0) {
    most = core_processor_count();
  }
  return most;
}

static void* run_jobs(void* unused);

/* Queues a job for the next thread; -1 if there is none at all. Where none is idle one is added,
 * unless the calling thread takes the next job itself. Otherwise `unlock_and_wake` must follow. */
static int make_ready(struct job* job, int takes_next) {
  if (!takes_next && idle_workers <= ready.count) {
    workers += ortcffi_start_thread(run_jobs, NULL) == 0;
  }
  if (workers == 0) {
    return -1;
  }
  append(&ready, job);
  return 0;
}

/* In this order: a thread that woke before would sleep again until it has the lock. */
static void unlock_and_wake(int is_ready) {
  pthread_mutex_unlock(&workers_lock);
  if (is_ready) {
    pthread_cond_signal(&there_is_work);
  }
}

/* --- threads -----------------------------------------------------------------------------------*/

static struct job* next_job(void) {
  pthread_mutex_lock(&workers_lock);
  idle_workers++;
  while (ready.first == NULL) {
    pthread_cond_wait(&there_is_work, &workers_lock);
  }
  idle_workers--;
  struct job* job = ready.first;
  take_out(job);
  pthread_mutex_unlock(&workers_lock);
  return job;
}

/* Lets the next job of a session have the place of one that has ended. */
static void pass_on(struct work* work, int takes_next) {
  pthread_mutex_lock(&workers_lock);
  struct job* next = work->waiting.first;
  int is_next = next != NULL && work->begun <= most_begun();
  if (is_next) {
    take_out(next);
    make_ready(next, takes_next); /* there is this thread */
  } else {
    work->begun--;
  }
  unlock_and_wake(is_next && !takes_next);
}

static void* run_jobs(void* unused) {
  for (;;) {
    struct job* job = next_job();
    struct run* run = &job->run;
    if (job->is_dropped) {
      job->status = run->session->maker->api->CreateStatus(ORT_FAIL, "the run has not begun");
    } else {
      run->began = ortcffi_now();
      job->status = ortcffi_call_run(run);
    }
    pass_on(&run->session->work, ortcffi_is_for_mailbox(job)); /* which takes no time */
    ortcffi_job_ended(job);
  }
  return unused;
}

/* --- starting ----------------------------------------------------------------------------------*/

static struct work* work_of(struct session* session) {
  struct work* work = &session->work;
  if (work->process != ortcffi_process) {
    *work = (struct work){.process = ortcffi_process};
  }
  return work;
}

int ortcffi_worker_start(struct job* job) {
  int answer = 0;
  pthread_mutex_lock(&workers_lock);
  struct work* work = work_of(job->run.session);
  job->process = ortcffi_process;
  int must_wait = work->begun >= most_begun() && !ortcffi_is_in_op() && !job->is_dropped;
  if (must_wait && job->max_waiting >= 0 && work->waiting.count >= (size_t)job->max_waiting) {
    must_wait = 0;
    answer = TOO_MANY_WAIT;
  } else if (must_wait) {
    append(&work->waiting, job);
  } else {
    answer = make_ready(job, 0);
    work->begun += answer == 0;
  }
  unlock_and_wake(!must_wait);
  return answer;
}

int ortcffi_worker_drop(struct job* job) {
  pthread_mutex_lock(&workers_lock);
  int is_early = job->process == 0; /* ortcffi_worker_start is still to come */
  int was_queued = is_early || (job->link != NULL && job->process == ortcffi_process);
  job->is_dropped = (char)was_queued;
  int is_waiting = was_queued && !is_early && job->queue != &ready;
  if (is_waiting) { /* a thread tells of its end at once */
    take_out(job);
    job->run.session->work.begun++;
    make_ready(job, 0); /* there are those of the jobs that it waits for */
  }
  unlock_and_wake(is_waiting);
  return was_queued;
}

void ortcffi_workers_forget(void) {
  pthread_mutex_init(&workers_lock, NULL);
  pthread_cond_init(&there_is_work, NULL);
  ready = (struct queue){0};
  idle_workers = workers = 0;
  atomic_store(&ortcffi_due_callbacks, 0);
}
