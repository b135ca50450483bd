/* SPDX-License-Identifier: MIT */
/* What execution providers leave in compiled models. */
#include "behaviour_files.h"
#include "behaviour_values.h"

/* A model without a graph: IR version 8, and an entry of the metadata. */
#define ENTRY(size, key, value) "\x72" size key value
#define OF_X \
  "\x0a\x17" \
  "ep_compatibility_info.X"
static const char model[] = "\x08\x08" ENTRY("\x06",
                                             "\x0a\x01"
                                             "a",
                                             "\x12\x01"
                                             "b") ENTRY("\x1e", OF_X,
                                                        "\x12\x03"
                                                        "one") ENTRY("\x1e", OF_X,
                                                                     "\x12\x03"
                                                                     "two");
static const char empty_value[] = ENTRY("\x1b", OF_X, "\x12\x00");
static const char no_value[] = ENTRY("\x19", OF_X, "");

/* Says an answer, and frees its text. */
static void compatibility_say_text(OrtStatus* status, char* text, OrtAllocator* with) {
  if (say_status(status)) {
    say("%s", text == NULL ? "NULL" : text);
    CHECK(text == NULL || api->AllocatorFree(with, text) == NULL);
  }
}

static void ask(const void* bytes, size_t size, const char* ep_type, OrtAllocator* with) {
  char* text = NULL;
  OrtStatus* status = api->GetCompatibilityInfoFromModelBytes(bytes, size, ep_type, with, &text);
  compatibility_say_text(status, text, with);
}

#define ASK(name, bytes, ep_type)                        \
  CALL("GetCompatibilityInfoFromModelBytes(" name ")") { \
    ask(bytes, sizeof bytes - 1, ep_type, allocator());  \
  }

ASK("X", model, "X")
ASK("Y", model, "Y")
ASK("name=empty", model, "")
ASK("empty value", empty_value, "X")
ASK("no value", no_value, "X")
ASK("no model", "hello world", "X")
ASK("entry cut off",
    "\x72\x06\x0a\x07"
    "aabb",
    "X")
ASK("length too large", "\x08\x08\x72\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "X")
ASK("field 0", "\x00\x00", "X")
ASK("number without end", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "X")
ASK("other forms of fields",
    "\x09"
    "12345678"
    "\x15"
    "1234"
    "\x70\x01",
    "X")
CALL("GetCompatibilityInfoFromModelBytes(length=0)") { ask(model, 0, "X", allocator()); }

static void ask_file(const ORTCHAR_T* path, const char* ep_type) {
  char* text = NULL;
  OrtStatus* status = api->GetCompatibilityInfoFromModel(path, ep_type, allocator(), &text);
  compatibility_say_text(status, text, allocator());
}

/* Asks a file with these bytes. */
static void ask_new_file(const char* bytes, size_t size) {
  char root[FOLDER_ROOM], path[FILE_ROOM];
  ORTCHAR_T native[FILE_ROOM];
  make_temporary_folder(root);
  write_bytes(root, "m.onnx", bytes, size);
  snprintf(path, sizeof path, "%s/m.onnx", root);
  to_native(path, native);
  ask_file(native, "X");
  remove_from(root, "m.onnx");
  rmdir(root);
}

CALL("GetCompatibilityInfoFromModel(file)") { ask_new_file(model, sizeof model - 1); }
CALL("GetCompatibilityInfoFromModel(empty file)") { ask_new_file(model, 0); }
CALL("GetCompatibilityInfoFromModel(no model)") { ask_new_file("hello world", 11); }
CALL("GetCompatibilityInfoFromModel(no file)") { ask_file(ORT_TSTR("no/such.onnx"), "X"); }
CALL("GetCompatibilityInfoFromModel(folder)") { ask_file(ORT_TSTR("."), "X"); }
CALL("GetCompatibilityInfoFromModel(long path)") {
  ORTCHAR_T path[6001];
  for (size_t i = 0; i < 6000; i++) {
    path[i] = i % 2 == 0 ? '.' : '/';
  }
  path[6000] = 0;
  ask_file(path, "X");
}
CALL("GetCompatibilityInfoFromModel(path=empty)") { ask_file(ORT_TSTR(""), "X"); }
CALL("GetCompatibilityInfoFromModel(name=empty)") { ask_file(ORT_TSTR("."), ""); }
