/* SPDX-License-Identifier: MIT */
/*
 *     behaviour                 lists the names of the calls
 *     behaviour LIBRARY NAME    makes one call and prints its answer
 *     behaviour LIBRARY         makes all calls, on a library that survives them
 *     behaviour LIBRARY each    makes all calls, each in a process of its own, and prints for each
 *                               its name, its answer and how the process ended, as text between
 *                               the separators of ASCII
 */
#include "behaviour.h"

#include "../clients/client.h"

#include <inttypes.h>
#include <stdarg.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

const OrtApiBase* base;
const OrtApi* api;
uint32_t api_version;

/* The linker's names for the ends of the section. */
#if defined(__APPLE__)
extern const struct call* const first_call[] __asm("section$start$__DATA$calls");
extern const struct call* const end_of_calls[] __asm("section$end$__DATA$calls");
#else
extern const struct call* const first_call[] __asm("__start_calls");
extern const struct call* const end_of_calls[] __asm("__stop_calls");
#endif

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

/* A copy of a message on one line, as the recorded answers are. */
static const char* on_one_line(const char* message) {
  static char line[8192];
  size_t i = 0;
  for (; message[i] != 0 && i < sizeof line - 1; i++) {
    line[i] = message[i] == '\n' ? ' ' : message[i];
  }
  line[i] = 0;
  return line;
}

bool say_status(OrtStatus* status) {
  if (status == NULL) {
    say("OK");
    return true;
  }
  int code = (int)api->GetErrorCode(status);
  const char* message = on_one_line(api->GetErrorMessage(status));
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

const char* long_text(char letter, size_t length) {
  static char text[10000];
  CHECK(length < sizeof text);
  memset(text, letter, length);
  text[length] = '\0';
  return text;
}

OrtCustomThreadHandle create_thread(void* options, OrtThreadWorkerFn worker, void* argument) {
  (void)options, (void)worker, (void)argument;
  return NULL;
}

void join_thread(OrtCustomThreadHandle thread) { (void)thread; }

#if !defined(_WIN32)
/* A child has the library from its parent, loaded. */
static void make_in_a_child(const struct call* call) {
  int end = 0;
  printf("%s\x1F", call->name);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    is_first = true;
    call->make();
    fflush(stdout);
    _exit(0); /* the threads of the real library, for which it would wait, are its parent's */
  }
  CHECK(child > 0 && waitpid(child, &end, 0) == child);
  printf("\x1F%d\x1E", WIFSIGNALED(end) ? -WTERMSIG(end) : WEXITSTATUS(end));
}

/* Whether there must have been no environment in the process before. */
static bool comes_first(const struct call* call) {
  return strstr(call->name, "(no environment)") != NULL;
}

static void make_each_that_comes_first(bool first) {
  for (const struct call* const* call = first_call; call < end_of_calls; call++) {
    if (comes_first(*call) == first) {
      make_in_a_child(*call);
    }
  }
}
#endif

static int make_each(void) {
#if defined(_WIN32)
  fprintf(stderr, "there is no fork here\n");
  return 2;
#else
  make_each_that_comes_first(true);
  /* With the first environment of a process the real library registers all operators, which takes
   * longer than a call. */
  OrtEnv* env = NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "each", &new_));
  api->ReleaseEnv(env);
  make_each_that_comes_first(false);
  return 0;
#endif
}

static bool make_calls(const char* name) {
  bool found = false;
  for (const struct call* const* call = first_call; call < end_of_calls; call++) {
    if (name == NULL || strcmp((*call)->name, name) == 0) {
      is_first = true;
      (*call)->make();
      putchar('\n');
      found = true;
    }
  }
  return found;
}

int main(int argc, char** argv) {
  const char* name = argc > 2 ? argv[2] : NULL;
  if (argc == 1) {
    for (const struct call* const* call = first_call; call < end_of_calls; call++) {
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
  /* An older library has a shorter table: calls of the slots that it lacks are not recorded. */
  CHECK(sscanf(base->GetVersionString(), "1.%" SCNu32, &api_version) == 1);
  api_version = api_version < ORT_API_VERSION ? api_version : ORT_API_VERSION;
  api = base->GetApi(api_version);
  CHECK(api != NULL);
  if (name != NULL && strcmp(name, "each") == 0) {
    return make_each();
  }
  if (make_calls(name)) {
    return 0;
  }
  fprintf(stderr, "there is no call of the name %s\n", name);
  return 2;
}
