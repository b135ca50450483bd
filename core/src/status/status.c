/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "object/object.h"
#include "status/notes.h"

/* Longer messages are cut to this many bytes, as in ONNX Runtime. */
#define MESSAGE_LIMIT 4096

const struct core_class core_status_class = {.kind = CORE_STATUS};

static const struct OrtStatus out_of_memory =
    CORE_CONSTANT_STATUS(ORT_RUNTIME_EXCEPTION, "out of memory");

OrtStatus* core_constant_status(const struct OrtStatus* constant) {
  heap_created(CORE_STATUS);
  return (OrtStatus*)constant;
}

/* Replaces what would change a terminal: a message may have names of a model. */
static void make_printable(char* text) {
  for (unsigned char* at = (unsigned char*)text; *at != '\0'; at++) {
    bool is_c1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
    if (is_c1 || (*at < ' ' && *at != '\n') || *at == 0x7F) {
      at[is_c1] = '?';
      *at = '?';
    }
  }
}

/* Makes a status with room for `length` bytes of message behind it; NULL when out of memory. */
static inline CORE_INLINE OrtStatus* new_status(OrtErrorCode code, size_t length) {
  struct OrtStatus* status = heap_alloc_object(sizeof *status + length + 1);
  if (CORE_UNLIKELY(status == NULL)) {
    return NULL;
  }
  heap_created(CORE_STATUS);
  status->object = (struct core_object){&core_status_class, 1, code};
  status->message = (char*)(status + 1);
  ((char*)(status + 1))[length] = '\0';
  return status;
}

/* Returns the length of the longest prefix of at most MESSAGE_LIMIT bytes that does not split a
 * UTF-8 character. */
static size_t cut(const char* message) {
  size_t end = MESSAGE_LIMIT;
  while (end > MESSAGE_LIMIT - 4 && ((unsigned char)message[end] & 0xC0) == 0x80) {
    end--;
  }
  /* Too many continuation bytes for UTF-8, so there is no character to keep whole. */
  return ((unsigned char)message[end] & 0xC0) == 0x80 ? MESSAGE_LIMIT : end;
}

ORT_API_STATUS_IMPL(ort_CreateStatus, OrtErrorCode code, const char* msg) {
  msg = msg != NULL ? msg : "";
  size_t length = strlen(msg);
  length = CORE_LIKELY(length <= MESSAGE_LIMIT) ? length : cut(msg);
  OrtStatus* status = new_status(code, length);
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
  memcpy(status + 1, msg, length);
  return status;
}

/* Room in front of a text for the name of a slot and ": ". Only a status without a name has its
 * message behind so much room. */
#define NAME_ROOM 80

static CORE_COLD OrtStatus* format_status(OrtErrorCode code, size_t room, const char* format,
                                          va_list arguments) {
  char text[MESSAGE_LIMIT + 1 + 4]; /* as much as `cut` reads */
  int written = vsnprintf(text, sizeof text, format, arguments);
  size_t length = written < 0 ? 0 : (size_t)written;
  length = length <= MESSAGE_LIMIT ? length : cut(text);
  OrtStatus* status = new_status(code, room + length);
  if (status == NULL) {
    return core_constant_status(&out_of_memory);
  }
  status->message = memcpy((char*)(status + 1) + room, text, length);
  make_printable((char*)status->message);
  return status;
}

OrtStatus* core_status(OrtErrorCode code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  OrtStatus* status = format_status(code, 0, format, arguments);
  va_end(arguments);
  return status;
}

OrtStatus* core_fail(OrtErrorCode code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  OrtStatus* status = format_status(code, NAME_ROOM, format, arguments);
  va_end(arguments);
  return status;
}

static bool lacks_name(const OrtStatus* status) {
  return !core_is_permanent(&status->object) &&
         status->message == (const char*)(status + 1) + NAME_ROOM;
}

OrtStatus* core_about(OrtStatus* status, const char* format, ...) {
  if (status == NULL || !lacks_name(status)) {
    return status;
  }
  va_list arguments;
  va_start(arguments, format);
  OrtStatus* text = format_status(ORT_FAIL, 0, format, arguments);
  va_end(arguments);
  OrtStatus* whole = core_fail(ort_GetErrorCode(status), "%s: %s", text->message, status->message);
  ort_ReleaseStatus(text);
  ort_ReleaseStatus(status);
  return whole;
}

CORE_COLD OrtStatus* core_name_failure(const char* name, OrtStatus* status) {
  size_t length = strlen(name);
  if (lacks_name(status) && length + 2 <= NAME_ROOM) {
    char* start = (char*)(status + 1) + NAME_ROOM - length - 2;
    memcpy(start, name, length);
    memcpy(start + length, ": ", 2);
    status->message = start;
  }
  return status;
}

