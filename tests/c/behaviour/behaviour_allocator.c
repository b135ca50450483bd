/* SPDX-License-Identifier: MIT */
/* The default allocator, and what the table does with one of a client's. */
#include "behaviour.h"
#include "behaviour_values.h"

CALL("GetAllocatorWithDefaultOptions twice") {
  say(allocator() == allocator() ? "same" : "different");
}
CALL("GetAllocatorWithDefaultOptions: fields") {
  const OrtAllocator* found = allocator();
  say("version=%u", found->version);
  say("Reserve=%s GetStats=%s AllocOnStream=%s Shrink=%s", found->Reserve ? "set" : "NULL",
      found->GetStats ? "set" : "NULL", found->AllocOnStream ? "set" : "NULL",
      found->Shrink ? "set" : "NULL");
}

static void alloc(size_t size) {
  void* out = UNTOUCHED;
  say_status(api->AllocatorAlloc(allocator(), size, &out));
  say_out(out, UNTOUCHED);
}

CALL("AllocatorAlloc(a,0)") { alloc(0); }
CALL("AllocatorAlloc(a,SIZE_MAX)") { alloc(SIZE_MAX); }
CALL("AllocatorAlloc(a,SIZE_MAX/2)") { alloc(SIZE_MAX / 2); }
CALL("AllocatorAlloc(a,1<<50)") { alloc((size_t)1 << 50); }
CALL("AllocatorAlloc(a,1) alignment") {
  uintptr_t bits = 0;
  for (size_t size = 1; size <= 64; size++) {
    void* out = NULL;
    CHECK(api->AllocatorAlloc(allocator(), size, &out) == NULL && out != NULL);
    bits |= (uintptr_t)out;
  }
  say(bits % 64 == 0 ? "64 at least" : "less than 64");
}

CALL("AllocatorFree(a,NULL)") { say_status(api->AllocatorFree(allocator(), NULL)); }

CALL("AllocatorGetStats(default,&o)") {
  OrtKeyValuePairs* out = NULL;
  say_status(api->AllocatorGetStats(allocator(), &out));
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  api->GetKeyValuePairs(out, &keys, &values, &count);
  say(count == 0 ? "no entries" : "entries");
  api->ReleaseKeyValuePairs(out);
}

CALL("alloc->Alloc(alloc,0)") { say_pointer(allocator()->Alloc(allocator(), 0)); }
CALL("alloc->Alloc(alloc,SIZE_MAX)") { say_pointer(allocator()->Alloc(allocator(), SIZE_MAX)); }
CALL("alloc->Alloc(alloc,1<<50)") { say_pointer(allocator()->Alloc(allocator(), (size_t)1 << 50)); }
CALL("alloc->Alloc(NULL,8)") { say_pointer(allocator()->Alloc(NULL, 8)); }
CALL("alloc->Free(alloc,NULL)") {
  allocator()->Free(allocator(), NULL);
  say("no-op");
}
CALL("alloc->Reserve(alloc,8)") { say_pointer(allocator()->Reserve(allocator(), 8)); }
CALL("alloc->Reserve(alloc,0)") { say_pointer(allocator()->Reserve(allocator(), 0)); }

static void allocator_say_info(const OrtMemoryInfo* info) {
  const char* name = NEW(const char, api->MemoryInfoGetName(info, &new_));
  say("%s", name);
}

CALL("alloc->Info(alloc)") { allocator_say_info(allocator()->Info(allocator())); }
CALL("alloc->Info(NULL)") { allocator_say_info(allocator()->Info(NULL)); }

CALL("ReleaseAllocator(default allocator)") {
  api->ReleaseAllocator(allocator());
  say("no-op");
}

/* An allocator of a client's: Alloc gives `block`, whatever is asked for. */
struct allocator_client {
  OrtAllocator base;
  void* block;
};

static void* ORT_API_CALL client_alloc(OrtAllocator* this_, size_t size) {
  (void)size;
  return ((struct allocator_client*)this_)->block;
}

static OrtStatus* ORT_API_CALL client_stats(const OrtAllocator* this_, OrtKeyValuePairs** out) {
  (void)this_;
  api->CreateKeyValuePairs(out);
  api->AddKeyValuePair(*out, "InUse", "7");
  return NULL;
}

static OrtAllocator* allocator_client(uint32_t version, void* block) {
  static struct allocator_client client;
  client.base.version = version;
  client.base.Alloc = client_alloc;
  client.base.GetStats = client_stats;
  client.block = block;
  return &client.base;
}

static void client_allocates(void* block, size_t size) {
  void* out = UNTOUCHED;
  say_status(api->AllocatorAlloc(allocator_client(ORT_API_VERSION, block), size, &out));
  say_out(out, UNTOUCHED);
}

CALL("AllocatorAlloc(client's that has nothing,8)") { client_allocates(NULL, 8); }
CALL("AllocatorAlloc(client's that has nothing,0)") { client_allocates(NULL, 0); }
CALL("AllocatorAlloc(client's,0)") { client_allocates(&base, 0); }
static OrtAllocator without_functions = {.version = ORT_API_VERSION};
CALL("AllocatorAlloc(client's without Alloc,8)") {
  void* out = UNTOUCHED;
  say_status(api->AllocatorAlloc(&without_functions, 8, &out));
  say_out(out, UNTOUCHED);
}
ANSWER("AllocatorFree(client's without Free,p)", api->AllocatorFree(&without_functions, &base))
CALL("AllocatorGetInfo(client's without Info,&o)") {
  const OrtMemoryInfo* out = UNTOUCHED;
  say_status(api->AllocatorGetInfo(&without_functions, &out));
  say_out(out, UNTOUCHED);
}

static void client_tells(OrtAllocator* client) {
  OrtKeyValuePairs* out = NULL;
  if (say_status(api->AllocatorGetStats(client, &out))) {
    say("%s", api->GetKeyValue(out, "InUse") == NULL ? "no entries" : "entries");
    api->ReleaseKeyValuePairs(out);
  }
}

CALL("AllocatorGetStats(client's of this version)") {
  client_tells(allocator_client(ORT_API_VERSION, NULL));
}
CALL("AllocatorGetStats(client's of version 23)") { client_tells(allocator_client(23, NULL)); }
CALL("AllocatorGetStats(client's of version 22)") { client_tells(allocator_client(22, NULL)); }
CALL("AllocatorGetStats(client's without GetStats)") {
  OrtAllocator* without = allocator_client(ORT_API_VERSION, NULL);
  without->GetStats = NULL;
  client_tells(without);
}
