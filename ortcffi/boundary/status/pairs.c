/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"
/* Needs the headers above. */
#include <string.h>

#include "boundary/status/pairs.h"

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

ortcffi_object* ortcffi_read_pairs(const OrtApi* api, const OrtKeyValuePairs* pairs) {
  /* Made first: it may start the collector, and with it any Python code. Strings do not. */
  PyObject* dict = PyDict_New();
  const char *const *keys = NULL, *const *values = NULL;
  size_t count = 0;
  api->GetKeyValuePairs(pairs, &keys, &values, &count);
  for (size_t i = 0; dict != NULL && i < count; i++) {
    if (add_to_dict(dict, keys[i], values[i]) < 0) {
      Py_CLEAR(dict);
    }
  }
  return (ortcffi_object*)dict;
}

ortcffi_object* ortcffi_read_pair(const OrtApi* api, const OrtKeyValuePairs* pairs,
                                  const char* key) {
  const char* value = api->GetKeyValue(pairs, key);
  return (ortcffi_object*)(value == NULL ? Py_NewRef(Py_None) : text_of(value));
}

int ortcffi_set_pair(const OrtApi* api, OrtKeyValuePairs* pairs, const char* key,
                     const char* value) {
  api->AddKeyValuePair(pairs, key, value);
  const char* found = api->GetKeyValue(pairs, key);
  return found != NULL && strcmp(found, value) == 0;
}

int ortcffi_remove_pair(const OrtApi* api, OrtKeyValuePairs* pairs, const char* key) {
  if (api->GetKeyValue(pairs, key) == NULL) {
    return 0;
  }
  api->RemoveKeyValuePair(pairs, key);
  return 1;
}
