/* SPDX-License-Identifier: MIT */
/* Attributes of nodes, and domains of custom ops. */
#include "fuzz.h"

#define ATTRIBUTES 4
#define MOST 64

static struct {
  OrtOpAttr* handle;
  OrtOpAttrType type;
  char name[8];
  unsigned char bytes[MOST];
  size_t size;
} attributes[ATTRIBUTES];

static OrtCustomOpDomain* domain;
static const OrtCustomOp op = {.version = 1};

static void make(size_t i) {
  char texts[3][8];
  const char* pointers[] = {texts[0], texts[1], texts[2]};
  unsigned char bytes[MOST];
  OrtOpAttrType type = (OrtOpAttrType)(next_byte() % 8);
  int length = (int)(next_byte() % 8);
  size_t size = 0;
  const void* data = bytes;
  for (size_t at = 0; at < sizeof bytes; at++) {
    bytes[at] = (unsigned char)(at < 4 ? next_byte() : at);
  }
  if (type == ORT_OP_ATTR_STRINGS) {
    length %= 4;
    data = pointers;
    for (int text = 0; text < length; text++) {
      next_string(texts[text], 7);
      memcpy(bytes + size, texts[text], strlen(texts[text]) + 1);
      size += strlen(texts[text]) + 1;
    }
  } else {
    size_t element = type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_INTS       ? 8
                     : type == ORT_OP_ATTR_FLOAT || type == ORT_OP_ATTR_FLOATS ? 4
                                                                               : 1;
    size =
        type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_FLOAT ? element : element * (size_t)length;
  }
  next_string(attributes[i].name, 7);
  if (succeeded(api->CreateOpAttr(attributes[i].name, data, length, type, &attributes[i].handle),
                type >= ORT_OP_ATTR_INT && type <= ORT_OP_ATTR_STRINGS, ORT_FAIL, ORT_FAIL)) {
    attributes[i].type = type;
    attributes[i].size = size;
    memcpy(attributes[i].bytes, bytes, size);
  }
}

static void read_back(size_t i) {
  unsigned char bytes[MOST];
  size_t room = next_byte() % MOST;
  size_t size = 0;
  OrtOpAttrType type;
  const char* name = NULL;
  CHECK(api->OpAttr_GetType(attributes[i].handle, &type) == NULL && type == attributes[i].type);
  CHECK(api->OpAttr_GetName(attributes[i].handle, &name) == NULL);
  CHECK(strcmp(name, attributes[i].name) == 0);
  if (succeeded(api->ReadOpAttr(attributes[i].handle, type, bytes, room, &size),
                room >= attributes[i].size, ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    CHECK(size == attributes[i].size && memcmp(bytes, attributes[i].bytes, size) == 0);
  }
}

static void use_domain(unsigned what) {
  if (domain == NULL) {
    succeeded(api->CreateCustomOpDomain("domain", &domain), 1, ORT_FAIL, ORT_FAIL);
  } else if (what % 8 == 0) {
    api->ReleaseCustomOpDomain(domain);
    domain = NULL;
  } else {
    succeeded(api->CustomOpDomain_Add(domain, &op), 1, ORT_FAIL, ORT_FAIL);
  }
}

void use_attributes(void) {
  unsigned what = next_byte();
  size_t i = what % ATTRIBUTES;
  if (what >= 192) {
    use_domain(what);
  } else if (attributes[i].handle == NULL) {
    make(i);
  } else if (what >= 128) {
    api->ReleaseOpAttr(attributes[i].handle);
    attributes[i].handle = NULL;
  } else {
    read_back(i);
  }
}

void end_attributes(void) {
  for (size_t i = 0; i < ATTRIBUTES; i++) {
    api->ReleaseOpAttr(attributes[i].handle);
    attributes[i].handle = NULL;
  }
  api->ReleaseCustomOpDomain(domain);
  domain = NULL;
}
