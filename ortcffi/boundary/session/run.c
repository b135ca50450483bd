/* SPDX-License-Identifier: MIT */
/* Runs: from the call to its results. See session.h. */
#include <string.h>

#include "boundary/session/jobs.h"

/* --- runs under way ----------------------------------------------------------------------------*/

OrtRunOptions* ortcffi_take_options(struct session* session) {
  OrtRunOptions* options = swap_pointer((void**)&session->spare, NULL);
  if (options == NULL) {
    OrtStatus* status = session->maker->api->CreateRunOptions(&options);
    if (status != NULL) {
      ortcffi_value_fail(session->maker, status, "CreateRunOptions");
      return NULL;
    }
  }
  return options;
}

void ortcffi_set_terminate(const struct session* session, OrtRunOptions* options, int is_on) {
  const OrtApi* api = session->maker->api;
  OrtStatus* status =
      is_on ? api->RunOptionsSetTerminate(options) : api->RunOptionsUnsetTerminate(options);
  api->ReleaseStatus(status); /* neither can fail */
}

void ortcffi_give_options(struct session* session, OrtRunOptions* options, int is_terminated) {
  if (is_terminated) {
    ortcffi_set_terminate(session, options, 0);
  }
  if (ortcffi_session_object(session) != NULL) { /* what a closed session has would stay alive */
    options = swap_pointer((void**)&session->spare, options);
  }
  if (options != NULL) {
    session->maker->api->ReleaseRunOptions(options);
  }
}

struct run* ortcffi_runs;

void ortcffi_run_link(struct run* run) {
  lock_list(LIST_OF_RUNS);
  run->link = &ortcffi_runs;
  run->next = ortcffi_runs;
  if (run->next != NULL) {
    run->next->link = &run->next;
  }
  ortcffi_runs = run;
  unlock_list(LIST_OF_RUNS);
  ortcffi_count_running(run->session, 1);
}

void ortcffi_run_unlink(struct run* run) {
  lock_list(LIST_OF_RUNS);
  *run->link = run->next;
  if (run->next != NULL) {
    run->next->link = run->link;
  }
  unlock_list(LIST_OF_RUNS);
  ortcffi_count_running(run->session, -1);
}

/* A run of the forking thread itself goes on in the child, and takes itself out at its end. */
void ortcffi_runs_forget(void) {
  static struct run* forgotten;
  while (ortcffi_runs != NULL) {
    struct run* run = ortcffi_runs;
    ortcffi_runs = run->next;
    run->next = NULL;
    run->link = &forgotten;
  }
}

void ortcffi_run_stop(struct run* run, int ending) {
  if (run->ending != GOES_ON) {
    return;
  }
  run->ending = ending;
  if (run->job != NULL && ortcffi_worker_drop(run->job)) {
    run->ending = ending == TIMED_OUT ? EXPIRED : ending;
  } else {
    run->is_terminated = 1;
    ortcffi_set_terminate(run->session, run->options, 1);
  }
}

Py_ssize_t ortcffi_stop_all(const struct session* session) {
  Py_ssize_t count = 0;
  lock_list(LIST_OF_RUNS);
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    if ((session == NULL || run->session == session) && !atomic_load(&run->is_done)) {
      ortcffi_run_stop(run, CANCELLED);
      count++;
    }
  }
  unlock_list(LIST_OF_RUNS);
  return count;
}

static void raise_failure(struct run* run, OrtStatus* status, const char* function) {
  const struct maker* maker = run->session->maker;
  const char* message = maker->api->GetErrorMessage(status);
  OrtErrorCode code = maker->api->GetErrorCode(status);
  if (!ortcffi_is_refusal_of_arena(message) ||
      !ortcffi_is_no_memory((int)code, message, run->failure.error)) {
    (void)ortcffi_fail_because(maker->api, status, function, run->failure.error);
    return;
  }
  PyObject* text = ortcffi_text(message);
  maker->api->ReleaseStatus(status);
  ortcffi_session_refuse(run->session, "memory",
                         text == NULL ? NULL : Py_BuildValue("(Ns)", text, function));
  ortcffi_add_cause(run->failure.error);
}

