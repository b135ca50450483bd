/* SPDX-License-Identifier: MIT */
/* Threads that run the jobs of sessions whose own pool has no thread for them. See jobs.h. */
#include "boundary/session/jobs.h"

#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there_is_work = PTHREAD_COND_INITIALIZER;
static struct job* first;
static struct job* last;
static size_t waiting, idle, threads;

/* At most as many as there are processors: more would not end anything earlier. */
static size_t most_threads(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (size_t)count;
}

static struct job* next_job(void) {
  pthread_mutex_lock(&lock);
  idle++;
  while (first == NULL) {
    pthread_cond_wait(&there_is_work, &lock);
  }
  idle--;
  waiting--;
  struct job* job = first;
  first = job->next;
  pthread_mutex_unlock(&lock);
  return job;
}

static void* work(void* unused) {
  for (;;) {
    struct job* job = next_job();
    struct run* run = &job->run;
    const OrtApi* api = run->session->maker->api;
    ortcffi_work_for(&job->origin);
    OrtStatus* status =
        api->Run(ortcffi_session_object(run->session), run->options, run->input_names,
                 (const OrtValue* const*)run->inputs, run->input_count, run->output_names,
                 run->output_count, run->outputs);
    ortcffi_work_for(NULL);
    ortcffi_job_ended(job, run->outputs, run->output_count, status);
  }
  return unused;
}

static int add_thread(void) {
  int error = ortcffi_start_thread(work, NULL);
  threads += error == 0;
  return error;
}

/* An op in Python may wait for the run, on one of these threads. */
static int may_add_thread(void) { return threads < most_threads() || ortcffi_is_in_op(); }

int ortcffi_worker_start(struct job* job) {
  int answer = 0;
  pthread_mutex_lock(&lock);
  if (idle <= waiting && may_add_thread() && add_thread() != 0 && threads == 0) {
    answer = -1;
  } else {
    job->next = NULL;
    *(first == NULL ? &first : &last->next) = job;
    last = job;
    waiting++;
    pthread_cond_signal(&there_is_work);
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

void ortcffi_workers_forget(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&there_is_work, NULL);
  first = last = NULL;
  waiting = idle = threads = 0;
}
