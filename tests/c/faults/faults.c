/* SPDX-License-Identifier: MIT */
/*
 * Each allocation inside each call fails once: alone, and with all that follow it in that call. The
 * call must answer with a clean status for a lack of memory, leave nothing behind, and touch no
 * variable of its caller; made again with enough memory, it must do what it does otherwise, so that
 * the answer is the usual one. The calls are those of `faults_*.c`, and as a library, faults.so,
 * the rows of the conformance suite, which Python makes.
 *
 * faults: linked with the core's objects, built on the C library's malloc, with -Wl,--wrap for what
 * allocates. The calls go through a table whose functions forward to the core's. An allocation is
 * known by the functions that led to it, and whether it is their first in the call: so each fails
 * where it is reached first. Prints each slot with the number of its allocations that failed.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "faults.h"
#include "heap/heap.h"
#include "table/arguments.inc"
#include "table/versions.h"

const OrtApi* api;

/* The linker's names for the ends of the section. */
extern const struct call* const first_call[] __asm("__start_calls");
extern const struct call* const end_of_calls[] __asm("__stop_calls");

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
  say("code %d: %s", (int)api->GetErrorCode(status), api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  return false;
}

void say_pointer(const void* pointer) { say(pointer == NULL ? "NULL" : "non-NULL"); }

#define SLOT(name) CORE_JOIN(slot_, CORE_SYMBOL(name))
#define THUNK(name) CORE_JOIN(thunk_, CORE_SYMBOL(name))
#define INNER CORE_JOIN(inner_, ORT_TABLE)
#define OUTER CORE_JOIN(outer_, ORT_TABLE)

#define ROW(index, since, topic, who, returns, name, parameters) SLOT(name),
enum slot {
  slot_beside = BESIDE_THE_TABLES,
#define ROWS "ort_rows.def"
#include "ort_tables.def"
  SLOTS
};
#undef ROW
#define ROW(index, since, topic, who, returns, name, parameters) \
  [SLOT(name)] = CORE_TEXT(ORT_CALLER(name)),
static const char* const names[SLOTS] = {
    [slot_beside] = "beside",
#define ROWS "ort_rows.def"
#include "ort_tables.def"
};
#undef ROW

/* What all attempts share: the allocations that failed, and for each slot how often it was called,
 * and how many of them it had. */
#define PLACES ((size_t)1 << 16)
struct record {
  uint64_t tried[PLACES];
  unsigned calls[SLOTS];
  unsigned faults[SLOTS];
  int last; /* that had one */
};
static struct record* record;

/* Of an attempt: whether no allocation has failed so far, or one has in the call that is under way,
 * or all is over. */
static enum { SEARCHES, LACKS, IS_OVER } state;
static bool all_that_follow;
/* Whether the answer may be another than the usual one. */
static bool may_differ;
/* In the call that is under way: how many allocations it has made, which one is the first to fail,
 * and where the frame of its caller begins. */
static uint64_t made, first_to_fail;
static const char* outermost;
static int slot_of_call;
static __thread int depth;