void ortcffi_run_fail(struct run* run, OrtStatus* status, const char* function) {
  const struct maker* maker = run->session->maker;
  if (run->ending == GOES_ON) {
    raise_failure(run, status, function);
    return;
  }
  maker->api->ReleaseStatus(status);
  PyObject* error = run->failure.error;
  if (error != NULL && PyObject_IsInstance(error, PyExc_Exception) == 0) {
    ortcffi_add_cause(error); /* such as SystemExit, which is raised itself */
    return;
  }
  Py_XDECREF(error); /* what an op raised for the same reason */
  if (run->ending == INTERRUPTED && PyErr_CheckSignals() < 0) {
    return; /* with what the handler of the signal raised */
  }
  ortcffi_session_refuse(run->session, "end", Py_BuildValue("(id)", run->ending, run->timeout));
}

/* --- results -----------------------------------------------------------------------------------*/

/* The owner of an output's memory if the model returns an input as that output; NULL if the library
 * owns it. The library keeps no array alive, so the output must. */
static PyObject* input_behind(const struct run* run, size_t i) {
  const struct ports* inputs = &run->session->inputs;
  for (size_t j = 0; run->session->passes_inputs && j < inputs->count; j++) {
    PyObject* holder = run->holders[j];
    if (holder != NULL && strcmp(inputs->items[j].text, run->output_names[i]) == 0) {
      if (PyObject_TypeCheck(holder, ortcffi_tensor_type)) {
        ortcffi_value_hold((struct value*)holder);
      }
      return holder;
    }
  }
  return NULL;
}

/* A list of what the memory of the session's outputs may come from: providers and allocators, which
 * the library does not keep. NULL for nothing. */
static PyObject* memory_of(const struct session* session) {
  PyObject* memory = PyTuple_GetItem(session->life.parents, 0);
  return PyList_Size(memory) == 0 ? NULL : memory;
}

/* The same and all inputs that are no tensors: a sequence that the run makes may share tensors with
 * one of them. NULL with an exception. */
static PyObject* containers_behind(const struct run* run) {
  const struct ports* inputs = &run->session->inputs;
  PyObject* memory = memory_of(run->session);
  PyObject* found = PyList_New(0);
  if (found != NULL && memory != NULL && PyList_Append(found, memory) < 0) {
    Py_CLEAR(found);
  }
  for (size_t j = 0; found != NULL && j < inputs->count; j++) {
    PyObject* holder = run->holders[j];
    if (holder == NULL || inputs->items[j].kind == ONNX_TYPE_TENSOR) {
      continue;
    }
    if (PyObject_TypeCheck(holder, ortcffi_tensor_type)) {
      ortcffi_value_hold((struct value*)holder);
    }
    if (PyList_Append(found, holder) < 0) {
      Py_CLEAR(found);
    }
  }
  PyObject* tuple = found == NULL ? NULL : PyList_AsTuple(found);
  Py_XDECREF(found);
  return tuple;
}

/* A new Value that owns an output; NULL with an exception. */
static struct value* value_of(struct run* run, size_t i, PyObject* input) {
  const struct session* session = run->session;
  OrtValue* handle = run->outputs[i];
  int is_container = run->output_ports[i]->kind != ONNX_TYPE_TENSOR && input == NULL;
  PyObject* containers = is_container ? containers_behind(run) : NULL;
  if (is_container && containers == NULL) {
    return NULL;
  }
  run->outputs[i] = NULL;
  PyObject* parent = is_container ? containers : input;
  parent = parent == NULL ? memory_of(session) : parent;
  struct value* value = ortcffi_new_value(session->value_type, session->maker, handle, parent);
  Py_XDECREF(containers);
  return value;
}

/* Whether an optional output holds nothing. ONNX Runtime crashes when it is asked for the kind of
 * such a value. */
static int is_nothing(const struct session* session, const OrtValue* value) {
  int has_value = 1;
  if (session->gives_optional) {
    const OrtApi* api = session->maker->api;
    api->ReleaseStatus(api->HasValue(value, &has_value));
  }
  return !has_value;
}

/* Up to so many bytes are freed with the GIL held, because that takes no time. */
#define SMALL (256 * 1024)

/* How a sequence or a map is converted. */
static struct contents contents_for(const struct session* session, int member) {
  PyObject* function = session->rules.contents == Py_None ? NULL : session->rules.contents;
  return (struct contents){
      .maker = session->maker, .type = session->value_type, .function = function, .member = member};
}

