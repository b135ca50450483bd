/* SPDX-License-Identifier: MIT */
/* Tensors of strings. */
#include "behaviour_values.h"

/* Three elements: "ab", "", "cdefgh". */
static OrtValue* three(void) { return STRINGS("ab", "", "cdefgh"); }
static OrtValue* strings_sequence(void) { return SEQUENCE(FLOATS(1)); }

static void fill(OrtValue* value, const char* const* s, size_t count) {
  if (say_status(api->FillStringTensor(value, s, count))) {
    say_tensor(value);
  }
}
#define OF(...) LIST(char* const, __VA_ARGS__)
CALL("FillStringTensor(v,NULL,3)") { fill(three(), NULL, 3); }
CALL("FillStringTensor(v,s,3) of 3") {
  fill(three(), OF("", "a text of more bytes than fit inside", "fifteen letters"));
}
CALL("FillStringTensor(v,s,2) of 3") { fill(three(), OF("a", "b")); }
CALL("FillStringTensor(v,s,4) of 3") { fill(three(), OF("a", "b", "c", "d")); }
CALL("FillStringTensor(v,s,0) of 0") { fill(TENSOR(STRING, 0), NULL, 0); }
CALL("FillStringTensor with NULL element") { fill(three(), OF("a", "b", NULL)); }
CALL("FillStringTensor(float tensor)") { fill(FLOATS(1, 2, 3), OF("a", "b", "c")); }
CALL("FillStringTensor(sequence)") { fill(strings_sequence(), OF("a")); }
CALL("FillStringTensor invalid UTF-8") {
  OrtValue* value = STRINGS("\xFF\x80(\xC3");
  unsigned char kept[5] = {0};
  say_status(api->GetStringTensorElement(value, 4, 0, kept));
  say("%02x %02x %02x %02x", kept[0], kept[1], kept[2], kept[3]);
}
CALL("FillStringTensor of a text that is filled in again") {
  OrtValue* value = three();
  fill(value, OF("longer than what stood there before", "x", ""));
  fill(value, OF("", "longer than what stood there before", "x"));
  api->ReleaseValue(value);
}

static void fill_element(OrtValue* value, const char* s, size_t index) {
  if (say_status(api->FillStringTensorElement(value, s, index))) {
    say_tensor(value);
  }
  api->ReleaseValue(value);
}
CALL("FillStringTensorElement(v,s,1)") { fill_element(three(), "new, and longer than before", 1); }
CALL("FillStringTensorElement(v,s,3) of 3") { fill_element(three(), "x", 3); }
CALL("FillStringTensorElement(v,s,SIZE_MAX)") { fill_element(three(), "x", SIZE_MAX); }
CALL("FillStringTensorElement(float tensor)") { fill_element(FLOATS(1), "x", 0); }
CALL("FillStringTensorElement(sequence)") { fill_element(strings_sequence(), "x", 0); }

static void data_length(const OrtValue* value) {
  size_t length = 99;
  say_status(api->GetStringTensorDataLength(value, &length));
  say("%zu", length);
}
CALL("GetStringTensorDataLength(v)") { data_length(three()); }
CALL("GetStringTensorDataLength(no elements)") { data_length(TENSOR(STRING, 0)); }
CALL("GetStringTensorDataLength(float tensor)") { data_length(FLOATS(1)); }
CALL("GetStringTensorDataLength(sequence)") { data_length(strings_sequence()); }

