/* SPDX-License-Identifier: MIT */
/*
 * Reads and changes key-value pairs in one step. What GetKeyValue and GetKeyValuePairs return is
 * valid until the pairs change, and another thread may change them: so all functions keep the GIL,
 * or without it have the critical section of the object.
 */
#include "boundary/limited_api.h"

#include <string.h>

#include "boundary/handle/handle.h"
#include "boundary/status/fail.h"

static int add_to_dict(PyObject* dict, const char* key, const char* value) {
  PyObject* key_text = ortcffi_text(key);
  PyObject* value_text = ortcffi_text(value);
  int failed = key_text == NULL || value_text == NULL || PyDict_SetItem(dict, key_text, value_text);
  Py_XDECREF(key_text);
  Py_XDECREF(value_text);
  return failed ? -1 : 0;
}

static PyObject* dict_of(PyObject* pairs) {
  const struct handle* handle = handle_open(pairs);
  /* Made first: it may start the collector, and with it any Python code. Strings do not. */
  PyObject* dict = handle == NULL ? NULL : PyDict_New();
  const char *const *keys = NULL, *const *values = NULL;
  size_t count = 0;
  if (dict != NULL && handle->object != NULL) {
    handle->api->GetKeyValuePairs(handle->object, &keys, &values, &count);
  }
  for (size_t i = 0; dict != NULL && i < count; i++) {
    if (add_to_dict(dict, keys[i], values[i]) < 0) {
      Py_CLEAR(dict);
    }
  }
  return dict;
}

/* read_pairs(pairs): a new dict of all pairs, in the order of GetKeyValuePairs. */
static PyObject* read_pairs(PyObject* module, PyObject* pairs) {
  PyObject* dict;
  ORTCFFI_CRITICAL_BEGIN(pairs);
  dict = dict_of(pairs);
  ORTCFFI_CRITICAL_END();
  return dict;
}

/* Adds or replaces a pair, or removes it if `value` is NULL. 0 where there is no memory, or none to
 * remove; -1 with an exception. */
static int change_pair(PyObject* pairs, const char* key, const char* value) {
  const struct handle* handle = handle_open(pairs);
  if (handle == NULL) {
    return -1;
  }
  if (value != NULL) {
    handle->api->AddKeyValuePair(handle->object, key, value);
  }
  const char* found = handle->api->GetKeyValue(handle->object, key);
  if (value != NULL) {
    return found != NULL && strcmp(found, value) == 0;
  }
  if (found != NULL) {
    handle->api->RemoveKeyValuePair(handle->object, key);
  }
  return found != NULL;
}

/* set_pair(pairs, key, value): adds or replaces a pair; removes it for None. False where there is
 * no memory, or none to remove. Keys and values are bytes. */
static PyObject* set_pair(PyObject* module, PyObject* arguments) {
  PyObject *pairs, *given;
  const char* key;
  if (!PyArg_ParseTuple(arguments, "OyO", &pairs, &key, &given)) {
    return NULL;
  }
  const char* value = given == Py_None ? NULL : PyBytes_AsString(given);
  if (value == NULL && given != Py_None) {
    return NULL;
  }
  int answer;
  ORTCFFI_CRITICAL_BEGIN(pairs);
  answer = change_pair(pairs, key, value);
  ORTCFFI_CRITICAL_END();
  return answer < 0 ? NULL : PyBool_FromLong(answer);
}

static PyMethodDef pairs_functions[] = {
    {"read_pairs", read_pairs, METH_O, NULL},
    {"set_pair", set_pair, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_pairs(PyObject* module) { return PyModule_AddFunctions(module, pairs_functions); }