/* What a run returns for a sequence or a map, which is released. */
static PyObject* take_contents(const struct session* session, OrtValue* value,
                               const struct port* port) {
  struct contents how = contents_for(session, port->member);
  PyObject* contents = ortcffi_contents(&how, value, port->kind);
  if (contents != NULL && !session->calls_python && how.bytes <= SMALL) {
    session->maker->api->ReleaseValue(value);
    return contents;
  }
  Py_BEGIN_ALLOW_THREADS; /* a release may block */
  session->maker->api->ReleaseValue(value);
  Py_END_ALLOW_THREADS;
  return contents;
}

/* What a run returns for a value of that kind, which may have the memory of an input. */
static PyObject* convert_result(struct session* session, struct value* value, int kind,
                                int is_input) {
  if (kind == ONNX_TYPE_TENSOR) {
    if (ortcffi_value_shape(value) < 0) {
      return NULL;
    }
    if (!session->calls_python && ortcffi_value_bytes(value) <= SMALL &&
        value->element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      value->life.is_quick = 1;
    }
    int is_of_numpy = value->element <= ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128;
    if (is_of_numpy && !is_input) {
      return session->rules.contents == Py_None
                 ? ortcffi_value_numpy((PyObject*)value, NULL, 0, NULL)
                 : ortcffi_value_array((PyObject*)value, NULL);
    }
  }
  if (kind == ONNX_TYPE_SEQUENCE || kind == ONNX_TYPE_MAP) {
    struct contents how = contents_for(session, ONNX_TYPE_UNKNOWN);
    return ortcffi_contents(&how, ortcffi_value_object(value), kind);
  }
  return kind < 0 ? NULL
                  : PyObject_CallFunctionObjArgs(session->rules.result, value,
                                                 is_input ? Py_True : Py_False, NULL);
}

/* convert_result again after it failed, with the kind that the value itself has: for a sparse
 * initializer that is an output, the library states a dense tensor. If the kind is no other one,
 * the exception stays. */
static PyObject* convert_other(struct session* session, struct value* value, int is_input) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  value->has_kind = 0;
  int kind = ortcffi_value_kind(value);
  if (kind < 0) {
    PyErr_Clear();
  }
  if (kind < 0 || kind == ONNX_TYPE_TENSOR) {
    PyErr_Restore(type, error, trace);
    return NULL;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return convert_result(session, value, kind, is_input);
}

/* One result; the value is taken over by a Python object. */
static PyObject* result_of(struct run* run, size_t i, int as_value) {
  struct session* session = run->session;
  const struct port* port = run->output_ports[i];
  OrtValue* handle = run->outputs[i];
  if (!as_value && (port->kind == ONNX_TYPE_SEQUENCE || port->kind == ONNX_TYPE_MAP)) {
    run->outputs[i] = NULL;
    return take_contents(session, handle, port);
  }
  PyObject* input = input_behind(run, i);
  struct value* value = value_of(run, i, input);
  if (value == NULL || as_value) {
    return (PyObject*)value;
  }
  if (is_nothing(session, handle)) {
    Py_DECREF((PyObject*)value);
    return Py_NewRef(Py_None);
  }
  value->is_on_cpu = (char)port->is_on_cpu;
  value->has_kind =
      port->kind == ONNX_TYPE_TENSOR; /* the model states it, and is nearly always right */
  value->kind = port->kind;
  PyObject* result = convert_result(session, value, ortcffi_value_kind(value), input != NULL);
  if (result == NULL && port->kind == ONNX_TYPE_TENSOR) {
    result = convert_other(session, value, input != NULL);
  }
  Py_DECREF((PyObject*)value);
  return result;
}

PyObject* ortcffi_run_results(struct run* run, int as_values) {
  PyObject* list = PyList_New((Py_ssize_t)run->output_count);
  for (size_t i = 0; list != NULL && i < run->output_count; i++) {
    ortcffi_put_in_list(
        &list, i,
        run->targets[i] != NULL ? Py_NewRef(run->targets[i]) : result_of(run, i, as_values));
  }
  return list;
}

/* --- the call ----------------------------------------------------------------------------------*/

OrtStatus* ortcffi_call_run(struct run* run) {
  const OrtApi* api = run->session->maker->api;
  OrtSession* handle = ortcffi_session_object(run->session);
  struct ortcffi_call call;
  ortcffi_call_begin(&call);
  OrtStatus* status =
      run->bound != NULL
          ? api->RunWithBinding(handle, run->options, run->bound)
          : api->Run(handle, run->options, run->input_names, (const OrtValue* const*)run->inputs,
                     run->input_count, run->output_names, run->output_count, run->outputs);
  if (ortcffi_call_end(&call, status, "Run") != NULL) {
    run->failure = ortcffi_take_failure(status);
  }
  return status;
}