static void content(const OrtValue* value, size_t size, size_t offsets_length) {
  char buffer[13] = "############";
  size_t offsets[4] = {777, 777, 777, 777};
  say_status(api->GetStringTensorContent(value, buffer, size, offsets, offsets_length));
  say("%s %zu,%zu,%zu,%zu", buffer, offsets[0], offsets[1], offsets[2], offsets[3]);
}
CALL("GetStringTensorContent(8 bytes, 3 offsets)") { content(three(), 8, 3); }
CALL("GetStringTensorContent(7 bytes)") { content(three(), 7, 3); }
CALL("GetStringTensorContent(0 bytes)") { content(three(), 0, 3); }
CALL("GetStringTensorContent(9 bytes)") { content(three(), 9, 3); }
CALL("GetStringTensorContent(2 offsets)") { content(three(), 8, 2); }
CALL("GetStringTensorContent(4 offsets)") { content(three(), 8, 4); }
CALL("GetStringTensorContent(0 offsets)") { content(three(), 8, 0); }
CALL("GetStringTensorContent(float tensor)") { content(FLOATS(1, 2, 3), 8, 3); }
CALL("GetStringTensorContent(sequence)") { content(strings_sequence(), 8, 1); }
CALL("GetStringTensorContent(s NULL)") {
  size_t offsets[3];
  say_status(api->GetStringTensorContent(three(), NULL, 8, offsets, 3));
}
CALL("GetStringTensorContent(offsets NULL)") {
  char buffer[8];
  say_status(api->GetStringTensorContent(three(), buffer, 8, NULL, 3));
}
CALL("GetStringTensorContent(empty strings, s NULL)") {
  size_t offsets[2] = {777, 777};
  say_status(api->GetStringTensorContent(STRINGS("", ""), NULL, 0, offsets, 2));
  say("%zu,%zu", offsets[0], offsets[1]);
}

static void element_length(const OrtValue* value, size_t index) {
  size_t length = 99;
  say_status(api->GetStringTensorElementLength(value, index, &length));
  say("%zu", length);
}
CALL("GetStringTensorElementLength(v,2)") { element_length(three(), 2); }
CALL("GetStringTensorElementLength(v,3)") { element_length(three(), 3); }
CALL("GetStringTensorElementLength(v,SIZE_MAX)") { element_length(three(), SIZE_MAX); }
CALL("GetStringTensorElementLength(float tensor)") { element_length(FLOATS(1), 0); }
CALL("GetStringTensorElementLength(sequence)") { element_length(strings_sequence(), 0); }

static void element(const OrtValue* value, size_t size, size_t index) {
  char buffer[12] = "###########";
  say_status(api->GetStringTensorElement(value, size, index, buffer));
  say("%s", buffer);
}
CALL("GetStringTensorElement(v,6,2)") { element(three(), 6, 2); }
CALL("GetStringTensorElement(v,5,2) short") { element(three(), 5, 2); }
CALL("GetStringTensorElement(v,9,2) long") { element(three(), 9, 2); }
CALL("GetStringTensorElement(v,6,3)") { element(three(), 6, 3); }
ANSWER("GetStringTensorElement(v,6,2,NULL)", api->GetStringTensorElement(three(), 6, 2, NULL))
ANSWER("GetStringTensorElement(v,0,1,NULL) empty string",
       api->GetStringTensorElement(three(), 0, 1, NULL))

static void resized(OrtValue* value, size_t index, size_t length) {
  char* buffer = UNTOUCHED;
  size_t now = 99;
  if (say_status(api->GetResizedStringTensorElementBuffer(value, index, length, &buffer))) {
    CHECK(api->GetStringTensorElementLength(value, index, &now) == NULL);
    memset(buffer, 'x', now);
    say("%zu", now);
    say_tensor(value);
  } else {
    say_out(buffer, UNTOUCHED);
  }
  api->ReleaseValue(value);
}
CALL("GetResizedStringTensorElementBuffer(v,0,5)") { resized(three(), 0, 5); }
CALL("GetResizedStringTensorElementBuffer(v,2,60)") { resized(three(), 2, 60); }
CALL("GetResizedStringTensorElementBuffer(v,0,0)") { resized(three(), 0, 0); }
CALL("GetResizedStringTensorElementBuffer(v,3,5)") { resized(three(), 3, 5); }
CALL("GetResizedStringTensorElementBuffer(v,0,SIZE_MAX)") { resized(three(), 0, SIZE_MAX); }
CALL("GetResizedStringTensorElementBuffer(float tensor)") { resized(FLOATS(1), 0, 5); }
CALL("GetResizedStringTensorElementBuffer keeps what fits") {
  OrtValue* value = three();
  char* buffer = NEW(char, api->GetResizedStringTensorElementBuffer(value, 2, 4, &new_));
  say("%.4s", buffer);
  CHECK(api->GetResizedStringTensorElementBuffer(value, 2, 40, &buffer) == NULL);
  say("%.4s then %d", buffer, buffer[4]);
  api->ReleaseValue(value);
}
