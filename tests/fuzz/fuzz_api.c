/* SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "table/versions.h"

#define STATUSES 8
#define MESSAGE_LIMIT 4096

const OrtApi* api;

static const uint8_t* input;
static size_t left;

unsigned next_byte(void) {
  if (left == 0) {
    return 0;
  }
  left--;
  return *input++;
}

size_t next_number(unsigned bytes) {
  size_t number = 0;
  while (bytes-- > 0) {
    number = number << 8 | next_byte();
  }
  return number;
}

void next_string(char* out, size_t length) {
  size_t end = next_byte() % (length + 1);
  for (size_t i = 0; i < end; i++) {
    out[i] = (char)next_byte();
    out[i] = out[i] == '\0' ? '0' : out[i];
  }
  out[end] = '\0';
}

void* must_malloc(size_t size) {
  void* block = malloc(size > 0 ? size : 1);
  CHECK(block != NULL);
  return block;
}

#if defined(CORE_USE_MALLOC)
static struct heap_faults paused;

int may_lack_memory(void) { return heap_faults.calls > heap_faults.first && heap_faults.last > 0; }

void pause_faults(void) {
  paused = heap_faults;
  heap_faults = (struct heap_faults){0};
}

void resume_faults(void) { heap_faults = paused; }

/* One of the next allocations fails. */
static void arm(void) {
  uint64_t first = next_byte() % 8;
  heap_faults = (struct heap_faults){.first = first, .last = first + 1};
}

static void disarm(void) { heap_faults = (struct heap_faults){0}; }
#else
int may_lack_memory(void) { return 0; }

void pause_faults(void) {}

void resume_faults(void) {}

static void arm(void) {}

static void disarm(void) {}
#endif

int succeeded(OrtStatus* status, int can, OrtErrorCode code, OrtErrorCode other) {
  if (status == NULL) {
    CHECK(can);
    return 1;
  }
  OrtErrorCode got = api->GetErrorCode(status);
  if (may_lack_memory() && strstr(api->GetErrorMessage(status), "out of memory") != NULL) {
    must_lack_memory(status);
    return 0;
  }
  CHECK(!can && (got == code || got == other));
  api->ReleaseStatus(status);
  return 0;
}

void must_lack_memory(OrtStatus* status) {
  CHECK(may_lack_memory());
  CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
  must_be(status, ORT_RUNTIME_EXCEPTION);
}

void must_be(OrtStatus* status, OrtErrorCode code) {
  CHECK(api->GetErrorCode(status) == code);
  api->ReleaseStatus(status);
}

static struct {
  OrtStatus* status;
  int code;
  char* message;
} statuses[STATUSES];

static void check_status(size_t i) {
  const char* message = api->GetErrorMessage(statuses[i].status);
  size_t length = strlen(statuses[i].message);
  size_t kept = strlen(message);
  CHECK((int)api->GetErrorCode(statuses[i].status) == statuses[i].code);
  CHECK(strncmp(message, statuses[i].message, kept) == 0);
  CHECK(length <= MESSAGE_LIMIT ? kept == length
                                : kept <= MESSAGE_LIMIT && kept + 4 >= MESSAGE_LIMIT);
}

static void release_status(size_t i) {
  check_status(i);
  api->ReleaseStatus(statuses[i].status);
  free(statuses[i].message);
  statuses[i].status = NULL;
}

static void use_statuses(void) {
  size_t i = next_byte() % STATUSES;
  if (statuses[i].status != NULL) {
    release_status(i);
    return;
  }
  char piece[16];
  next_string(piece, sizeof piece - 1);
  size_t copies = next_byte() < 16 ? 500 : 1;
  char* message = malloc(strlen(piece) * copies + 1);
  CHECK(message != NULL);
  message[0] = '\0';
  for (char* end = message; copies > 0; copies--) {
    end = stpcpy(end, piece);
  }
  int code = (int)(int8_t)next_byte();
  OrtStatus* status = api->CreateStatus((OrtErrorCode)code, message);
  CHECK(status != NULL);
  if (may_lack_memory() && strcmp(api->GetErrorMessage(status), "out of memory") == 0) {
    must_lack_memory(status);
    free(message);
    return;
  }
  statuses[i].status = status;
  statuses[i].code = code;
  statuses[i].message = message;
  check_status(i);
}

/* What a host answers beyond its version, and what needs an engine; and models. */
static void use_stubs(void) {
  uint32_t version = next_byte() % 64;
  if (version > ORT_API_VERSION) {
    use_models();
    return;
  }
  const OrtApiBase* base = core_emulate(version);
  CHECK((base == NULL) == (version == 0));
  if (base == NULL) {
    return;
  }
  OrtStatus* status = base->GetApi(version)->SessionOptionsAppendExecutionProvider_CUDA(
      (OrtSessionOptions*)&input, (const OrtCUDAProviderOptions*)&input);
  CHECK(status != NULL);
  if (api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION) {
    must_lack_memory(status);
  } else {
    must_be(status, ORT_NOT_IMPLEMENTED);
  }
}

static void end_all(void) {
  end_blocks();
  end_pairs();
  end_options();
  end_values();
  end_kernels();
  for (size_t i = 0; i < STATUSES; i++) {
    if (statuses[i].status != NULL) {
      release_status(i);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static void (*const uses[])(void) = {
      use_blocks,  use_blocks,  use_statuses, use_pairs,      use_pairs,      use_stubs,
      use_tensors, use_tensors, use_tensors,  use_containers, use_containers, use_sparse,
      use_sparse,  use_options, use_options,  use_options,    use_options,    use_tensors,
      use_tensors, use_kernels, use_options,  use_blocks,     use_blocks,     use_kernels,
      use_kernels, use_kernels,
  };
  api = core_api_base()->GetApi(ORT_API_VERSION);
  input = data;
  left = size;
  while (left > 0) {
    unsigned what = next_byte();
    if (what >= 192) {
      arm();
    }
    uses[what % CORE_COUNT_OF(uses)]();
    disarm();
  }
  end_all();
  must_be_empty();
  return 0;
}
