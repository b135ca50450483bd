/* SPDX-License-Identifier: MIT */
/* Runs: from Python's arguments to the library's. See session.h. */
#include <string.h>

#include "boundary/session/session.h"

/* --- room --------------------------------------------------------------------------------------*/

/* Divides the room for a run into its arrays. */
static int take_room(struct run* run, size_t ports, size_t outputs) {
  size_t count = 4 * ports + 4 * outputs;
  run->room = run->few;
  if (count > sizeof run->few / sizeof *run->few) {
    run->room = PyMem_Malloc(count * sizeof(void*));
    if (run->room == NULL) {
      PyErr_NoMemory();
      return -1;
    }
  }
  memset(run->room, 0, count * sizeof(void*));
  void** next = run->room;
  run->given = (OrtValue**)next;
  run->holders = (PyObject**)(next += ports);
  run->inputs = (OrtValue**)(next += ports);
  run->input_names = (const char**)(next += ports);
  run->outputs = (OrtValue**)(next += ports);
  run->output_names = (const char**)(next += outputs);
  run->output_ports = (const struct port**)(next += outputs);
  run->targets = (PyObject**)(next += outputs);
  return 0;
}

/* --- inputs ------------------------------------------------------------------------------------*/

/* The Value inside an object of the rules' type `wrapper`, or the object itself. */
static PyObject* value_in(const struct session* session, PyObject* x) {
  static PyObject* name;
  if ((PyObject*)Py_TYPE(x) != session->rules.wrapper) {
    return Py_NewRef(x);
  }
  PyObject* known = object_made(&name);
  if (known == NULL) {
    known = keep_first(&name, PyUnicode_InternFromString("_value"));
  }
  PyObject* value = known == NULL ? NULL : PyObject_GetAttr(x, known);
  PyErr_Clear(); /* Python refuses one without */
  return value == NULL ? Py_NewRef(x) : value;
}

/* Makes or finds the value of an input: 1; 0 if only the rules can convert it; -1 with an
 * exception. */
static int take_input(struct run* run, Py_ssize_t place, PyObject* x) {
  struct session* session = run->session;
  struct port* port = &session->inputs.items[place];
  OrtValue** given = &run->given[place];
  PyObject** holder = &run->holders[place];
  PyObject* value = value_in(session, x);
  int taken = ortcffi_use_value(session, port, value, given, holder, &run->bytes);
  Py_DECREF(value);
  if (taken == 0) {
    taken = ortcffi_make_input(session, port, x, given, &run->bytes);
    *holder = taken == 1 ? Py_NewRef(x) : NULL;
  }
  return taken;
}

static int add_input(struct run* run, const struct request* request, size_t guess, PyObject* name,
                     PyObject* x) {
  Py_ssize_t place = ortcffi_find_port(&run->session->inputs, name, guess);
  if (place < 0 || run->holders[place] != NULL) {
    return NOT_TAKEN;
  }
  if (request->is_converted) {
    int answer = ortcffi_hold_value(x, &run->given[place], &run->holders[place]);
    run->bytes += answer < 0 ? 0 : ortcffi_tensor_bytes(x);
    return answer;
  }
  int taken = take_input(run, place, x);
  return taken == 1 ? TAKEN : taken == 0 ? NOT_TAKEN : FAILED;
}

static int add_items(struct run* run, const struct request* request) {
  PyObject *key, *x, *feed = request->feed;
  Py_ssize_t place = 0;
  size_t guess = 0;
  Py_ssize_t count = PyDict_Size(feed);
  while (PyDict_Next(feed, &place, &key, &x)) {
    /* A conversion may run Python, which may remove the borrowed key from the dict. */
    Py_INCREF(key);
    Py_INCREF(x);
    int answer = add_input(run, request, guess++, key, x);
    Py_DECREF(key);
    Py_DECREF(x);
    if (answer != TAKEN) {
      return answer;
    }
    if (PyDict_Size(feed) != count) {
      PyErr_SetString(PyExc_RuntimeError, "feed changed while its arrays were converted");
      return FAILED;
    }
  }
  return TAKEN;
}

