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

/* Lets the rules convert any object to a value, or refuse it. */
static int convert_input(struct run* run, Py_ssize_t place, PyObject* x) {
  PyObject* made = ASK_RULES(run->session, "convert", "nO", place, x);
  int answer = made == NULL ? -1 : 0;
  if (made != NULL && made != Py_None) {
    answer = ortcffi_hold_value(made, &run->given[place], &run->holders[place]);
  }
  Py_XDECREF(made);
  return answer;
}

/* The Value inside an object of the rules' type `wrapper`, or the object itself. */
static PyObject* value_in(const struct session* session, PyObject* x) {
  static PyObject* name;
  if ((PyObject*)Py_TYPE(x) != session->wrapper) {
    return Py_NewRef(x);
  }
  if (name == NULL) {
    name = PyUnicode_InternFromString("_value");
  }
  PyObject* value = name == NULL ? NULL : PyObject_GetAttr(x, name);
  PyErr_Clear(); /* the rules refuse one without */
  return value == NULL ? Py_NewRef(x) : value;
}

/* Makes or finds the value of an input: 1; 0 if only the rules can convert it; -1 with an
 * exception. */
static int take_input(struct run* run, Py_ssize_t place, PyObject* x) {
  struct session* session = run->session;
  struct port* port = &session->inputs.items[place];
  OrtValue** given = &run->given[place];
  PyObject** holder = &run->holders[place];
  if (PyList_CheckExact(x) || PyDict_CheckExact(x)) {
    return ortcffi_make_contents(session, port, x, given, holder);
  }
  PyObject* value = value_in(session, x);
  int taken = ortcffi_use_value(session, port, value, given, holder);
  Py_DECREF(value);
  if (taken == 0) {
    taken = ortcffi_make_input(session, port, x, given);
    *holder = taken == 1 ? Py_NewRef(x) : NULL;
  }
  return taken;
}

static int add_input(struct run* run, size_t guess, PyObject* name, PyObject* x) {
  struct session* session = run->session;
  Py_ssize_t place = ortcffi_find_port(&session->inputs, name, guess);
  if (place < 0 || run->holders[place] != NULL) {
    ortcffi_session_refuse(session, place >= 0 ? "twice" : "input", Py_NewRef(name));
    return -1;
  }
  int taken = take_input(run, place, x);
  return taken == 0 ? convert_input(run, place, x) : taken < 0 ? -1 : 0;
}

static int add_feed(struct run* run, PyObject* feed) {
  PyObject *key, *x;
  Py_ssize_t place = 0;
  size_t guess = 0;
  if (!PyDict_CheckExact(feed)) {
    PyObject* copy = ASK_RULES(run->session, "feed", "O", feed);
    int answer = copy == NULL ? -1 : add_feed(run, copy);
    Py_XDECREF(copy);
    return answer;
  }
  Py_ssize_t count = PyDict_Size(feed);
  while (PyDict_Next(feed, &place, &key, &x)) {
    /* Conversions may run Python, which may remove the borrowed key from the dict. */
    Py_INCREF(key);
    Py_INCREF(x);
    int answer = add_input(run, guess++, key, x);
    Py_DECREF(key);
    Py_DECREF(x);
    if (answer < 0) {
      return -1;
    }
    if (PyDict_Size(feed) != count) {
      PyErr_SetString(PyExc_RuntimeError, "feed changed while its arrays were converted");
      return -1;
    }
  }
  return 0;
}

/* Puts the inputs that were given next to each other. */
static int gather_inputs(struct run* run) {
  struct session* session = run->session;
  size_t count = 0;
  for (size_t i = 0; i < session->inputs.count; i++) {
    const char* name = session->inputs.items[i].text;
    if (name[0] == '\0') {
      continue; /* no input, in ONNX; the API refuses the name */
    }
    if (run->given[i] != NULL) {
      run->input_names[count] = name;
      run->inputs[count++] = run->given[i];
    } else if (i < session->required) {
      PyObject* passed = ASK_RULES(session, "missing", "n", (Py_ssize_t)i);
      if (passed == NULL) {
        return -1;
      }
      Py_DECREF(passed);
    }
  }
  run->input_count = count;
  return 0;
}

