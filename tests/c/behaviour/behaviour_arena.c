/* SPDX-License-Identifier: MIT */
/* Measures of arenas, and the allocators that an environment shares. */
#include "behaviour.h"

static OrtEnv* env(void) {
  return NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "arena", &new_));
}

static OrtMemoryInfo* cpu(OrtAllocatorType type) {
  return NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(type, OrtMemTypeDefault, &new_));
}

static OrtMemoryInfo* gpu(const char* name, OrtAllocatorType type, size_t alignment) {
  return NEW(OrtMemoryInfo,
             api->CreateMemoryInfo_V2(name, OrtMemoryInfoDeviceType_GPU, 7, 0,
                                      OrtDeviceMemoryType_DEFAULT, alignment, type, &new_));
}

static OrtAllocator* default_allocator(void) {
  return NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
}

static const OrtEpDevice* device(OrtEnv* env) {
  const OrtEpDevice* const* devices = (const OrtEpDevice* const*)&api;
  size_t count = 0;
  api->ReleaseStatus(api->GetEpDevices(env, &devices, &count));
  return devices[0];
}

static void cfg(size_t max_mem, int strategy, int initial, int dead) {
  OrtArenaCfg* out = UNTOUCHED;
  say_status(api->CreateArenaCfg(max_mem, strategy, initial, dead, &out));
  say_out(out, UNTOUCHED);
}

CALL("CreateArenaCfg(0,-1,-1,-1)") { cfg(0, -1, -1, -1); }
CALL("CreateArenaCfg(SIZE_MAX,1,0,0)") { cfg(SIZE_MAX, 1, 0, 0); }
CALL("CreateArenaCfg(0,99,-7,-7)") { cfg(0, 99, -7, -7); }
CALL("CreateArenaCfg(strategy=2)") { cfg(0, 2, -1, -1); }
CALL("CreateArenaCfg(strategy=-2)") { cfg(0, -2, -1, -1); }
CALL("CreateArenaCfg(initial=-2)") { cfg(0, -1, -2, -1); }
CALL("CreateArenaCfg(dead=-2)") { cfg(0, -1, -1, -2); }

static void cfg_v2(const char* key, size_t value) {
  OrtArenaCfg* out = UNTOUCHED;
  say_status(api->CreateArenaCfgV2(&key, &value, 1, &out));
  say_out(out, UNTOUCHED);
}