static int add_feed(struct run* run, const struct request* request) {
  int answer = NOT_TAKEN;
  if (PyDict_CheckExact(request->feed)) {
    ORTCFFI_CRITICAL_BEGIN(request->feed);
    answer = add_items(run, request);
    ORTCFFI_CRITICAL_END();
  }
  return answer;
}

static int add_named(struct run* run, const struct request* request) {
  Py_ssize_t count = request->keywords == NULL ? 0 : PyTuple_Size(request->keywords);
  size_t guess = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (request->named[i] == NULL) {
      continue; /* a parameter */
    }
    PyObject* name = PyTuple_GetItem(request->keywords, i);
    int answer = add_input(run, request, guess++, name, request->named[i]);
    if (answer != TAKEN) {
      return answer;
    }
  }
  return TAKEN;
}

/* Puts the inputs that were given next to each other. */
static int gather_inputs(struct run* run, int is_converted) {
  struct session* session = run->session;
  size_t count = 0;
  for (size_t i = 0; i < session->inputs.count; i++) {
    const struct port* port = &session->inputs.items[i];
    if (port->text[0] == '\0') {
      continue; /* no input, in ONNX; the API refuses the name */
    }
    if (run->given[i] != NULL) {
      run->input_names[count] = port->text;
      run->inputs[count++] = run->given[i];
    } else if (i < session->required && port->kind != ONNX_TYPE_OPTIONAL && !is_converted) {
      return NOT_TAKEN;
    }
  }
  run->input_count = count;
  return TAKEN;
}

/* --- outputs -----------------------------------------------------------------------------------*/

/* What an output is written to, if `out` has it. */
static int add_target(struct run* run, const struct request* request, size_t i) {
  const struct port* port = run->output_ports[i];
  PyObject* x = item_of_dict(request->out, port->name);
  if (x == NULL) {
    return PyErr_Occurred() ? FAILED : TAKEN;
  }
  int made;
  if (request->is_converted) {
    made = ortcffi_hold_value(x, &run->outputs[i], &run->targets[i]) < 0 ? FAILED : 1;
  } else {
    made = ortcffi_make_value(run->session, port, x, 1, &run->outputs[i]);
    run->targets[i] = made == 1 ? Py_NewRef(x) : NULL;
  }
  Py_DECREF(x);
  return made == 1 ? TAKEN : made == 0 ? NOT_TAKEN : FAILED;
}

/* `wanted` has the names, NULL for all. */
static int add_outputs(struct run* run, const struct request* request, PyObject* wanted) {
  const struct ports* ports = &run->session->outputs;
  Py_ssize_t found = 0;
  for (size_t i = 0; i < run->output_count; i++) {
    PyObject* name = wanted == NULL ? NULL : PyTuple_GetItem(wanted, (Py_ssize_t)i);
    Py_ssize_t place = wanted == NULL ? (Py_ssize_t)i : ortcffi_find_port(ports, name, i);
    if (place < 0) {
      return NOT_TAKEN;
    }
    run->output_ports[i] = &ports->items[place];
    run->output_names[i] = ports->items[place].text;
    int answer = request->out == NULL ? TAKEN : add_target(run, request, i);
    if (answer != TAKEN) {
      return answer;
    }
    found += run->targets[i] != NULL;
  }
  int has_others =
      request->out != NULL && !request->is_converted && found != PyDict_Size(request->out);
  return has_others ? NOT_TAKEN : TAKEN; /* of no output, or of one that is not wanted */
}

/* --- all of it ---------------------------------------------------------------------------------*/

static int has_adapters(PyObject* options) {
  PyObject* adapters = PyObject_GetAttrString(options, "_adapters");
  int answer = adapters == NULL || PyObject_IsTrue(adapters) != 0;
  PyErr_Clear();
  Py_XDECREF(adapters);
  return answer;
}

int ortcffi_run_has_adapters(const struct run* run) {
  return run->options_holder != NULL && has_adapters(run->options_holder);
}

/* Whether an object is RunOptions that runs of the session use as they are. */
static int are_options(const struct session* session, PyObject* options) {
  const struct handle* handle = handle_of(options);
  return handle != NULL && handle->type == session->rules.options_type &&
         handle->api == session->maker->api && !has_adapters(options);
}

