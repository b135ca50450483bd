/* SPDX-License-Identifier: MIT */
/*
 *     shared_env LIBRARY ROUNDS [FORKS]
 *
 * Two threads make, use and release the environment, each as if it were alone. An environment lives
 * while one of them has it, and its function is called with its own parameter. The process forks as
 * often as FORKS says meanwhile, and each child uses the environment, too.
 */
#include <string.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "table.h"
#include "ortcore.h"

static const OrtApi* api;
static OrtcoreLog log_record;
static OrtMemoryInfo* info;
static long rounds;
static unsigned long records;

static void ORT_API_CALL count(void* param, OrtLoggingLevel severity, const char* category,
                               const char* logid, const char* location, const char* message) {
  (void)severity, (void)category, (void)location, (void)message;
  CHECK(param == &records && strcmp(logid, "shared") == 0);
  __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED);
  /* A record may ask for the environment again: no lock is held. */
  OrtEnv* env = NULL;
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "from within", &env) == NULL);
  api->ReleaseEnv(env);
}

static void use_once(void) {
  OrtEnv *env = NULL, *again = NULL;
  OrtAllocator* shared = NULL;
  CHECK(api->CreateEnvWithCustomLogger(count, &records, ORT_LOGGING_LEVEL_WARNING, "shared",
                                       &env) == NULL);
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, NULL, &again) == NULL && again == env);
  api->ReleaseEnv(again);
  CHECK(api->GetSharedAllocator(env, info, &shared) == NULL && shared != NULL);
  CHECK(log_record(ORT_LOGGING_LEVEL_ERROR, NULL, NULL, NULL) == 1);
  api->ReleaseEnv(env);
}

static void* use(void* unused) {
  for (long i = 0; i < rounds; i++) {
    use_once();
  }
  return unused;
}

/* The children have none of the threads that used the environment when they began. */
static void fork_often(long forks) {
#if !defined(_WIN32)
  for (long i = 0; i < forks; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      use_once();
      _exit(0);
    }
    int result = 0;
    CHECK(waitpid(child, &result, 0) == child && result == 0);
  }
#else
  (void)forks;
#endif
}

int main(int argc, char** argv) {
  CHECK(argc == 3 || argc == 4);
  rounds = atol(argv[2]);
  api = table_of(argv[1]);
  log_record = CORE_FUNCTION(OrtcoreLog, ORTCORE_LOG);
  CHECK(log_record != NULL);
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  pthread_t threads[2];
  begin_threads(threads, 2, use, NULL);
  fork_often(argc == 4 ? atol(argv[3]) : 0);
  join_threads(threads, 2);
  api->ReleaseMemoryInfo(info);
  CHECK(records == 2 * (unsigned long)rounds);
  CHECK(log_record(ORT_LOGGING_LEVEL_ERROR, NULL, NULL, NULL) == 0);
  return 0;
}