CALL("CreateArenaCfgV2(unknown key)") { cfg_v2("bogus", 0); }
CALL("CreateArenaCfgV2(key=\"\")") { cfg_v2("", 0); }
CALL("CreateArenaCfgV2(key=NULL)") { cfg_v2(NULL, 0); }
CALL("CreateArenaCfgV2(n=0)") {
  OrtArenaCfg* out = UNTOUCHED;
  say_status(api->CreateArenaCfgV2(NULL, NULL, 0, &out));
  say_out(out, UNTOUCHED);
}
CALL("CreateArenaCfgV2(keys=NULL,n=1)") {
  OrtArenaCfg* out = UNTOUCHED;
  size_t value = 0;
  say_status(api->CreateArenaCfgV2(NULL, &value, 1, &out));
}
CALL("CreateArenaCfgV2(values=NULL,n=1)") {
  OrtArenaCfg* out = UNTOUCHED;
  const char* key = "max_mem";
  say_status(api->CreateArenaCfgV2(&key, NULL, 1, &out));
}
CALL("CreateArenaCfgV2(a key twice)") {
  const char* keys[] = {"max_mem", "max_mem"};
  const size_t values[] = {4, 5};
  OrtArenaCfg* out = UNTOUCHED;
  say_status(api->CreateArenaCfgV2(keys, values, 2, &out));
}
CALL("CreateArenaCfgV2(max_mem=SIZE_MAX)") { cfg_v2("max_mem", SIZE_MAX); }
CALL("CreateArenaCfgV2(arena_extend_strategy=1)") { cfg_v2("arena_extend_strategy", 1); }
CALL("CreateArenaCfgV2(arena_extend_strategy=2)") { cfg_v2("arena_extend_strategy", 2); }
CALL("CreateArenaCfgV2(arena_extend_strategy=-1)") { cfg_v2("arena_extend_strategy", SIZE_MAX); }
CALL("CreateArenaCfgV2(initial_chunk_size_bytes=0)") { cfg_v2("initial_chunk_size_bytes", 0); }
CALL("CreateArenaCfgV2(initial_chunk_size_bytes=-2)") {
  cfg_v2("initial_chunk_size_bytes", SIZE_MAX - 1);
}
CALL("CreateArenaCfgV2(initial_chunk_size_bytes=1<<31)") {
  cfg_v2("initial_chunk_size_bytes", (size_t)1 << 31);
}
CALL("CreateArenaCfgV2(initial_chunk_size_bytes=1<<40)") {
  cfg_v2("initial_chunk_size_bytes", (size_t)1 << 40);
}
CALL("CreateArenaCfgV2(max_dead_bytes_per_chunk=-2)") {
  cfg_v2("max_dead_bytes_per_chunk", SIZE_MAX - 1);
}
CALL("CreateArenaCfgV2(initial_growth_chunk_size_bytes=-2)") {
  cfg_v2("initial_growth_chunk_size_bytes", SIZE_MAX - 1);
}
CALL("CreateArenaCfgV2(max_power_of_two_extend_bytes=1<<40)") {
  cfg_v2("max_power_of_two_extend_bytes", (size_t)1 << 40);
}
CALL("CreateArenaCfgV2(max_power_of_two_extend_bytes=-2)") {
  cfg_v2("max_power_of_two_extend_bytes", SIZE_MAX - 1);
}
CALL("CreateArenaCfgV2(use_cuda_mempool=99)") { cfg_v2("use_cuda_mempool", 99); }
CALL("CreateArenaCfgV2(cuda_mempool_release_threshold=-2)") {
  cfg_v2("cuda_mempool_release_threshold", SIZE_MAX - 1);
}
CALL("CreateArenaCfgV2(cuda_mempool_bytes_to_keep_on_shrink=1)") {
  cfg_v2("cuda_mempool_bytes_to_keep_on_shrink", 1);
}
CALL("ReleaseArenaCfg(c)") {
  OrtArenaCfg* made = NEW(OrtArenaCfg, api->CreateArenaCfg(0, -1, -1, -1, &new_));
  api->ReleaseArenaCfg(made);
  say("released");
}

/* An allocator of a client's that allocates from the memory it is given. */
struct arena_client {
  OrtAllocator base;
  const OrtMemoryInfo* info;
};

static const OrtMemoryInfo* ORT_API_CALL client_info(const OrtAllocator* this_) {
  return ((const struct arena_client*)this_)->info;
}

static OrtAllocator* client(uint32_t version, const OrtMemoryInfo* info) {
  /* All calls may be made in one process. */
  static struct arena_client clients[32];
  static int used;
  CHECK(used < 32);
  struct arena_client* made = &clients[used++];
  made->base.version = version;
  made->base.Info = client_info;
  made->info = info;
  return &made->base;
}

ANSWER("RegisterAllocator(e,default allocator)", api->RegisterAllocator(env(), default_allocator()))
CALL("RegisterAllocator(e,arena type)") {
  OrtAllocator* arena = client(ORT_API_VERSION, gpu("mine", OrtArenaAllocator, 0));
  say_status(api->RegisterAllocator(env(), arena));
}
CALL("RegisterAllocator twice") {
  OrtAllocator* twice = client(ORT_API_VERSION, gpu("mine", OrtDeviceAllocator, 0));
  OrtEnv* shared = env();
  say_status(api->RegisterAllocator(shared, twice));
  say_status(api->RegisterAllocator(shared, twice));
  say_status(api->UnregisterAllocator(shared, twice->Info(twice)));
  say_status(api->UnregisterAllocator(shared, twice->Info(twice)));
}
ANSWER("RegisterAllocator(e,of version 1)",
       api->RegisterAllocator(env(), client(1, gpu("mine", OrtDeviceAllocator, 0))))
CALL("RegisterAllocator(e,without Info)") {
  static OrtAllocator none = {.version = ORT_API_VERSION};
  say_status(api->RegisterAllocator(env(), &none));
}