struct stack {
  uint64_t hash;
};
static _Unwind_Reason_Code add_frame(struct _Unwind_Context* context, void* argument) {
  struct stack* stack = argument;
  stack->hash = (stack->hash ^ _Unwind_GetIP(context)) * UINT64_C(0x9e3779b97f4a7c15);
  stack->hash ^= stack->hash >> 29;
  return (const char*)_Unwind_GetCFA(context) >= outermost ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Whether an allocation has not failed yet. From now on it has. */
static bool is_new(void) {
  static uint8_t seen[1 << 12]; /* in this call, by their hashes */
  struct stack stack = {all_that_follow};
  _Unwind_Backtrace(add_frame, &stack);
  if (made == 0) {
    memset(seen, 0, sizeof seen);
  }
  uint8_t* times = &seen[stack.hash % sizeof seen];
  *times = *times < 2 ? *times + 1 : 2;
  uint64_t key = stack.hash * 4 + *times;
  size_t at = key >> 7;
  while (record->tried[at % PLACES] != 0) {
    if (record->tried[at++ % PLACES] == key) {
      return false;
    }
  }
  record->tried[at % PLACES] = key;
  return true;
}

static bool fails(void) {
  if (depth == 0 || state == IS_OVER) {
    return false;
  }
  if (state == SEARCHES && is_new()) {
    record->faults[slot_of_call]++;
    record->last = slot_of_call;
    first_to_fail = made;
    state = LACKS;
  }
  made++;
  return state == LACKS &&
         (made - 1 == first_to_fail || (made - 1 > first_to_fail && all_that_follow));
}

/* Of strings of tensors, and what clients have. */
void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
/* Of the heap. */
int __real_posix_memalign(void** block, size_t alignment, size_t size);
int __wrap_posix_memalign(void** block, size_t alignment, size_t size) {
  return fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

static OrtApi inner_OrtApi;

/* Of a sanitizer: the bytes that all libraries have from malloc. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* What is alive. */
struct census {
  int64_t objects[CORE_KINDS];
  uint64_t bytes;
  size_t bytes_of_all;
};
static struct census take_census(void) {
  struct census census = {0};
  struct heap_stats stats;
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    census.objects[kind] = heap_live_objects((enum core_kind)kind);
  }
  heap_read_stats(&stats);
  census.bytes = stats.live_bytes;
  if (__sanitizer_get_current_allocated_bytes != NULL) {
    census.bytes_of_all = __sanitizer_get_current_allocated_bytes();
  }
  return census;
}

/* Of the call that is under way: what was alive before it, the variables of its callers, and how
 * often it was made again. */
static struct census before;
static char variables[2048];
static size_t variables_size;
static const char* bottom;
static int repeats;
bool may_keep;

/* Copies the variables of callers, or says whether they are as they were. */
__attribute__((no_sanitize("address"), noinline)) static bool see_callers(bool copies) {
  bool are_same = true;
  for (size_t i = 0; i < variables_size; i++) {
    are_same = are_same && variables[i] == outermost[i];
    variables[i] = copies ? outermost[i] : variables[i];
  }
  return are_same;
}

static bool is_library;

void enter(int slot, const void* frame) {
  record->calls[slot]++;
  if (state == IS_OVER || depth++ > 0) {
    return;
  }
  before = take_census();
  repeats = 0;
  made = 0;
  slot_of_call = slot;
  outermost = (const char*)frame + 2 * sizeof(void*);
  ptrdiff_t above = is_library ? 0 : bottom - outermost; /* no frames of Python's */
  variables_size = above < (ptrdiff_t)sizeof variables ? (size_t)above : sizeof variables;
  see_callers(true);
}

/* The end of a call. One that did its work without the memory, or says nothing, may have the
 * answer be something else. */
static void leave(void) {
  if (depth > 0 && --depth == 0 && state == LACKS) {
    state = IS_OVER;
    may_differ = true;
  }
}

/* Slots that write what they answer also where they fail: how much room they need, or NULL. */
static const char* const writing[] = {
    "KernelInfoGetAttribute_string",     "KernelInfoGetAttributeArray_int64",
    "KernelInfoGetAttributeArray_float", "KernelInfo_GetNodeName",
    "KernelInfo_GetOperatorType",        "KernelInfo_GetOperatorDomain",
    "KernelInfo_GetInputName",           "KernelInfo_GetOutputName",
    "ShapeInferContext_GetAttribute",    "CreateExternalResourceImporterForDevice",
    "RegisterCustomOpsLibrary"};
/* Slots that call what notes each call; and a session can be finalized once. */
static const char* const noted[] = {"CreateEpDevice", "CreateSyncStreamForEpDevice", "CopyTensors",
                                    "RegisterExecutionProviderLibrary",
                                    "FinalizeModelEditorSession"};
static bool is_one_of(int slot, const char* const* of, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[slot], of[i]) == 0) {
      return true;
    }
  }
  return false;
}
#define IS_ONE_OF(of) is_one_of(slot_of_call, of, CORE_COUNT_OF(of))

/* How an attempt ended: no allocation failed that had not before; the behaviour gave its answer;
 * or its answer does not count. */
enum { NOTHING_NEW = 10, ANSWERED, GAVE_UP };

