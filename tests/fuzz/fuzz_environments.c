/* SPDX-License-Identifier: MIT */
/* The environment, its logger, and the allocators that it shares. */
#include "fuzz.h"
#include "env/logging.h"
#include "memory/memory_info.h"

#define CLIENTS 4
#define SHARED 8

static OrtEnv* env;
static size_t clients;
static int severity;
static size_t logged;

/* Newest first. */
static struct shared {
  unsigned name;
  unsigned device;
  /* NULL: made by the core. */
  OrtAllocator* allocator;
} shared[SHARED];
static size_t shared_count;

static void ORT_API_CALL count(void* param, OrtLoggingLevel level, const char* category,
                               const char* id, const char* location, const char* message) {
  (void)category, (void)location, (void)message;
  CHECK(param == &logged && (int)level >= severity && strcmp(id, "fuzz") == 0);
  logged++;
}

static void join(unsigned what) {
  OrtLoggingLevel level = (OrtLoggingLevel)(what / 8 % 5);
  OrtThreadingOptions* threads = NULL;
  OrtEnv* made = NULL;
  OrtStatus* status;
  if (!succeeded(api->CreateThreadingOptions(&threads), 1, ORT_FAIL, ORT_FAIL)) {
    return;
  }
  if (what % 3 == 0) {
    status = api->CreateEnvWithCustomLogger(count, &logged, level, "fuzz", &made);
  } else if (what % 3 == 1) {
    status = api->CreateEnvWithCustomLoggerAndGlobalThreadPools(count, &logged, level, "fuzz",
                                                                threads, &made);
  } else {
    OrtEnvCreationOptions wanted = {ORT_API_VERSION, (int32_t)level, "fuzz", count,
                                    &logged,         threads,        NULL};
    status = api->CreateEnvWithOptions(&wanted, &made);
  }
  api->ReleaseThreadingOptions(threads);
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(clients == 0 || made == env);
    severity = clients == 0 ? (int)level : severity;
    env = made;
    clients++;
  }
}

static void leave(void) {
  api->ReleaseEnv(env);
  if (--clients == 0) {
    env = NULL;
    shared_count = 0;
  }
}

static void say(unsigned what) {
  OrtLoggingLevel level = (OrtLoggingLevel)(what % 5);
  size_t before = logged;
  OrtStatus* status = api->Logger_LogMessage(core_default_logger(), level, "message",
                                             ORT_TSTR("a/b.c"), (int)what, "function");
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(logged - before == ((int)level >= severity));
  }
}

static OrtMemoryInfo* info_of(const struct shared* entry) {
  static const char* const names[] = {"Cpu", "mine", "a name that is no short one at all"};
  OrtMemoryInfo* info = NULL;
  pause_faults();
  CHECK(api->CreateMemoryInfo_V2(names[entry->name], OrtMemoryInfoDeviceType_CPU, 0, 0,
                                 entry->device % 2 == 0 ? OrtDeviceMemoryType_DEFAULT
                                                        : OrtDeviceMemoryType_HOST_ACCESSIBLE,
                                 0, entry->device / 2 ? OrtArenaAllocator : OrtDeviceAllocator,
                                 &info) == NULL);
  resume_faults();
  return info;
}

static int is_same_device(const struct shared* a, const struct shared* b) {
  return a->device % 2 == b->device % 2;
}

static void forget(size_t i) {
  memmove(&shared[i], &shared[i + 1], (--shared_count - i) * sizeof *shared);
}

static size_t find(const struct shared* entry, int with_name) {
  size_t i = 0;
  while (i < shared_count &&
         !(is_same_device(&shared[i], entry) && (!with_name || shared[i].name == entry->name))) {
    i++;
  }
  return i;
}

static void note(struct shared entry) {
  size_t before = find(&entry, 1);
  if (before < shared_count) {
    forget(before);
  }
  CHECK(shared_count < SHARED);
  memmove(&shared[1], &shared[0], shared_count++ * sizeof *shared);
  shared[0] = entry;
}

static void share(const struct shared* entry, const OrtMemoryInfo* info) {
  OrtArenaCfg* cfg = NULL;
  if (next_byte() % 2 == 0 &&
      !succeeded(api->CreateArenaCfg(next_number(3), (int)(next_byte() % 3) - 1, 256, -1, &cfg), 1,
                 ORT_FAIL, ORT_FAIL)) {
    return;
  }
  OrtStatus* status = next_byte() % 2 == 0
                          ? api->CreateAndRegisterAllocator(env, info, cfg)
                          : api->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", info,
                                                              cfg, NULL, NULL, 0);
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    note(*entry);
  }
  api->ReleaseArenaCfg(cfg);
}

static void share_default(void) {
  struct shared entry = {0, 0, NULL};
  CHECK(api->GetAllocatorWithDefaultOptions(&entry.allocator) == NULL);
  if (succeeded(api->RegisterAllocator(env, entry.allocator), 1, ORT_FAIL, ORT_FAIL)) {
    note(entry);
  }
}

static void use_shared(const struct shared* entry, const OrtMemoryInfo* info) {
  OrtAllocator* found = NULL;
  void* block = NULL;
  size_t size = next_number(2);
  size_t i = find(entry, 0);
  CHECK(api->GetSharedAllocator(env, info, &found) == NULL);
  CHECK(found != NULL); /* memory of the CPU without an allocator of its own has the default one */
  CHECK(i == shared_count || shared[i].allocator == NULL || shared[i].allocator == found);
  OrtStatus* status = api->AllocatorAlloc(found, size, &block);
  if (status == NULL && block != NULL) {
    memset(block, 1, size);
    CHECK(api->AllocatorFree(found, block) == NULL);
  }
  api->ReleaseStatus(status); /* the arena may be small */
}

static void use_allocators(unsigned what) {
  struct shared entry = {what % 3, what / 3 % 4, NULL};
  OrtMemoryInfo* info = info_of(&entry);
  switch (next_byte() % 4) {
    case 0:
      share(&entry, info);
      break;
    case 1:
      share_default();
      break;
    case 2:
      if (succeeded(api->UnregisterAllocator(env, info), find(&entry, 1) < shared_count,
                    ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
        forget(find(&entry, 1));
      }
      break;
    default:
      use_shared(&entry, info);
  }
  api->ReleaseMemoryInfo(info);
}

void use_environments(void) {
  unsigned what = next_byte();
  if (clients == 0 || (what >= 240 && clients < CLIENTS)) {
    join(what);
  } else if (what >= 224) {
    leave();
  } else if (what >= 192) {
    severity = (int)(what % 5);
    CHECK(api->UpdateEnvWithCustomLogLevel(env, (OrtLoggingLevel)severity) == NULL);
  } else if (what >= 160) {
    say(what);
  } else {
    use_allocators(what);
  }
}

void end_environments(void) {
  while (clients > 0) {
    leave();
  }
}
