/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "heap.h"

/* A message keeps this many bytes, as in the reference implementation. */
#define MESSAGE_LIMIT 4096

static const struct OrtStatus out_of_memory = {ORT_RUNTIME_EXCEPTION, 1, "out of memory"};

OrtStatus* core_constant_status(const struct OrtStatus* constant) {
  heap_created(CORE_STATUS);
  return (OrtStatus*)constant;
}

/* A status with room for `length` bytes of message; the constant one where there is no memory. */
static OrtStatus* new_status(OrtErrorCode code, size_t length) {
  struct OrtStatus* status = heap_alloc(sizeof *status + length + 1);
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
  heap_created(CORE_STATUS);
  status->code = code;
  status->is_constant = 0;
  status->message = (char*)(status + 1);
  ((char*)(status + 1))[length] = '\0';
  return status;
}

/* The longest prefix of at most MESSAGE_LIMIT bytes that does not end inside a UTF-8 character. */
static size_t cut(const char* message) {
  size_t end = MESSAGE_LIMIT;
  while (end > MESSAGE_LIMIT - 4 && ((unsigned char)message[end] & 0xC0) == 0x80) {
    end--;
  }
  /* More continuation bytes than any character has: not UTF-8, so there is nothing to keep whole. */
  return ((unsigned char)message[end] & 0xC0) == 0x80 ? MESSAGE_LIMIT : end;
}

ORT_API_STATUS_IMPL(ort_CreateStatus, OrtErrorCode code, const char* msg) {
  size_t length = 0;
  if (CORE_LIKELY(msg != NULL)) {
    length = strnlen(msg, MESSAGE_LIMIT + 1);
    length = CORE_LIKELY(length <= MESSAGE_LIMIT) ? length : cut(msg);
  }
  OrtStatus* status = new_status(code, length);
  if (CORE_LIKELY(!status->is_constant)) {
    memcpy(status + 1, msg == NULL ? "" : msg, length);
  }
  return status;
}

OrtStatus* core_status(OrtErrorCode code, const char* before, const char* middle,
                       const char* after) {
  const char* pieces[] = {before, middle, after};
  size_t lengths[CORE_COUNT_OF(pieces)];
  size_t length = 0;
  for (size_t i = 0; i < CORE_COUNT_OF(pieces); i++) {
    lengths[i] = pieces[i] == NULL ? 0 : strnlen(pieces[i], MESSAGE_LIMIT - length);
    length += lengths[i];
  }
  OrtStatus* status = new_status(code, length);
  if (CORE_LIKELY(!status->is_constant)) {
    char* end = (char*)(status + 1);
    for (size_t i = 0; i < CORE_COUNT_OF(pieces); i++) {
      memcpy(end, pieces[i] == NULL ? "" : pieces[i], lengths[i]);
      end += lengths[i];
    }
  }
  return status;
}

/* Writes a number's decimal digits and returns how many there are. Two at a time: a failing
 * allocation should cost less than a successful one elsewhere. */
static size_t write_decimal(char* out, size_t number) {
  char digits[20];
  char* at = digits + sizeof digits;
  while (number >= 100) {
    unsigned two = (unsigned)(number % 100);
    number /= 100;
    *--at = (char)('0' + two % 10);
    *--at = (char)('0' + two / 10);
  }
  *--at = (char)('0' + number % 10);
  if (number >= 10) {
    *--at = (char)('0' + number / 10);
  }
  size_t length = (size_t)(digits + sizeof digits - at);
  memcpy(out, at, length);
  return length;
}

OrtStatus* core_out_of_memory(const char* function, size_t size) {
  char text[160];
  static const char middle[] = ": out of memory: no block of ";
  static const char last[] = " bytes is to be had";
  size_t length = strnlen(function, 64);
  memcpy(text, function, length);
  memcpy(text + length, middle, sizeof middle - 1);
  length += sizeof middle - 1;
  length += write_decimal(text + length, size);
  memcpy(text + length, last, sizeof last - 1);
  length += sizeof last - 1;
  OrtStatus* status = new_status(ORT_RUNTIME_EXCEPTION, length);
  if (CORE_LIKELY(!status->is_constant)) {
    memcpy(status + 1, text, length);
  }
  return status;
}

OrtErrorCode ORT_API_CALL ort_GetErrorCode(const OrtStatus* status) NO_EXCEPTION {
  return CORE_LIKELY(status != NULL) ? status->code : ORT_OK;
}

const char* ORT_API_CALL ort_GetErrorMessage(const OrtStatus* status) NO_EXCEPTION {
  return CORE_LIKELY(status != NULL) ? status->message : "";
}

void ORT_API_CALL ort_ReleaseStatus(OrtStatus* input) NO_EXCEPTION {
  if (input == NULL) {
    return;
  }
  heap_released(CORE_STATUS);
  if (!input->is_constant) {
    heap_free(input);
  }
}

int64_t core_live_objects(enum core_kind kind) { return heap_live_objects(kind); }