/* A client that ends inside a call, because it lacks memory itself, is right. */
static void end_attempt(void) {
  depth = 0; /* whatever allocates from now on */
  fflush(stdout);
  _exit(state == SEARCHES ? NOTHING_NEW : may_differ || state == LACKS ? GAVE_UP : ANSWERED);
}

/* CHECK for the processes of attempts, which end with `end_attempt` otherwise. */
#define MUST(condition)                                                     \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s: not so: %s\n", names[slot_of_call], #condition); \
      _exit(1);                                                             \
    }                                                                       \
  } while (0)

/* Whether a call that lacked memory is to be made again: with as little, where it has kept memory
 * that a second one would not need, such as a cache; then with enough. */
bool is_made_again(OrtStatus** status) {
  OrtErrorCode code = inner_OrtApi.GetErrorCode(*status);
  const char* message = inner_OrtApi.GetErrorMessage(*status);
  if (depth != 1 || state != LACKS || strstr(message, "out of memory") == NULL) {
    leave();
    return false;
  }
  MUST(code == ORT_RUNTIME_EXCEPTION || code == ORT_FAIL);
  inner_OrtApi.ReleaseStatus(*status);
  struct census now = take_census();
  if (IS_ONE_OF(noted)) { /* a library that is loaded and unloaded leaves memory with the loader */
    now.bytes_of_all = before.bytes_of_all;
  }
  bool is_clean = may_keep || memcmp(&now, &before, sizeof now) == 0;
  MUST(is_clean || repeats++ < 3);
  if (IS_ONE_OF(writing)) {
    if (!is_library) {
      end_attempt();
    }
    leave();
    return false;
  }
  MUST(see_callers(false));
  may_differ = IS_ONE_OF(noted);
  state = is_clean ? IS_OVER : LACKS;
  depth = is_clean ? 0 : depth;
  before = now;
  made = 0;
  return true;
}

/* --- the tables ------------------------------------------------------------------------------- */

static OrtApi outer_OrtApi;
static OrtModelEditorApi inner_OrtModelEditorApi, outer_OrtModelEditorApi;
static OrtCompileApi inner_OrtCompileApi, outer_OrtCompileApi;
static OrtInteropApi inner_OrtInteropApi, outer_OrtInteropApi;
static OrtEpApi inner_OrtEpApi, outer_OrtEpApi;
static OrtModelPackageApi inner_OrtModelPackageApi, outer_OrtModelPackageApi;
#define ROWS "thunk_rows.def"
#include "ort_tables.def"

static const OrtModelEditorApi* ORT_API_CALL get_editor(void) { return &outer_OrtModelEditorApi; }
static const OrtCompileApi* ORT_API_CALL get_compile(void) { return &outer_OrtCompileApi; }
static const OrtInteropApi* ORT_API_CALL get_interop(void) { return &outer_OrtInteropApi; }
static const OrtEpApi* ORT_API_CALL get_ep(void) { return &outer_OrtEpApi; }
static const OrtModelPackageApi* ORT_API_CALL get_packages(void) {
  return &outer_OrtModelPackageApi;
}

static void fill_tables(void) {
  inner_OrtApi = *core_api_base()->GetApi(ORT_API_VERSION);
  inner_OrtModelEditorApi = *inner_OrtApi.GetModelEditorApi();
  inner_OrtCompileApi = *inner_OrtApi.GetCompileApi();
  inner_OrtInteropApi = *inner_OrtApi.GetInteropApi();
  inner_OrtEpApi = *inner_OrtApi.GetEpApi();
  inner_OrtModelPackageApi = *inner_OrtApi.GetModelPackageApi();
#define ROW(index, since, topic, who, returns, name, parameters) OUTER.name = THUNK(name);
#define ROWS "ort_rows.def"
#include "ort_tables.def"
#undef ROW
  outer_OrtApi.GetModelEditorApi = get_editor;
  outer_OrtApi.GetCompileApi = get_compile;
  outer_OrtApi.GetInteropApi = get_interop;
  outer_OrtApi.GetEpApi = get_ep;
  outer_OrtApi.GetModelPackageApi = get_packages;
}

static const OrtApi* ORT_API_CALL get_api(uint32_t version) {
  return version == ORT_API_VERSION ? &outer_OrtApi : core_api_base()->GetApi(version);
}
static const char* ORT_API_CALL get_version(void) { return core_api_base()->GetVersionString(); }

