/* SPDX-License-Identifier: MIT */
/* Attributes of nodes. */
#include "behaviour.h"

static const float one_float = 2;
static const float op_attr_floats[] = {1, 2, 3};
static const int64_t ints[] = {1, 2, 3, 4};
static const char* const strings[] = {"a", "bc", ""};

static OrtOpAttr* make(OrtOpAttrType type, const void* data, int len) {
  return NEW(OrtOpAttr, api->CreateOpAttr("name", data, len, type, &new_));
}

/* Says how many bytes the attribute has, and releases it. */
static void op_attr_create(const char* name, const void* data, int len, OrtOpAttrType type) {
  OrtOpAttr* attr = NULL;
  if (!say_status(api->CreateOpAttr(name, data, len, type, &attr))) {
    return;
  }
  char value[64];
  size_t size = 77;
  say_status(api->ReadOpAttr(attr, type, value, sizeof value, &size));
  say("%zu bytes", size);
  api->ReleaseOpAttr(attr);
}

CALL("CreateOpAttr(FLOAT)") { op_attr_create("n", &one_float, 1, ORT_OP_ATTR_FLOAT); }
CALL("CreateOpAttr(FLOAT,len 0)") { op_attr_create("n", &one_float, 0, ORT_OP_ATTR_FLOAT); }
CALL("CreateOpAttr(FLOAT,NULL)") { op_attr_create("n", NULL, 0, ORT_OP_ATTR_FLOAT); }
CALL("CreateOpAttr(INT)") { op_attr_create("n", ints, 1, ORT_OP_ATTR_INT); }
CALL("CreateOpAttr(INTS)") { op_attr_create("n", ints, 4, ORT_OP_ATTR_INTS); }
CALL("CreateOpAttr(INTS,NULL,0)") { op_attr_create("n", NULL, 0, ORT_OP_ATTR_INTS); }
CALL("CreateOpAttr(INTS,NULL,1)") { op_attr_create("n", NULL, 1, ORT_OP_ATTR_INTS); }
CALL("CreateOpAttr(FLOATS)") { op_attr_create("n", op_attr_floats, 3, ORT_OP_ATTR_FLOATS); }
CALL("CreateOpAttr(FLOATS,len -1)") { op_attr_create("n", op_attr_floats, -1, ORT_OP_ATTR_FLOATS); }
CALL("CreateOpAttr(STRING)") { op_attr_create("n", "hello", 5, ORT_OP_ATTR_STRING); }
CALL("CreateOpAttr(STRING,NULL,0)") { op_attr_create("n", NULL, 0, ORT_OP_ATTR_STRING); }
CALL("CreateOpAttr(STRING,len -1)") { op_attr_create("n", "hello", -1, ORT_OP_ATTR_STRING); }
CALL("CreateOpAttr(STRINGS)") { op_attr_create("n", strings, 3, ORT_OP_ATTR_STRINGS); }
CALL("CreateOpAttr(STRINGS,len -1)") { op_attr_create("n", strings, -1, ORT_OP_ATTR_STRINGS); }
CALL("CreateOpAttr(STRINGS,one NULL)") {
  static const char* const with_null[] = {"a", NULL};
  op_attr_create("n", with_null, 2, ORT_OP_ATTR_STRINGS);
}
CALL("CreateOpAttr(GRAPH)") { op_attr_create("n", ints, 1, ORT_OP_ATTR_GRAPH); }
CALL("CreateOpAttr(TENSOR)") { op_attr_create("n", ints, 1, ORT_OP_ATTR_TENSOR); }
CALL("CreateOpAttr(type 99)") { op_attr_create("n", ints, 1, (OrtOpAttrType)99); }
CALL("CreateOpAttr(name NULL)") { op_attr_create(NULL, ints, 1, ORT_OP_ATTR_INT); }
CALL("CreateOpAttr(name \"\")") { op_attr_create("", ints, 1, ORT_OP_ATTR_INT); }

/* Reads an attribute into `len` bytes and says what was written, as characters. */
static void read_as(OrtOpAttr* attr, OrtOpAttrType type, size_t len) {
  char value[32];
  size_t size = 77;
  memset(value, '#', sizeof value);
  say_status(api->ReadOpAttr(attr, type, len == 0 ? NULL : value, len, &size));
  say("%zu", size);
  size_t end = sizeof value;
  while (end > 0 && value[end - 1] == '#') {
    end--;
  }
  for (size_t i = 0; i < end; i++) {
    value[i] = value[i] >= ' ' ? value[i] : '.';
  }
  say("%.*s", (int)end, value);
  api->ReleaseOpAttr(attr);
}

