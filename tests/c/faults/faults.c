/* SPDX-License-Identifier: MIT */
/*
 * The n-th allocation inside a call fails, for every n: the answer must be a clean status for a
 * lack of memory, with nothing leaked and no out-parameter touched.
 *
 * faults: linked with the core's objects, built on the C library's malloc, whose allocations can be
 * made to fail, and with -Wl,--wrap for malloc itself. The trials are in faults_*.c. Prints each
 * with the number of allocations that it makes.
 */
#include "faults.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "table/versions.h"

const OrtApi* api;
OrtAllocator* allocator;

/* Strings of tensors do not come from the heap. */
void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size) {
  uint64_t call = __atomic_fetch_add(&heap_faults.calls, 1, __ATOMIC_RELAXED);
  return call >= heap_faults.first && call < heap_faults.last ? NULL : __real_malloc(size);
}

OrtStatus* failed_without_status(void) {
  static const struct OrtStatus silent =
      CORE_CONSTANT_STATUS(ORT_RUNTIME_EXCEPTION, "out of memory");
  return core_constant_status(&silent);
}

OrtStatus* as_lack_of_memory(OrtStatus* status) {
  if (api->GetErrorCode(status) != ORT_FAIL) {
    return status;
  }
  CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
  api->ReleaseStatus(status);
  return failed_without_status();
}

OrtValueInfo* float_value(const char* name, const int64_t* dims, size_t rank) {
  const OrtModelEditorApi* editor = api->GetModelEditorApi();
  OrtTensorTypeAndShapeInfo* shape = NULL;
  OrtTypeInfo* type = NULL;
  OrtValueInfo* made = NULL;
  CHECK(api->CreateTensorTypeAndShapeInfo(&shape) == NULL);
  CHECK(api->SetTensorElementType(shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) == NULL);
  CHECK(api->SetDimensions(shape, dims, rank) == NULL);
  CHECK(editor->CreateTensorTypeInfo(shape, &type) == NULL);
  CHECK(editor->CreateValueInfo(name, type, &made) == NULL);
  api->ReleaseTypeInfo(type);
  api->ReleaseTensorTypeAndShapeInfo(shape);
  return made;
}

size_t count_pairs(const OrtKeyValuePairs* pairs) {
  size_t count = 0;
  api->GetKeyValuePairs(pairs, NULL, NULL, &count);
  return count;
}

void release_pairs(void* out) { api->ReleaseKeyValuePairs(out); }

void release_info(void* out) { api->ReleaseMemoryInfo(out); }

struct census {
  int64_t objects[CORE_KINDS];
  uint64_t bytes;
};

static struct census take_census(void) {
  struct census census;
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    census.objects[kind] = heap_live_objects((enum core_kind)kind);
  }
  struct heap_stats stats;
  heap_read_stats(&stats);
  census.bytes = stats.live_bytes;
  return census;
}

static void must_be_as_before(const struct census* before) {
  struct census now = take_census();
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    CHECK(now.objects[kind] == before->objects[kind]);
  }
  CHECK(now.bytes == before->bytes);
}

/* Of a sanitizer: the bytes that all libraries have from malloc. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
/* What that was at its last search for leaks; all processes share it. */
static size_t* searched;

/* Ends the process of an attempt. In `exit` a sanitizer searches for leaks, also of memory that
 * other libraries have, which is in no census. That takes longer than most attempts, so there is no
 * search where as much is left as at the last one, which found none. */
static void end_attempt(int result) {
  if (__sanitizer_get_current_allocated_bytes != NULL) {
    size_t left = __sanitizer_get_current_allocated_bytes();
    if (left != *searched) {
      *searched = left;
      exit(result);
    }
  }
  _exit(result);
}

/* How an attempt ended: there were not so many allocations; the last of the call was the one that
 * failed, or others came after it. Below them are the codes of `exit`. */
enum { NOT_REACHED = 2, WAS_LAST, OTHERS_FOLLOWED };

/* Makes the allocations from number `first` to before `last` fail. A call that does its work
 * without the memory may succeed. */
static int attempt(const struct section* section, const struct trial* trial, uint64_t first,
                   uint64_t last) {
  struct census before = take_census();
  if (trial->prepare != NULL) {
    trial->prepare();
  }
  void* out = UNTOUCHED;
  heap_faults = (struct heap_faults){.first = first, .last = last};
  OrtStatus* status = trial->make(&out);
  uint64_t calls = heap_faults.calls;
  heap_faults = (struct heap_faults){0};
  int failed = api->GetErrorCode(status) != trial->code;
  if (failed) {
    CHECK(calls > first && api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION);
    CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
  }
  CHECK(status == NULL || out == UNTOUCHED);
  api->ReleaseStatus(status);
  if (out != UNTOUCHED && trial->undo != NULL) {
    trial->undo(out);
  }
  section->clean();
  must_be_as_before(&before);
  return calls <= first ? NOT_REACHED : calls == first + 1 ? WAS_LAST : OTHERS_FOLLOWED;
}

/* An attempt in a process of its own. */
static int attempt_apart(const struct section* section, const struct trial* trial, uint64_t first,
                         uint64_t last) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    end_attempt(attempt(section, trial, first, last));
  }
  int result = 0;
  waitpid(child, &result, 0);
  int end = WIFEXITED(result) ? WEXITSTATUS(result) : 0;
  if (end < NOT_REACHED || end > OTHERS_FOLLOWED) {
    fprintf(stderr, "%s: allocation %" PRIu64 " failed: ended with %d\n", trial->name, first,
            result);
    exit(1);
  }
  return end;
}

/* How many allocations a trial makes, each of which fails: alone, and with all that follow. */
static unsigned try_all(const struct section* section, const struct trial* trial) {
  for (unsigned n = 0;; n++) {
    int end = attempt_apart(section, trial, n, n + 1);
    if (end == NOT_REACHED) {
      return n;
    }
    /* Where none followed, the other attempt would be the same. */
    if (end == OTHERS_FOLLOWED) {
      attempt_apart(section, trial, n, UINT64_MAX);
    }
  }
}

static void try_section(const struct section* section) {
  for (const struct trial* trial = section->trials; trial->name != NULL; trial++) {
    printf("%s: %u\n", trial->name, try_all(section, trial));
  }
}

int main(void) {
  static const struct section* const sections[] = {
      &foundations, &adaptors,         &tensors,      &types,      &containers,
      &sparse,      &options,          &environments, &custom_ops, &arenas,
      &kernels,     &hardware_devices, &graphs,       &models,     &profiling,
      &eps,         &compiled_nodes,   &device_nodes, &sessions,   &ep_sessions};
  api = core_api_base()->GetApi(ORT_API_VERSION);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  searched =
      mmap(NULL, sizeof *searched, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(searched != MAP_FAILED);
  for (size_t i = 0; i < CORE_COUNT_OF(sections); i++) {
    try_section(sections[i]);
  }
  return 0;
}