ANSWER("UnregisterAllocator(e,not registered)",
       api->UnregisterAllocator(env(), cpu(OrtDeviceAllocator)))
CALL("UnregisterAllocator(e,another name)") {
  OrtEnv* shared = env();
  CHECK(api->RegisterAllocator(
            shared, client(ORT_API_VERSION, gpu("mine", OrtDeviceAllocator, 0))) == NULL);
  say_status(api->UnregisterAllocator(shared, gpu("other", OrtDeviceAllocator, 0)));
}
CALL("UnregisterAllocator(e,another type)") {
  OrtEnv* shared = env();
  CHECK(api->RegisterAllocator(
            shared, client(ORT_API_VERSION, gpu("mine", OrtDeviceAllocator, 0))) == NULL);
  say_status(api->UnregisterAllocator(shared, gpu("mine", OrtArenaAllocator, 0)));
}

static void create_and_register(const OrtMemoryInfo* info) {
  say_status(api->CreateAndRegisterAllocator(env(), info, NULL));
}

CALL("CreateAndRegisterAllocator(e,Cuda info)") {
  OrtMemoryInfo* cuda = NEW(OrtMemoryInfo, api->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0,
                                                                 OrtMemTypeDefault, &new_));
  create_and_register(cuda);
}
CALL("CreateAndRegisterAllocator(e,Cpu device,NULL cfg)") {
  create_and_register(cpu(OrtDeviceAllocator));
}
CALL("CreateAndRegisterAllocator(e,Cpu arena,NULL cfg)") {
  create_and_register(cpu(OrtArenaAllocator));
}
CALL("CreateAndRegisterAllocator twice") {
  OrtEnv* shared = env();
  OrtMemoryInfo* info = cpu(OrtArenaAllocator);
  say_status(api->CreateAndRegisterAllocator(shared, info, NULL));
  say_status(api->CreateAndRegisterAllocator(shared, info, NULL));
  say_status(api->UnregisterAllocator(shared, info));
  say_status(api->UnregisterAllocator(shared, info));
}

static void arena_create_v2(const char* provider, const OrtMemoryInfo* info, size_t num_keys) {
  say_status(api->CreateAndRegisterAllocatorV2(env(), provider, info, NULL, NULL, NULL, num_keys));
}

CALL("CreateAndRegisterAllocatorV2(e,Cpu provider,i)") {
  arena_create_v2("CPUExecutionProvider", cpu(OrtArenaAllocator), 0);
}
CALL("CreateAndRegisterAllocatorV2(e,Cuda provider,i)") {
  arena_create_v2("CUDAExecutionProvider", cpu(OrtArenaAllocator), 0);
}
CALL("CreateAndRegisterAllocatorV2(e,\"\",i)") { arena_create_v2("", cpu(OrtArenaAllocator), 0); }
CALL("CreateAndRegisterAllocatorV2(e,Cpu provider,gpu)") {
  arena_create_v2("CPUExecutionProvider", gpu("mine", OrtDeviceAllocator, 0), 0);
}
CALL("CreateAndRegisterAllocatorV2(keys=NULL,n=1)") {
  arena_create_v2("CPUExecutionProvider", cpu(OrtArenaAllocator), 1);
}

static void arena_get(OrtEnv* shared, const OrtMemoryInfo* info, const OrtAllocator* expected) {
  OrtAllocator* out = UNTOUCHED;
  say_status(api->GetSharedAllocator(shared, info, &out));
  say(out == expected ? "out=registered" : out == NULL ? "out=NULL" : "out=set");
}

