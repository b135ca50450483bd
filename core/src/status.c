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

/* A status with room for `length` bytes of message, to be written behind it; NULL where there is no
 * memory. */
static inline OrtStatus* new_status(OrtErrorCode code, size_t length) {
  struct OrtStatus* status = heap_alloc(sizeof *status + length + 1);
  if (CORE_LIKELY(status != NULL)) {
    heap_created(CORE_STATUS);
    status->code = code;
    status->is_constant = 0;
    status->message = (char*)(status + 1);
    ((char*)(status + 1))[length] = '\0';
  }
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
  msg = CORE_LIKELY(msg != NULL) ? msg : "";
  size_t length = strnlen(msg, MESSAGE_LIMIT + 1);
  length = CORE_LIKELY(length <= MESSAGE_LIMIT) ? length : cut(msg);
  OrtStatus* status = new_status(code, length);
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
#if defined(__GNUC__)
  /* A compiler that knows the bound copies with `rep movs`, which starts slowly. */
  __asm__("" : "+r"(length));
#endif
  memcpy(status + 1, msg, length);
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
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
  char* end = (char*)(status + 1);
  for (size_t i = 0; i < CORE_COUNT_OF(pieces); i++) {
    memcpy(end, pieces[i] == NULL ? "" : pieces[i], lengths[i]);
    end += lengths[i];
  }
  return status;
}

/* Writes four decimal digits. */
static char* write_four(char* out, unsigned number) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  memcpy(out, pairs + 2 * (number / 100), 2);
  memcpy(out + 2, pairs + 2 * (number % 100), 2);
  return out + 4;
}

/* Writes a number's decimal digits and returns the end. Groups that do not wait for each other,
 * because a failing allocation should cost less than a successful one elsewhere. */
static char* write_decimal(char* out, uint64_t number) {
  char digits[20];
  unsigned high = (unsigned)(number / 10000000000000000U);
  uint64_t rest = number % 10000000000000000U;
  unsigned middle = (unsigned)(rest / 100000000U);
  unsigned low = (unsigned)(rest % 100000000U);
  char* at = write_four(digits, high);
  at = write_four(at, middle / 10000U);
  at = write_four(at, middle % 10000U);
  at = write_four(at, low / 10000U);
  write_four(at, low % 10000U);
  size_t zeros = 0;
  while (zeros < sizeof digits - 1 && digits[zeros] == '0') {
    zeros++;
  }
  memcpy(out, digits + zeros, sizeof digits - zeros);
  return out + sizeof digits - zeros;
}

#define FUNCTION_LIMIT 48

OrtStatus* core_out_of_memory(const char* function, size_t size) {
  static const char before[] = ": out of memory: there is no block of ";
  static const char after[] = " bytes";
  OrtStatus* status =
      new_status(ORT_RUNTIME_EXCEPTION, FUNCTION_LIMIT + sizeof before + 20 + sizeof after);
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
  size_t length = strnlen(function, FUNCTION_LIMIT);
  char* at = (char*)memcpy(status + 1, function, length) + length;
  memcpy(at, before, sizeof before - 1);
  at = write_decimal(at + sizeof before - 1, size);
  memcpy(at, after, sizeof after);
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