/* --- attempts --------------------------------------------------------------------------------- */

/* Makes the call in a process of its own, and reads what it printed. */
static int attempt(const struct call* call, FILE* file, char answer[static 1 << 16]) {
  int end = 0;
  fflush(NULL);
  CHECK(ftruncate(fileno(file), 0) == 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    CHECK(dup2(fileno(file), 1) == 1 && lseek(1, 0, SEEK_SET) == 0 && atexit(end_attempt) == 0);
    is_first = true;
    call->make();
    end_attempt();
  }
  CHECK(child > 0 && waitpid(child, &end, 0) == child);
  ssize_t size = pread(fileno(file), answer, (1 << 16) - 1, 0);
  CHECK(size >= 0);
  answer[size] = 0;
  return WIFEXITED(end) ? WEXITSTATUS(end) : -WTERMSIG(end);
}

/* Whether an answer has a time in it: that of the name of a profile. */
static bool is_timed(const char* answer) { return strstr(answer, "/profile_") != NULL; }

static bool is_right(int end, const char* answer, const char* usual) {
  return end == GAVE_UP || (end == ANSWERED && (is_timed(usual) || strcmp(answer, usual) == 0));
}

/* Attempts until no allocation is new. Where none was new alone, none is with those that follow. */
static bool try_call(const struct call* call, FILE* file) {
  static char usual[1 << 16], answer[1 << 16];
  int end, attempts = 0;
  for (int both = 0; both < 2 && attempts >= both; both++) {
    all_that_follow = both;
    for (; (end = attempt(call, file, answer)) != NOTHING_NEW; attempts++) {
      if (attempts == 0) {
        state = IS_OVER;
        attempt(call, file, usual);
        state = SEARCHES;
      }
      if (!is_right(end, answer, usual)) {
        fprintf(stderr, "%s, %s: ended with %d\n  %s\n  %s\n", call->name, names[record->last], end,
                answer, usual);
        return false;
      }
    }
  }
  return true;
}

/* --- as a library ----------------------------------------------------------------------------- */

ORT_EXPORT const OrtApiBase* ORT_API_CALL faults_base(void);
const OrtApiBase* ORT_API_CALL faults_base(void) {
  static const OrtApiBase outer = {get_api, get_version};
  if (record == NULL) {
    record = calloc(1, sizeof *record);
    CHECK(record != NULL);
    is_library = true;
    state = IS_OVER;
    fill_tables();
  }
  return &outer;
}

ORT_EXPORT void faults_begin(int both);
void faults_begin(int both) {
  all_that_follow = both != 0;
  may_differ = false;
  state = SEARCHES;
}

ORT_EXPORT int faults_end(void);
int faults_end(void) {
  int end = state == SEARCHES ? NOTHING_NEW : may_differ || state == LACKS ? GAVE_UP : ANSWERED;
  state = IS_OVER;
  return end;
}

/* The name of a slot that was called, and how many of its allocations failed; NULL at the end. */
ORT_EXPORT const char* faults_of(size_t slot, unsigned* failed);
const char* faults_of(size_t slot, unsigned* failed) {
  *failed = slot < SLOTS && record->calls[slot] > 0 ? record->faults[slot] : UINT_MAX;
  return slot < SLOTS ? names[slot] : NULL;
}

/* --- as a program ----------------------------------------------------------------------------- */

int main(void) {
  bottom = __builtin_frame_address(0);
  char folder[] = "/tmp/ortcffi-faults-XXXXXX"; /* of profiles that nobody removes */
  char removing[64];
  FILE* file = tmpfile();
  int failures = 0;
  record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(file != NULL && record != MAP_FAILED);
  CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
  snprintf(removing, sizeof removing, "rm -r %s", folder);
  fill_tables();
  api = &outer_OrtApi;
  for (const struct call* const* call = first_call; call < end_of_calls; call++) {
    failures += !try_call(*call, file);
  }
  CHECK(system(removing) == 0);
  for (size_t slot = 0; slot < SLOTS; slot++) {
    if (record->calls[slot] > 0) {
      printf("%s: %u\n", names[slot], record->faults[slot]);
    }
  }
  return failures > 0;
}