/* -1 with an exception where the handler of a signal raised before the run. */
static int perform_without_gil(struct run* run, OrtStatus** status) {
  double began = ortcffi_now(), ended = began;
  ortcffi_run_link(run);
  int answer = ortcffi_supervise_begin(run, began);
  if (answer == 0) {
    Py_BEGIN_ALLOW_THREADS;
    *status = ortcffi_call_run(run);
    ended = ortcffi_now();
    Py_END_ALLOW_THREADS;
    ortcffi_supervise_end(run);
  }
  ortcffi_run_unlink(run); /* from here on nobody ends it early */
  if (answer == 0) {
    ortcffi_count_run(run, ended - began, *status);
  }
  return answer;
}

int ortcffi_run_perform(struct run* run, const char* function) {
  OrtStatus* status = NULL;
  if (perform_without_gil(run, &status) < 0) {
    return -1;
  }
  if (status != NULL) {
    ortcffi_supervise_exit();
    ortcffi_run_fail(run, status, function);
    return -1;
  }
  return 0;
}

static PyObject* run_once(struct session* session, const struct request* request) {
  struct run run;
  PyObject* results = NULL;
  if (ortcffi_run_begin(&run, session, request) == 0 && ortcffi_run_perform(&run, "Run") == 0) {
    results = ortcffi_run_results(&run, request->as_values);
  }
  ortcffi_run_end(&run);
  return results;
}

/* The place of a parameter of `run`; NULL for any other name, which is that of an input. */
static PyObject** parameter(struct request* request, PyObject* name) {
  static const char* const names[] = {"feed", "outputs", "options", "out", "timeout"};
  PyObject** places[] = {&request->feed, &request->outputs, &request->options, &request->out,
                         &request->timeout};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) {
      return places[i];
    }
  }
  return NULL;
}

/* Sorts keywords into parameters and inputs. `named` is room for as many as there are. */
static int read_keywords(struct request* request, PyObject* const* values, PyObject** named) {
  Py_ssize_t count = PyTuple_Size(request->keywords);
  request->named = named;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* name = PyTuple_GetItem(request->keywords, i);
    PyObject** place = parameter(request, name);
    named[i] = place == NULL ? values[i] : NULL;
    if (place == NULL) {
      continue;
    }
    if (*place != NULL) {
      PyErr_Format(PyExc_TypeError, "%U was given twice", name);
      return -1;
    }
    *place = values[i];
  }
  return 0;
}

int ortcffi_read_request(struct request* request, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keywords, PyObject** named, PyObject*** more) {
  if (count > 2) {
    PyErr_Format(PyExc_TypeError, "run takes feed and outputs by position, but got %zd arguments",
                 count);
    return -1;
  }
  request->feed = count > 0 ? arguments[0] : NULL;
  request->outputs = count > 1 ? arguments[1] : NULL;
  request->keywords = keywords;
  if (keywords != NULL && PyTuple_Size(keywords) > 16) {
    named = *more = PyMem_Malloc((size_t)PyTuple_Size(keywords) * sizeof *named);
    if (named == NULL) {
      PyErr_NoMemory();
      return -1;
    }
  }
  if (keywords != NULL && read_keywords(request, arguments + count, named) < 0) {
    return -1;
  }
  PyObject** places[] = {&request->feed, &request->outputs, &request->options, &request->out,
                         &request->timeout};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    *places[i] = *places[i] == Py_None ? NULL : *places[i];
  }
  return 0;
}

static PyObject* run_with(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                          PyObject* keywords, int as_values) {
  struct request request = {.as_values = as_values};
  PyObject* named[16];
  PyObject** more = NULL;
  PyObject* results = NULL;
  if (ortcffi_read_request(&request, arguments, count, keywords, named, &more) == 0) {
    results = run_once((struct session*)self, &request);
  }
  PyMem_Free(more);
  return results;
}

PyObject* ortcffi_session_run(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
  return run_with(self, arguments, count, keywords, 0);
}

PyObject* ortcffi_session_run_values(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                     PyObject* keywords) {
  return run_with(self, arguments, count, keywords, 1);
}
