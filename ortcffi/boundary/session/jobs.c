/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous runs: ortcffi/session/asynchronous.py builds its futures on them.
 *
 *   Job
 *       A run on one of the threads of workers.c. It keeps its arguments until the run has ended.
 *   Mailbox(fd)
 *       A queue of jobs that have ended, filled without the GIL. The first job wakes the reader of
 *       `fd`.
 */
#include "boundary/session/jobs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "boundary/gil.h"

/* --- Mailbox -----------------------------------------------------------------------------------*/

struct mailbox {
  PyObject base;
  unsigned generation; /* how many forks there were when the lock was made */
  pthread_mutex_t lock;
  struct job* first;
  struct job* last;
  int fd;
};

static void make_lock(struct mailbox* box) {
  pthread_mutex_init(&box->lock, NULL);
  box->generation = ortcffi_process;
}

static PyObject* mailbox_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  int fd;
  if (!PyArg_ParseTuple(arguments, "i", &fd)) {
    return NULL;
  }
  struct mailbox* box = (struct mailbox*)PyType_GenericAlloc(type, 0);
  if (box != NULL) {
    make_lock(box);
    box->fd = fd;
  }
  return (PyObject*)box;
}

/* Puts a job into a mailbox, with the reference to it, unless the mailbox is closed. Without the
 * GIL.
 */