/* --- outputs -----------------------------------------------------------------------------------*/

/* The place of the i-th output asked for; -1 with an exception. */
static Py_ssize_t wanted_port(struct session* session, PyObject* wanted, size_t i) {
  if (wanted == NULL) {
    return (Py_ssize_t)i;
  }
  PyObject* name = PyTuple_GetItem(wanted, (Py_ssize_t)i);
  Py_ssize_t place = name == NULL ? -1 : ortcffi_find_port(&session->outputs, name, i);
  if (place < 0 && !PyErr_Occurred()) {
    ortcffi_session_refuse(session, "output", Py_NewRef(name));
  }
  return place;
}

/* What an output is written to, if `out` has it. */
static int add_target(struct run* run, PyObject* out, size_t i, size_t place) {
  struct session* session = run->session;
  PyObject* x = PyDict_GetItemWithError(out, session->outputs.items[place].name);
  if (x == NULL) {
    return PyErr_Occurred() ? -1 : 0;
  }
  const struct port* port = &session->outputs.items[place];
  int made = ortcffi_make_value(session, port, x, 1, &run->outputs[i]);
  if (made == 1) {
    run->targets[i] = Py_NewRef(x);
    return 0;
  }
  PyObject* value = made < 0 ? NULL : ASK_RULES(session, "target", "nO", (Py_ssize_t)place, x);
  int answer = value == NULL ? -1 : ortcffi_hold_value(value, &run->outputs[i], &run->targets[i]);
  Py_XDECREF(value);
  return answer;
}

static int add_outputs(struct run* run, PyObject* wanted, PyObject* out) {
  struct session* session = run->session;
  for (size_t i = 0; i < run->output_count; i++) {
    Py_ssize_t place = wanted_port(session, wanted, i);
    if (place < 0) {
      return -1;
    }
    run->output_ports[i] = &session->outputs.items[place];
    run->output_names[i] = session->outputs.items[place].text;
    if (out != NULL && add_target(run, out, i, (size_t)place) < 0) {
      return -1;
    }
  }
  return 0;
}

/* Checks overlaps of memory, if the caller gave memory for outputs. */
static int check_targets(struct run* run) {
  const struct session* session = run->session;
  struct extents all;
  if (ortcffi_new_extents(&all, session->inputs.count + run->output_count) < 0) {
    return -1;
  }
  for (size_t i = 0; i < session->inputs.count; i++) {
    ortcffi_add_extent(&all, run->holders[i], session->inputs.items[i].text, 0);
  }
  for (size_t i = 0; i < run->output_count; i++) {
    ortcffi_add_extent(&all, run->targets[i], run->output_names[i], 1);
  }
  int answer = ortcffi_check_extents(run->session, &all);
  PyMem_Free(all.items);
  return answer;
}

/* --- all of it ---------------------------------------------------------------------------------*/

static int add_named(struct run* run, const struct request* request) {
  Py_ssize_t count = request->keywords == NULL ? 0 : PyTuple_Size(request->keywords);
  for (Py_ssize_t i = 0, guess = 0; i < count; i++) {
    if (request->named[i] == NULL) {
      continue; /* a parameter */
    }
    PyObject* name = PyTuple_GetItem(request->keywords, i);
    if (add_input(run, (size_t)guess++, name, request->named[i]) < 0) {
      return -1;
    }
  }
  return 0;
}

static int add_options(struct run* run, PyObject* options) {
  if (options == NULL && !run->session->asks_options) {
    run->options = ortcffi_take_options(run->session);
    return run->options == NULL ? -1 : 0;
  }
  PyObject* chosen = ASK_RULES(run->session, "options", "O", options == NULL ? Py_None : options);
  if (chosen == NULL || handle_begin((struct handle*)chosen) < 0) {
    Py_XDECREF(chosen);
    return -1;
  }
  run->options = ((struct handle*)chosen)->object;
  run->options_holder = chosen;
  return 0;
}

