/* SPDX-License-Identifier: MIT */
/*
 *     behaviour                 lists the names of the calls
 *     behaviour LIBRARY NAME    makes one call and prints its answer
 *     behaviour LIBRARY         makes all calls, on a library that survives them
 */
#include "behaviour.h"

#include <stdarg.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#endif

const OrtApiBase* base;
const OrtApi* api;

extern const struct call* const __start_calls[];
extern const struct call* const __stop_calls[];

static const char* const code_names[] = {
#define ORT_ERROR_CODE(name, value) [value] = #name,
#include "ort_error_codes.def"
};

static bool is_first;

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs(is_first ? "" : "; ", stdout);
  vprintf(format, arguments);
  is_first = false;
  va_end(arguments);
  fflush(stdout);
}

bool say_status(OrtStatus* status) {
  if (status == NULL) {
    say("OK");
    return true;
  }
  int code = (int)api->GetErrorCode(status);
  const char* message = api->GetErrorMessage(status);
  if (code >= 0 && code < (int)(sizeof code_names / sizeof code_names[0])) {
    say("%s: \"%s\"", code_names[code] + strlen("ORT_"), message);
  } else {
    say("code %d: \"%s\"", code, message);
  }
  api->ReleaseStatus(status);
  return false;
}

void say_pointer(const void* pointer) { say(pointer == NULL ? "NULL" : "non-NULL"); }

void say_out(const void* out, const void* before) {
  say(out == before ? "out=untouched" : out == NULL ? "out=NULL" : "out=set");
}

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const struct call* const* call = __start_calls; call < __stop_calls; call++) {
      puts((*call)->name);
    }
    return 0;
  }
  CHECK(argc <= 3);
  /* A crash is an answer, and leaves no file behind. */
#if !defined(_WIN32)
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#endif
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  base = get_base();
  api = base->GetApi(ORT_API_VERSION);
  CHECK(api != NULL);
  bool found = false;
  for (const struct call* const* call = __start_calls; call < __stop_calls; call++) {
    if (argc == 2 || strcmp((*call)->name, argv[2]) == 0) {
      is_first = true;
      (*call)->make();
      putchar('\n');
      found = true;
    }
  }
  if (found) {
    return 0;
  }
  fprintf(stderr, "there is no call of the name %s\n", argv[2]);
  return 2;
}