/* Converts a number below 10^8 to eight decimal digits, one per byte, the first in the lowest byte.
 * It splits the number into halves, quarters and digits, side by side in one word. */
static uint64_t eight_digits(uint64_t number) {
  uint64_t x = number / 10000 | (number % 10000) << 32;
  uint64_t hundreds = (x * 10486) >> 20 & 0x0000007F0000007FU;
  x = hundreds | (x - 100 * hundreds) << 16;
  uint64_t tens = (x * 103) >> 10 & 0x000F000F000F000FU;
  return tens | (x - 10 * tens) << 8;
}

/* Writes digits without the first `skip` and returns the end. Writes eight bytes in any case. */
static char* write_digits(char* out, uint64_t digits, unsigned skip) {
  digits = (digits + 0x3030303030303030U) >> (8 * skip);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  digits = __builtin_bswap64(digits);
#endif
  memcpy(out, &digits, sizeof digits);
  return out + 8 - skip;
}

#define EIGHT 100000000U

/* Writes a number in decimal and returns the end; needs DECIMAL_ROOM bytes. A loop over the digits
 * would take longer than the rest of a failing allocation. */
static char* write_decimal(char* out, uint64_t number) {
  uint64_t first = number / EIGHT;
  if (first >= EIGHT) {
    out = write_decimal(out, first);
  } else {
    uint64_t digits = eight_digits(first > 0 ? first : number);
    unsigned skip = digits == 0 ? 7 : (unsigned)__builtin_ctzll(digits) / 8;
    out = write_digits(out, digits, skip);
  }
  return first > 0 ? write_digits(out, eight_digits(number % EIGHT), 0) : out;
}

#define DECIMAL_ROOM 28

OrtStatus* core_out_of_memory(const char* before, size_t length, size_t size) {
  static const char after[] = " bytes";
  OrtStatus* status = new_status(ORT_RUNTIME_EXCEPTION, length + DECIMAL_ROOM + sizeof after);
  if (CORE_UNLIKELY(status == NULL)) {
    return core_constant_status(&out_of_memory);
  }
  char* at = (char*)memcpy(status + 1, before, length) + length;
  memcpy(write_decimal(at, size), after, sizeof after);
  return status;
}

OrtStatus* core_first_failure(OrtStatus* status, OrtStatus* later) {
  if (status == NULL) {
    return later;
  }
  ort_ReleaseStatus(later);
  return status;
}

OrtStatus* core_no_memory(size_t size) {
  return core_fail(ORT_RUNTIME_EXCEPTION, "out of memory: there is no block of %zu bytes", size);
}

OrtErrorCode ORT_API_CALL ort_GetErrorCode(const OrtStatus* status) NO_EXCEPTION {
  return CORE_LIKELY(status != NULL) ? (OrtErrorCode)status->object.type : ORT_OK;
}

const char* ORT_API_CALL ort_GetErrorMessage(const OrtStatus* status) NO_EXCEPTION {
  return CORE_LIKELY(status != NULL) ? status->message : "";
}

static CORE_NOINLINE void release_slow(OrtStatus* status) {
  heap_released(CORE_STATUS);
  heap_free_object(status);
}

/* A constant, or a noted status. */
static CORE_COLD void release_other(OrtStatus* status) {
  if (core_is_permanent(&status->object)) {
    heap_released(CORE_STATUS);
  } else {
    core_forget(status);
    release_slow(status);
  }
}

void ORT_API_CALL ort_ReleaseStatus(OrtStatus* input) NO_EXCEPTION {
  if (input == NULL) {
    return;
  }
  if (CORE_UNLIKELY(input->object.references != 1)) {
    release_other(input);
  } else if (CORE_LIKELY(heap_try_free_object(input))) {
    heap_released_at_once(CORE_STATUS);
  } else {
    release_slow(input);
  }
}

OrtStatus* core_note_status(OrtStatus* status, uint64_t* alive) {
  if (status == NULL || status->object.references == CORE_NOTED_STATUS) {
    return status;
  }
  if (core_is_permanent(&status->object)) {
    /* A constant may be handed out again while it is noted. */
    OrtStatus* constant = status;
    status = core_status((OrtErrorCode)constant->object.type, "%s", constant->message);
    ort_ReleaseStatus(constant);
  }
  if (!core_is_permanent(&status->object) && core_note_as(status, alive, true)) {
    status->object.references = CORE_NOTED_STATUS;
  }
  return status;
}
