/* SPDX-License-Identifier: MIT */
/*
 *     shared_env LIBRARY ROUNDS
 *
 * Two threads make, use and release the environment, each as if it were alone. An environment lives
 * while one of them has it, and its function is called with its own parameter.
 */
#include <pthread.h>
#include <string.h>

#include "client.h"
#include "onnxruntime_c_api.h"
#include "ortcore.h"

static const OrtApi* api;
static OrtcoreLog log_record;
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

static void* use(void* unused) {
  for (long i = 0; i < rounds; i++) {
    OrtEnv *env = NULL, *again = NULL;
    CHECK(api->CreateEnvWithCustomLogger(count, &records, ORT_LOGGING_LEVEL_WARNING, "shared",
                                         &env) == NULL);
    CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, NULL, &again) == NULL && again == env);
    api->ReleaseEnv(again);
    CHECK(log_record(ORT_LOGGING_LEVEL_ERROR, NULL, NULL, NULL) == 1);
    api->ReleaseEnv(env);
  }
  return unused;
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  rounds = atol(argv[2]);
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  api = get_base()->GetApi(ORT_API_VERSION);
  log_record = (OrtcoreLog)api->GetExperimentalFunction(ORTCORE_LOG);
  CHECK(log_record != NULL);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use, NULL) == 0);
  use(NULL);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(records == 2 * (unsigned long)rounds);
  CHECK(log_record(ORT_LOGGING_LEVEL_ERROR, NULL, NULL, NULL) == 0);
  return 0;
}