static int add_options(struct run* run, const struct request* request) {
  PyObject* options = request->options;
  struct session* session = run->session;
  if (!request->is_converted && options != NULL && !are_options(session, options)) {
    return NOT_TAKEN;
  }
  if (options == NULL) {
    run->options = ortcffi_take_options(session);
    return run->options == NULL ? FAILED : TAKEN;
  }
  if (handle_begin((struct handle*)options) < 0) {
    return FAILED;
  }
  run->options = ((struct handle*)options)->object;
  run->options_holder = Py_NewRef(options);
  return TAKEN;
}

static int add_timeout(struct run* run, PyObject* timeout) {
  if (timeout == NULL) {
    return 0;
  }
  double seconds = PyFloat_AsDouble(timeout);
  if (seconds == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "timeout must be a number of seconds, not %R", timeout);
    return -1;
  }
  if (!(seconds >= 0)) {
    PyErr_Format(PyExc_ValueError, "timeout must be 0 or more seconds, but is %R", timeout);
    return -1;
  }
  run->deadline = ortcffi_now() + seconds;
  run->timeout = seconds;
  return 0;
}

/* The names of outputs as a tuple, which the caller cannot change; NULL in it for all. */
static int wanted_names(const struct request* request, PyObject** out) {
  PyObject* given = request->outputs;
  *out = NULL;
  if (given == NULL) {
    return TAKEN;
  }
  if (PyTuple_CheckExact(given) && (request->is_converted || PyTuple_Size(given) > 0)) {
    *out = Py_NewRef(given);
    return TAKEN;
  }
  if (!PyList_CheckExact(given) || PyList_Size(given) == 0) {
    return NOT_TAKEN;
  }
  *out = PyList_AsTuple(given);
  return *out == NULL ? FAILED : TAKEN;
}

static int fill_run(struct run* run, const struct request* request, PyObject* wanted) {
  struct session* session = run->session;
  size_t outputs = wanted == NULL ? session->outputs.count : (size_t)PyTuple_Size(wanted);
  if (take_room(run, session->inputs.count, outputs) < 0) {
    return FAILED;
  }
  run->output_count = outputs;
  int answer = request->feed == NULL ? TAKEN : add_feed(run, request);
  answer = answer != TAKEN ? answer : add_named(run, request);
  answer = answer != TAKEN ? answer : gather_inputs(run, request->is_converted);
  answer = answer != TAKEN ? answer : add_outputs(run, request, wanted);
  answer = answer != TAKEN || request->out == NULL ? answer : ortcffi_check_targets(run);
  answer = answer != TAKEN ? answer : add_options(run, request);
  return answer != TAKEN ? answer : add_timeout(run, request->timeout);
}

static int take_request(struct run* run, const struct request* request) {
  if (request->out != NULL && !PyDict_CheckExact(request->out)) {
    return NOT_TAKEN;
  }
  PyObject* wanted;
  int answer = wanted_names(request, &wanted);
  answer = answer != TAKEN ? answer : fill_run(run, request, wanted);
  Py_XDECREF(wanted);
  return answer;
}

/* The inputs that were given by keywords, as a dict. */
static PyObject* named_inputs(const struct request* request) {
  PyObject* inputs = PyDict_New();
  Py_ssize_t count = request->keywords == NULL ? 0 : PyTuple_Size(request->keywords);
  for (Py_ssize_t i = 0; inputs != NULL && i < count; i++) {
    PyObject* name = PyTuple_GetItem(request->keywords, i);
    if (request->named[i] != NULL && PyDict_SetItem(inputs, name, request->named[i]) < 0) {
      Py_CLEAR(inputs);
    }
  }
  return inputs;
}

static PyObject* or_none(PyObject* object) { return object == NULL ? Py_None : object; }

static PyObject* or_null(PyObject* object) { return object == Py_None ? NULL : object; }

/* Has the rules convert a request. The answer keeps what `converted` has; NULL with an exception.
 */
