/* SPDX-License-Identifier: MIT */
/*
 * A scope that looks for leaks records the stack of each allocation. To turn frames into lines
 * takes tens of microseconds in deep programs, but a program allocates at few places. So Python
 * does it once for each stack; after that, only addresses and offsets are compared, here.
 */
#include "boundary/limited_api.h"

#include "boundary/memory/stacks.h"

#include <pthread.h>

/* `Tracking.depth` is at most that. */
#define MOST_LINES 1000

struct line {
  uint64_t code;
  int64_t at;
};

static PyObject *owners, *numbers, *f_back, *f_lasti;

/* begin_stacks(owners, numbers): sets two dicts that Python fills: from the address of a code
 * object to the number of an owner, and from a stack to its number. A stack is the bytes of its
 * lines, the innermost first and the program's own last; a line is the address of its code and its
 * instruction's offset, 8 bytes each. */
static PyObject* begin_stacks(PyObject* module, PyObject* arguments) {
  f_back = PyUnicode_InternFromString("f_back");
  f_lasti = PyUnicode_InternFromString("f_lasti");
  if (f_back == NULL || f_lasti == NULL ||
      !PyArg_UnpackTuple(arguments, "begin_stacks", 2, 2, &owners, &numbers)) {
    return NULL;
  }
  Py_INCREF(owners);
  Py_INCREF(numbers);
  Py_RETURN_NONE;
}

/* An integer of a dict; -1 if the key is not in it. Takes the key's reference. */
static int64_t look_up(PyObject* dict, PyObject* key) {
  PyObject* found = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);
  Py_XDECREF(key);
  return found == NULL ? -1 : PyLong_AsLongLong(found);
}

/* The code that a frame runs, which lives as long as the frame. */
static void* code_of(PyObject* frame) {
  PyCodeObject* code = PyFrame_GetCode((PyFrameObject*)frame);
  Py_DECREF(code);
  return code;
}

/* The caller's frame, or NULL. Takes the frame's reference. */
static PyObject* caller_of(PyObject* frame) {
  PyObject* back = PyObject_GetAttr(frame, f_back);
  Py_DECREF(frame);
  if (back == Py_None) {
    Py_DECREF(back);
    return NULL;
  }
  return back;
}

static struct line line_of(PyObject* frame, const void* code) {
  PyObject* at = PyObject_GetAttr(frame, f_lasti);
  struct line line = {(uintptr_t)code, at == NULL ? -1 : PyLong_AsLongLong(at)};
  Py_XDECREF(at);
  return line;
}

int64_t ortcffi_known_stack(int depth) {
  struct line lines[MOST_LINES + 1], own;
  int count = 0, is_own = 0;
  PyObject* frame = (PyObject*)PyEval_GetFrame();
  if (frame == NULL) {
    return 0;
  }
  Py_INCREF(frame);
  int64_t owner = 0;
  while (frame != NULL && owner >= 0 && (!is_own || count < depth)) {
    void* code = code_of(frame);
    owner = look_up(owners, PyLong_FromVoidPtr(code));
    int is_shown = owner > ORTCFFI_CODE_OF_THIS_PACKAGE || count > 0;
    int is_first_own = !is_own && owner == ORTCFFI_CODE_OWN;
    if (is_first_own || (is_shown && count < depth)) {
      struct line line = line_of(frame, code);
      own = is_first_own || (count == 0 && !is_own) ? line : own;
      is_own |= is_first_own;
      if (count < depth) {
        lines[count++] = line;
      }
    }
    frame = caller_of(frame);
  }
  Py_XDECREF(frame);
  int64_t number = -1;
  if (owner >= 0 && count > 0) {
    lines[count++] = own;
    number = look_up(numbers,
                     PyBytes_FromStringAndSize((char*)lines, count * (Py_ssize_t)sizeof *lines));
  }
  PyErr_Clear();
  return number;
}

/* known_stack(depth): see ortcffi_known_stack. */
static PyObject* known_stack(PyObject* module, PyObject* depth) {
  long most = PyLong_AsLong(depth);
  return PyErr_Occurred() ? NULL : PyLong_FromLongLong(ortcffi_known_stack((int)most));
}

static PyMethodDef stack_functions[] = {
    {"begin_stacks", begin_stacks, METH_VARARGS, NULL},
    {"known_stack", known_stack, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_stacks(PyObject* module) { return PyModule_AddFunctions(module, stack_functions); }

/* --- runs on other threads ---------------------------------------------------------------------*/

/* Not a thread-local variable: a library that is loaded late has little room for those. */
static pthread_key_t worked_for;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key;

static void make_key(void) { has_key = pthread_key_create(&worked_for, NULL) == 0; }

void ortcffi_work_for(const ortcffi_origin* origin) {
  pthread_once(&once, make_key);
  if (has_key) {
    pthread_setspecific(worked_for, origin);
  }
}

ortcffi_origin ortcffi_works_for(void) {
  pthread_once(&once, make_key);
  const ortcffi_origin* origin = has_key ? pthread_getspecific(worked_for) : NULL;
  return origin != NULL ? *origin : (ortcffi_origin){0, 0};
}