static int post_job(struct mailbox* box, struct job* job) {
  static const uint64_t one = 1; /* as an eventfd wants it; a pipe takes it as well */
  job->next = NULL;
  pthread_mutex_lock(&box->lock);
  int is_open = box->fd >= 0;
  if (is_open) {
    int is_first = box->first == NULL;
    *(is_first ? &box->first : &box->last->next) = job;
    box->last = job;
    while (is_first && write(box->fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
  pthread_mutex_unlock(&box->lock);
  return is_open;
}

/* In the child of a fork: a thread of the parent may have been in the middle of a change, with the
 * lock. */
static void forget_parent(struct mailbox* box) {
  if (box->generation != ortcffi_process) {
    make_lock(box);
    box->first = NULL;
  }
}

/* drain(): takes out all jobs, in the order in which they ended. */
static PyObject* drain(PyObject* self, PyObject* unused) {
  struct mailbox* box = (struct mailbox*)self;
  PyObject* list = PyList_New(0);
  if (list == NULL) {
    return NULL;
  }
  forget_parent(box);
  pthread_mutex_lock(&box->lock);
  struct job* job = box->first;
  box->first = NULL;
  pthread_mutex_unlock(&box->lock);
  int answer = 0;
  while (job != NULL) {
    struct job* next = job->next;
    answer |= PyList_Append(list, (PyObject*)job);
    Py_DECREF((PyObject*)job);
    job = next;
  }
  if (answer < 0) {
    Py_CLEAR(list);
  }
  return list;
}

/* close(): drops all jobs, and those that come later. */
static PyObject* close_mailbox(PyObject* self, PyObject* unused) {
  struct mailbox* box = (struct mailbox*)self;
  forget_parent(box);
  pthread_mutex_lock(&box->lock);
  box->fd = -1;
  pthread_mutex_unlock(&box->lock);
  PyObject* left = drain(self, unused);
  for (Py_ssize_t i = 0; left != NULL && i < PyList_Size(left); i++) {
    Py_CLEAR(((struct job*)PyList_GetItem(left, i))->owner); /* which may lead back to the job */
  }
  Py_XDECREF(left);
  return left == NULL ? NULL : Py_NewRef(Py_None);
}

static void mailbox_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject* done = close_mailbox(self, NULL);
  Py_XDECREF(done);
  pthread_mutex_destroy(&((struct mailbox*)self)->lock);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyMethodDef mailbox_methods[] = {
    {"drain", drain, METH_NOARGS, NULL},
    {"close", close_mailbox, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot mailbox_slots[] = {
    {Py_tp_new, (void*)mailbox_new},
    {Py_tp_dealloc, (void*)mailbox_dealloc},
    {Py_tp_methods, mailbox_methods},
    {0, NULL},
};

PyType_Spec ortcffi_mailbox_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Mailbox", struct mailbox, 0, mailbox_slots);

/* --- the end of a job --------------------------------------------------------------------------*/

atomic_size_t ortcffi_due_callbacks;

int ortcffi_is_for_mailbox(const struct job* job) {
  return Py_IS_TYPE(job->notify, ortcffi_mailbox_type);
}

static void call_notify(void* argument) {
  struct job* job = argument;
  atomic_fetch_sub(&ortcffi_due_callbacks, 1);
  if (!ortcffi_is_for_mailbox(job)) { /* which is closed */
    PyObject* done = PyObject_CallFunctionObjArgs(job->notify, job, NULL);
    if (done == NULL) {
      PyErr_WriteUnraisable(job->notify);
    }
    Py_XDECREF(done);
  }
  Py_CLEAR(job->notify); /* which may lead back to the job */
  Py_XDECREF(swap_pointer((void**)&job->owner, NULL));
  Py_DECREF((PyObject*)job);
}

void ortcffi_job_ended(struct job* job) {
  job->run.ended = ortcffi_now();
  atomic_fetch_add(&ortcffi_due_callbacks, 1);
  atomic_store(&job->run.is_done, 1);
  if (ortcffi_is_for_mailbox(job) && post_job((struct mailbox*)job->notify, job)) {
    atomic_fetch_sub(&ortcffi_due_callbacks, 1);
  } else {
    call_with_gil(call_notify, job);
  }
}

/* --- starting ----------------------------------------------------------------------------------*/

/* Makes a job of the first four arguments of _submit, without starting it. */
static struct job* new_job(PyObject* const* arguments) {
  struct job* job = (struct job*)PyType_GenericAlloc(ortcffi_job_type, 0);
  if (job != NULL) {
    job->notify = Py_NewRef(arguments[0]);
    job->owner = Py_NewRef(arguments[1]);
    job->as_values = arguments[2] == Py_True;
    if (ortcffi_is_for_mailbox(job)) {
      forget_parent((struct mailbox*)job->notify);
    }
    job->max_waiting = arguments[3] == Py_None ? -1 : PyLong_AsSsize_t(arguments[3]);
    if (PyErr_Occurred()) {
      Py_CLEAR(job);
    }
  }
  return job;
}

/* Gives the job to a thread; -1 with an exception. */
static int start_job(struct job* job) {
  struct session* session = job->run.session;
  job->run.queued = ortcffi_now();
  Py_INCREF((PyObject*)job); /* for the thread, until the job has ended */
  int answer = ortcffi_worker_start(job);
  if (answer == 0) {
    return 0;
  }
  Py_DECREF((PyObject*)job);
  if (answer == TOO_MANY_WAIT) {
    ortcffi_count_ending(session, OVERLOADED);
    ortcffi_session_refuse(session, "overload", PyLong_FromSsize_t(job->max_waiting));
  } else {
    PyErr_SetString(PyExc_RuntimeError, "no thread can be made for the run");
  }
  return -1;
}

/* _submit(notify, owner, as_values, max_waiting, feed=None, outputs=None, **keywords): a Job.
 * `notify` is a Mailbox, or a function that is called with the job on any thread; `owner` is any
 * object, for take_owner(). */
PyObject* ortcffi_session_submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                 PyObject* keywords) {
  struct request request = {0};
  PyObject* named[16];
  PyObject** more = NULL;
  if (count < 4) {
    PyErr_SetString(PyExc_TypeError, "_submit takes four arguments");
    return NULL;
  }
  struct job* job = new_job(arguments);
  if (job == NULL) {
    return NULL;
  }
  int answer = ortcffi_read_request(&request, arguments + 4, count - 4, keywords, named, &more);
  if (answer == 0) {
    answer = ortcffi_run_begin(&job->run, (struct session*)self, &request);
  }
  PyMem_Free(more);
  if (answer == 0) {
    job->run.job = job;
    ortcffi_run_link(&job->run);
    if (job->run.deadline > 0) {
      answer = ortcffi_supervise_deadline(&job->run);
    }
    answer = answer < 0 ? answer : start_job(job);
  }
  if (answer < 0) {
    Py_DECREF((PyObject*)job);
    return NULL;
  }
  return (PyObject*)job;
}

/* --- Job ---------------------------------------------------------------------------------------*/

/* To be called after the run, and before its status is released. */
static void count_run(struct job* job) {
  ortcffi_count_run(&job->run, job->run.ended - job->run.began, job->status);
}

static void end_run(struct job* job) {
  if (job->run.link != NULL) {
    ortcffi_run_unlink(&job->run);
  }
  ortcffi_run_end(&job->run);
  memset(&job->run, 0, sizeof job->run);
}

/* result(): of a job that has ended, once; or its exception. */
static PyObject* result(PyObject* self, PyObject* unused) {
  struct job* job = (struct job*)self;
  lock_list(LIST_OF_RUNS);
  int is_first = job->run.session != NULL && atomic_load(&job->run.is_done) && !job->is_taken;
  if (is_first) {
    job->is_taken = 1;
  }
  unlock_list(LIST_OF_RUNS);
  if (!is_first) {
    PyErr_SetString(PyExc_RuntimeError, "this Job has no result");
    return NULL;
  }
  PyObject* results = NULL;
  count_run(job);
  OrtStatus* status = job->status;
  job->status = NULL;
  if (status != NULL) {
    ortcffi_run_fail(&job->run, status, "Run");
  } else {
    results = ortcffi_run_results(&job->run, job->as_values);
  }
  end_run(job);
  return results;
}

static PyObject* cancel_job(PyObject* self, PyObject* unused) {
  struct job* job = (struct job*)self;
  lock_list(LIST_OF_RUNS);
  int is_running = !job->is_taken && job->run.session != NULL && !atomic_load(&job->run.is_done);
  if (is_running) {
    ortcffi_run_stop(&job->run, CANCELLED);
  }
  unlock_list(LIST_OF_RUNS);
  return PyBool_FromLong(is_running);
}

/* take_owner(): takes the owner out of the job. */
static PyObject* take_owner(PyObject* self, PyObject* unused) {
  struct job* job = (struct job*)self;
  PyObject* owner = swap_pointer((void**)&job->owner, NULL);
  return owner == NULL ? Py_NewRef(Py_None) : owner;
}

static void job_dealloc(PyObject* self) {
  struct job* job = (struct job*)self;
  PyTypeObject* type = Py_TYPE(self);
  if (job->run.session != NULL) {
    if (atomic_load(&job->run.is_done)) {
      count_run(job);
    }
    job->run.session->maker->api->ReleaseStatus(job->status);
    Py_CLEAR(job->run.failure.error);
    end_run(job);
  }
  Py_XDECREF(job->notify);
  Py_XDECREF(job->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyMethodDef job_methods[] = {
    {"result", result, METH_NOARGS, NULL},
    {"cancel", cancel_job, METH_NOARGS, NULL},
    {"take_owner", take_owner, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot job_slots[] = {
    {Py_tp_dealloc, (void*)job_dealloc},
    {Py_tp_methods, job_methods},
    {0, NULL},
};

PyType_Spec ortcffi_job_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Job", struct job, Py_TPFLAGS_DISALLOW_INSTANTIATION, job_slots);