int ortcffi_run_has_adapters(const struct run* run) {
  PyObject* adapters =
      run->options_holder == NULL ? NULL : PyObject_GetAttrString(run->options_holder, "_adapters");
  int answer = adapters != NULL && PyObject_IsTrue(adapters) != 0;
  Py_XDECREF(adapters);
  return answer;
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

static int fill_run(struct run* run, const struct request* request, PyObject* wanted,
                    PyObject* out) {
  return (request->feed != NULL && add_feed(run, request->feed) < 0) ||
                 add_named(run, request) < 0 || gather_inputs(run) < 0 ||
                 add_outputs(run, wanted, out) < 0 || (out != NULL && check_targets(run) < 0) ||
                 add_options(run, request->options) < 0 || add_timeout(run, request->timeout) < 0
             ? -1
             : 0;
}

/* Lets the rules check and copy an argument: the caller's own may change during the run. */
static int checked(struct session* session, const char* method, PyObject* given, PyObject** out) {
  *out = given == NULL ? NULL : ASK_RULES(session, method, "O", given);
  return given != NULL && *out == NULL ? -1 : 0;
}

/* The names of outputs as a tuple; the rules convert what is neither a list nor a tuple. */
static int wanted_names(struct session* session, PyObject* given, PyObject** out) {
  int is_list = given != NULL && PyList_CheckExact(given);
  if ((is_list && PyList_Size(given) > 0) ||
      (given != NULL && PyTuple_CheckExact(given) && PyTuple_Size(given) > 0)) {
    *out = is_list ? PyList_AsTuple(given) : Py_NewRef(given);
    return *out == NULL ? -1 : 0;
  }
  return checked(session, "outputs", given, out);
}

static int fill_room(struct run* run, const struct request* request, PyObject* wanted,
                     PyObject* out) {
  struct session* session = run->session;
  size_t outputs = wanted == NULL ? session->outputs.count : (size_t)PyTuple_Size(wanted);
  if (take_room(run, session->inputs.count, outputs) < 0) {
    return -1;
  }
  run->output_count = outputs;
  return fill_run(run, request, wanted, out);
}

int ortcffi_run_begin(struct run* run, struct session* session, const struct request* request) {
  memset(run, 0, offsetof(struct run, few));
  if (handle_begin(&session->life) < 0) {
    return -1;
  }
  run->session = session;
  PyObject *wanted = NULL, *out = NULL;
  int answer = wanted_names(session, request->outputs, &wanted);
  if (answer == 0) {
    answer = checked(session, "out", request->out, &out);
  }
  if (answer == 0) {
    answer = fill_room(run, request, wanted, out);
  }
  Py_XDECREF(wanted);
  Py_XDECREF(out);
  session->counts.refused += answer < 0 && ortcffi_counts_runs;
  return answer;
}

int ortcffi_run_begin_options(struct run* run, struct session* session,
                              const struct request* request) {
  memset(run, 0, offsetof(struct run, few));
  if (handle_begin(&session->life) < 0) {
    return -1;
  }
  run->session = session;
  run->room = run->few;
  return add_options(run, request->options) < 0 || add_timeout(run, request->timeout) < 0 ? -1 : 0;
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

void ortcffi_run_end(struct run* run) {
  struct session* session = run->session;
  if (session == NULL) {
    return;
  }
  for (size_t i = 0; run->given != NULL && i < session->inputs.count; i++) {
    ortcffi_drop_input(session, &session->inputs.items[i], run->given[i], run->holders[i]);
  }
  for (size_t i = 0; i < run->output_count; i++) {
    ortcffi_drop_argument(session->maker, run->outputs[i], run->targets[i]);
  }
  if (run->options_holder != NULL) {
    if (run->is_terminated && !is_flag_needed(run)) {
      ortcffi_set_terminate(session, run->options, 0);
    }
    handle_end((struct handle*)run->options_holder);
    Py_DECREF(run->options_holder);
  } else if (run->options != NULL) {
    ortcffi_give_options(session, run->options, run->is_terminated);
  }
  if (run->room != run->few) {
    PyMem_Free(run->room);
  }
  handle_end(&session->life);
}