static PyObject* convert_request(struct session* session, const struct request* request,
                                 struct request* converted) {
  PyObject* inputs = named_inputs(request);
  PyObject* all = inputs == NULL
                      ? NULL
                      : PyObject_CallFunctionObjArgs(
                            session->rules.convert, (PyObject*)session, or_none(request->feed),
                            or_none(request->outputs), or_none(request->options),
                            or_none(request->out), inputs, NULL);
  Py_XDECREF(inputs);
  *converted = (struct request){.timeout = request->timeout, .is_converted = 1};
  if (all != NULL && !PyArg_ParseTuple(all, "OOOO", &converted->feed, &converted->outputs,
                                       &converted->options, &converted->out)) {
    Py_CLEAR(all);
  }
  converted->outputs = or_null(converted->outputs);
  converted->options = or_null(converted->options);
  converted->out = or_null(converted->out);
  return all;
}

static void drop_arguments(struct run* run);

int ortcffi_run_begin(struct run* run, struct session* session, const struct request* request) {
  memset(run, 0, offsetof(struct run, few));
  if (handle_begin(&session->life) < 0) {
    return FAILED;
  }
  run->session = session;
  int answer = take_request(run, request);
  if (answer == NOT_TAKEN) {
    drop_arguments(run);
    struct request converted;
    PyObject* all = convert_request(session, request, &converted);
    answer = all == NULL ? FAILED : take_request(run, &converted);
    Py_XDECREF(all);
  }
  if (answer == NOT_TAKEN) {
    PyErr_SetString(PyExc_SystemError, "the arguments of a run are not as C takes them");
    answer = FAILED;
  }
  if (answer != TAKEN) {
    ortcffi_count_refused(session);
  }
  return answer;
}

int ortcffi_run_begin_options(struct run* run, struct session* session,
                              const struct request* request) {
  memset(run, 0, offsetof(struct run, few));
  if (handle_begin(&session->life) < 0) {
    return FAILED;
  }
  run->session = session;
  run->room = run->few;
  int answer = add_options(run, request);
  if (answer == NOT_TAKEN) {
    PyObject* chosen = PyObject_CallFunctionObjArgs(session->rules.options, session,
                                                    or_none(request->options), NULL);
    struct request converted = {.options = chosen, .is_converted = 1};
    answer = chosen == NULL ? FAILED : add_options(run, &converted);
    Py_XDECREF(chosen);
  }
  return answer != TAKEN ? answer : add_timeout(run, request->timeout);
}

int ortcffi_names_inputs(const struct request* request) {
  Py_ssize_t count = request->keywords == NULL ? 0 : PyTuple_Size(request->keywords);
  for (Py_ssize_t i = 0; i < count; i++) {
    if (request->named[i] != NULL) {
      return 1;
    }
  }
  return 0;
}

/* Whether the flag that ends runs must stay set: it also ends another run with these options, which
 * may not have looked at it yet. */
static int is_flag_needed(const struct run* ended) {
  for (const struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    if (run->options == ended->options && run->is_terminated && !atomic_load(&run->is_done)) {
      return 1;
    }
  }
  return 0;
}

/* Drops what a run has taken, and leaves it as before. */
static void drop_arguments(struct run* run) {
  struct session* session = run->session;
  for (size_t i = 0; run->given != NULL && i < session->inputs.count; i++) {
    ortcffi_drop_input(session, &session->inputs.items[i], run->given[i], run->holders[i]);
  }
  for (size_t i = 0; i < run->output_count; i++) {
    ortcffi_drop_argument(session->maker, run->outputs[i], run->targets[i]);
  }
  if (run->options_holder != NULL) {
    lock_list(LIST_OF_RUNS);
    if (run->is_terminated && !is_flag_needed(run)) {
      ortcffi_set_terminate(session, run->options, 0);
    }
    unlock_list(LIST_OF_RUNS);
    handle_end((struct handle*)run->options_holder);
    Py_CLEAR(run->options_holder);
  } else if (run->options != NULL) {
    ortcffi_give_options(session, run->options, run->is_terminated);
  }
  if (run->room != run->few) {
    PyMem_Free(run->room);
  }
  run->given = NULL;
  run->output_count = 0;
  run->options = NULL;
  run->room = run->few;
}

void ortcffi_run_end(struct run* run) {
  if (run->session != NULL) {
    drop_arguments(run);
    handle_end(&run->session->life);
  }
}