CALL("GetSharedAllocator(e,unregistered)") {
  arena_get(env(), gpu("mine", OrtDeviceAllocator, 0), &(OrtAllocator){.version = 1});
}
CALL("GetSharedAllocator(e,Cpu)") {
  arena_get(env(), cpu(OrtDeviceAllocator), &(OrtAllocator){.version = 1});
}
CALL("GetSharedAllocator(e,registered)") {
  OrtEnv* shared = env();
  OrtAllocator* mine = client(ORT_API_VERSION, gpu("mine", OrtDeviceAllocator, 0));
  CHECK(api->RegisterAllocator(shared, mine) == NULL);
  arena_get(shared, gpu("other", OrtArenaAllocator, 0), mine);
  arena_get(shared, gpu("mine", OrtDeviceAllocator, 64), mine);
}
CALL("GetSharedAllocator(e,Cpu registered)") {
  OrtEnv* shared = env();
  OrtMemoryInfo* info = cpu(OrtDeviceAllocator);
  OrtAllocator* mine = client(ORT_API_VERSION, info);
  CHECK(api->RegisterAllocator(shared, mine) == NULL);
  arena_get(shared, info, mine);
  CHECK(api->UnregisterAllocator(shared, info) == NULL);
  arena_get(shared, info, mine);
}
CALL("GetSharedAllocator(e,Cpu arena created)") {
  OrtEnv* shared = env();
  OrtMemoryInfo* info = cpu(OrtArenaAllocator);
  CHECK(api->CreateAndRegisterAllocator(shared, info, NULL) == NULL);
  OrtAllocator* out = NEW(OrtAllocator, api->GetSharedAllocator(shared, info, &new_));
  OrtAllocatorType type = OrtInvalidAllocator;
  CHECK(api->MemoryInfoGetType(out->Info(out), &type) == NULL);
  say("type=%d", (int)type);
}
CALL("GetSharedAllocator(e,two names of a device)") {
  OrtEnv* shared = env();
  OrtMemoryInfo* info = gpu("mine", OrtDeviceAllocator, 0);
  OrtAllocator* newer = client(ORT_API_VERSION, gpu("other", OrtDeviceAllocator, 0));
  CHECK(api->RegisterAllocator(shared, client(ORT_API_VERSION, info)) == NULL);
  CHECK(api->RegisterAllocator(shared, newer) == NULL);
  arena_get(shared, info, newer);
  CHECK(api->UnregisterAllocator(shared, info) == NULL);
  arena_get(shared, info, newer);
}

CALL("GetSharedAllocator(e,types of memory of a device)") {
  OrtEnv* shared = env();
  OrtMemoryInfo* input =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeCPUInput, &new_));
  OrtMemoryInfo* output =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeCPUOutput, &new_));
  OrtAllocator* mine = client(ORT_API_VERSION, input);
  CHECK(api->RegisterAllocator(shared, mine) == NULL);
  arena_get(shared, input, mine);
  arena_get(shared, output, mine);
  arena_get(shared, cpu(OrtDeviceAllocator), mine);
  say_status(api->UnregisterAllocator(shared, output));
  say_status(api->UnregisterAllocator(shared, input));
}
CALL("GetSharedAllocator(e,another device of the CPU)") {
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo,
          api->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_CPU, 7, 1,
                                   OrtDeviceMemoryType_DEFAULT, 64, OrtDeviceAllocator, &new_));
  arena_get(env(), info, NULL);
}

ANSWER("GetSharedAllocator(e,i,NULL)",
       api->GetSharedAllocator(env(), cpu(OrtDeviceAllocator), NULL))

static void create_shared(OrtEnv* shared, const OrtEpDevice* from, OrtDeviceMemoryType mem_type) {
  OrtAllocator* out = UNTOUCHED;
  say_status(api->CreateSharedAllocator(shared, from, mem_type, OrtDeviceAllocator, NULL, &out));
  say_out(out, UNTOUCHED);
}

CALL("CreateSharedAllocator(e,Cpu,Default)") {
  OrtEnv* shared = env();
  create_shared(shared, device(shared), OrtDeviceMemoryType_DEFAULT);
}
CALL("CreateSharedAllocator(e,Cpu,HostAccessible)") {
  OrtEnv* shared = env();
  create_shared(shared, device(shared), OrtDeviceMemoryType_HOST_ACCESSIBLE);
}

static void release_shared(OrtEnv* shared, const OrtEpDevice* from) {
  say_status(api->ReleaseSharedAllocator(shared, from, OrtDeviceMemoryType_DEFAULT));
}

CALL("ReleaseSharedAllocator(e,Cpu,Default)") {
  OrtEnv* shared = env();
  release_shared(shared, device(shared));
}