CALL("ReadOpAttr(FLOAT,4 bytes)") {
  read_as(make(ORT_OP_ATTR_FLOAT, &one_float, 1), ORT_OP_ATTR_FLOAT, 4);
}
CALL("ReadOpAttr(FLOAT,2 bytes)") {
  read_as(make(ORT_OP_ATTR_FLOAT, &one_float, 1), ORT_OP_ATTR_FLOAT, 2);
}
CALL("ReadOpAttr(FLOAT,NULL,0)") {
  read_as(make(ORT_OP_ATTR_FLOAT, &one_float, 1), ORT_OP_ATTR_FLOAT, 0);
}
CALL("ReadOpAttr(FLOAT as INT)") {
  read_as(make(ORT_OP_ATTR_FLOAT, &one_float, 1), ORT_OP_ATTR_INT, 8);
}
CALL("ReadOpAttr(INT as FLOAT,2 bytes)") {
  read_as(make(ORT_OP_ATTR_INT, ints, 1), ORT_OP_ATTR_FLOAT, 2);
}
CALL("ReadOpAttr(INT as INTS)") { read_as(make(ORT_OP_ATTR_INT, ints, 1), ORT_OP_ATTR_INTS, 8); }
CALL("ReadOpAttr(INT as STRING)") {
  read_as(make(ORT_OP_ATTR_INT, ints, 1), ORT_OP_ATTR_STRING, 8);
}
CALL("ReadOpAttr(INT as STRINGS,NULL,0)") {
  read_as(make(ORT_OP_ATTR_INT, ints, 1), ORT_OP_ATTR_STRINGS, 0);
}
CALL("ReadOpAttr(INTS,32 bytes)") {
  read_as(make(ORT_OP_ATTR_INTS, ints, 4), ORT_OP_ATTR_INTS, 32);
}
CALL("ReadOpAttr(INTS,31 bytes)") {
  read_as(make(ORT_OP_ATTR_INTS, ints, 4), ORT_OP_ATTR_INTS, 31);
}
CALL("ReadOpAttr(FLOATS,NULL,0)") {
  read_as(make(ORT_OP_ATTR_FLOATS, op_attr_floats, 3), ORT_OP_ATTR_FLOATS, 0);
}
CALL("ReadOpAttr(STRING,5 bytes)") {
  read_as(make(ORT_OP_ATTR_STRING, "hello", 5), ORT_OP_ATTR_STRING, 5);
}
CALL("ReadOpAttr(STRING,4 bytes)") {
  read_as(make(ORT_OP_ATTR_STRING, "hello", 5), ORT_OP_ATTR_STRING, 4);
}
CALL("ReadOpAttr(STRINGS,6 bytes)") {
  read_as(make(ORT_OP_ATTR_STRINGS, strings, 3), ORT_OP_ATTR_STRINGS, 6);
}
CALL("ReadOpAttr(STRINGS,5 bytes)") {
  read_as(make(ORT_OP_ATTR_STRINGS, strings, 3), ORT_OP_ATTR_STRINGS, 5);
}
CALL("ReadOpAttr(INT as TENSOR)") {
  read_as(make(ORT_OP_ATTR_INT, ints, 1), ORT_OP_ATTR_TENSOR, 8);
}
CALL("ReadOpAttr(INT as 99)") { read_as(make(ORT_OP_ATTR_INT, ints, 1), (OrtOpAttrType)99, 8); }
CALL("ReadOpAttr(INT,data NULL)") {
  OrtOpAttr* attr = make(ORT_OP_ATTR_INT, ints, 1);
  size_t size = 77;
  say_status(api->ReadOpAttr(attr, ORT_OP_ATTR_INT, NULL, 8, &size));
  api->ReleaseOpAttr(attr);
}

CALL("OpAttr_GetType(a,&t)") {
  OrtOpAttr* attr = make(ORT_OP_ATTR_STRINGS, strings, 3);
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  say_status(api->OpAttr_GetType(attr, &type));
  say("%d", (int)type);
  api->ReleaseOpAttr(attr);
}
CALL("OpAttr_GetName(a,&n)") {
  OrtOpAttr* attr = make(ORT_OP_ATTR_INT, ints, 1);
  const char* name = NULL;
  say_status(api->OpAttr_GetName(attr, &name));
  say("%s", name);
  api->ReleaseOpAttr(attr);
}
CALL("OpAttr_GetTensorAttributeAsOrtValue(INTS,&v)") {
  OrtOpAttr* attr = make(ORT_OP_ATTR_INTS, ints, 4);
  OrtValue* value = UNTOUCHED;
  say_status(api->OpAttr_GetTensorAttributeAsOrtValue(attr, &value));
  say_out(value, UNTOUCHED);
  api->ReleaseOpAttr(attr);
}
