/* SPDX-License-Identifier: MIT */
/*
 * Reads and changes key-value pairs in one step. What GetKeyValue and GetKeyValuePairs return is
 * valid until the pairs change, and another thread may change them: so all functions keep the GIL.
 */
#include "boundary/limited_api.h"

#include <string.h>

#include "boundary/handle/handle.h"
#include "boundary/status/fail.h"

static PyObject* text_of(const char* text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static int add_to_dict(PyObject* dict, const char* key, const char* value) {
  PyObject* key_text = text_of(key);
  PyObject* value_text = text_of(value);
  int failed = key_text == NULL || value_text == NULL || PyDict_SetItem(dict, key_text, value_text);
  Py_XDECREF(key_text);
  Py_XDECREF(value_text);
  return failed ? -1 : 0;
}

/* read_pairs(pairs): a new dict of all pairs, in the order of GetKeyValuePairs. */
static PyObject* read_pairs(PyObject* module, PyObject* pairs) {
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

/* read_pair(pairs, key): the value of a key as a str, or None. Keys and values are bytes. */
static PyObject* read_pair(PyObject* module, PyObject* arguments) {
  PyObject* pairs;
  const char* key;
  const struct handle* handle = NULL;
  if (!PyArg_ParseTuple(arguments, "Oy", &pairs, &key) || (handle = handle_open(pairs)) == NULL) {
    return NULL;
  }
  const char* value = handle->api->GetKeyValue(handle->object, key);
  return value == NULL ? Py_NewRef(Py_None) : text_of(value);
}

/* set_pair(pairs, key, value): adds or replaces a pair; False where there is no memory. */
static PyObject* set_pair(PyObject* module, PyObject* arguments) {
  PyObject* pairs;
  const char *key, *value;
  const struct handle* handle = NULL;
  if (!PyArg_ParseTuple(arguments, "Oyy", &pairs, &key, &value) ||
      (handle = handle_open(pairs)) == NULL) {
    return NULL;
  }
  handle->api->AddKeyValuePair(handle->object, key, value);
  const char* found = handle->api->GetKeyValue(handle->object, key);
  return PyBool_FromLong(found != NULL && strcmp(found, value) == 0);
}

/* remove_pair(pairs, key): False where there is none. */
static PyObject* remove_pair(PyObject* module, PyObject* arguments) {
  PyObject* pairs;
  const char* key;
  const struct handle* handle = NULL;
  if (!PyArg_ParseTuple(arguments, "Oy", &pairs, &key) || (handle = handle_open(pairs)) == NULL) {
    return NULL;
  }
  if (handle->api->GetKeyValue(handle->object, key) == NULL) {
    Py_RETURN_FALSE;
  }
  handle->api->RemoveKeyValuePair(handle->object, key);
  Py_RETURN_TRUE;
}

static PyMethodDef pairs_functions[] = {
    {"read_pairs", read_pairs, METH_O, NULL},
    {"read_pair", read_pair, METH_VARARGS, NULL},
    {"set_pair", set_pair, METH_VARARGS, NULL},
    {"remove_pair", remove_pair, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_pairs(PyObject* module) { return PyModule_AddFunctions(module, pairs_functions); }
