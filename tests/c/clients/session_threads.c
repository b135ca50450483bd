/* SPDX-License-Identifier: MIT */
/*
 * Threads that the client makes, for a session and for an environment: they make the runs of
 * RunAsync and help kernels in ParallelFor, also if all of them are at work, and end when the
 * session or the environment does.
 *
 *     session_threads LIBRARY [TIMES]   runs of two threads at once, so many times
 *     session_threads LIBRARY [fork]    with forks, in whose children the threads are not
 */
#include <pthread.h>

#include "table.h"
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "barrier.h"
#include "session_model.h"

#define THREADS 3
#define RUNS 64
#define NUMBERS 1000

static const OrtApi* api;
static OrtCustomOp visiting_op;

struct made {
  pthread_t thread;
  OrtThreadWorkerFn function;
  void* argument;
};
static int made, joined, ended_runs;
static char settings[] = "settings";
static __thread int is_ours;

static void* begin_thread(void* argument) {
  struct made* own = argument;
  is_ours = 1;
  own->function(own->argument);
  return NULL;
}

static OrtCustomThreadHandle create_thread(void* given, OrtThreadWorkerFn function,
                                           void* argument) {
  struct made* thread = malloc(sizeof *thread);
  CHECK(given == settings && thread != NULL);
  *thread = (struct made){.function = function, .argument = argument};
  CHECK(pthread_create(&thread->thread, NULL, begin_thread, thread) == 0);
  made++;
  return (OrtCustomThreadHandle)thread;
}

static void join_thread(OrtCustomThreadHandle handle) {
  struct made* thread = (struct made*)handle;
  pthread_join(thread->thread, NULL);
  free(thread);
  joined++;
}

static void visit(void* visited, size_t i) {
  __atomic_fetch_add((unsigned char*)visited + i, 1, __ATOMIC_RELAXED);
}

/* Visits each number once, also in a loop within a loop. */
static void visit_all(void* context, size_t i) {
  unsigned char visited[NUMBERS] = {0};
  (void)i;
  CHECK(api->KernelContext_ParallelFor(context, visit, NUMBERS, 0, visited) == NULL);
  for (size_t k = 0; k < NUMBERS; k++) {
    CHECK(visited[k] == 1);
  }
}

static OrtStatusPtr ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  CHECK(api->KernelContext_ParallelFor(context, visit_all, 4, 0, context) == NULL);
  return twice_compute(kernel, context);
}

static void note_end(void* argument, OrtValue** outputs, size_t count, OrtStatusPtr status) {
  (void)argument;
  CHECK(status == NULL && count == 1 && outputs[0] != NULL && is_ours);
  __atomic_fetch_add(&ended_runs, 1, __ATOMIC_ACQ_REL);
}

static OrtSession* open_session(const OrtEnv* env, OrtCustomOpDomain* domain, bool shares,
                                struct model_bytes model) {
  OrtSessionOptions* options = NULL;
  OrtSession* session = NULL;
  CHECK(api->CreateSessionOptions(&options) == NULL);
  CHECK(api->AddCustomOpDomain(options, domain) == NULL);
  if (shares) {
    CHECK(api->DisablePerSessionThreads(options) == NULL);
  } else {
    CHECK(api->SetIntraOpNumThreads(options, THREADS + 1) == NULL);
    CHECK(api->SessionOptionsSetCustomCreateThreadFn(options, create_thread) == NULL);
    CHECK(api->SessionOptionsSetCustomThreadCreationOptions(options, settings) == NULL);
    CHECK(api->SessionOptionsSetCustomJoinThreadFn(options, join_thread) == NULL);
  }
  CHECK(api->CreateSessionFromArray(env, model.at, model.size, options, &session) == NULL);
  api->ReleaseSessionOptions(options);
  return session;
}

static const char* const input = "x";
static const char* const output = "a";

static void run(OrtSession* session, const OrtValue* x) {
  OrtValue* y = NEW(OrtValue, api->Run(session, NULL, &input, &x, 1, &output, 1, &new_));
  api->ReleaseValue(y);
}

/* --- an output that threads make in two shapes -------------------------------------------------
 */

struct making {
  OrtKernelContext* context;
  int64_t length;
};
static pthread_barrier_t both_ready;

static void* make_output(void* argument) {
  const struct making* self = argument;
  OrtValue* made = NULL;
  pthread_barrier_wait(&both_ready);
  api->ReleaseStatus(api->KernelContext_GetOutput(self->context, 0, &self->length, 1, &made));
  return NULL;
}

static OrtStatusPtr ORT_API_CALL compute_in_two_shapes(void* kernel, OrtKernelContext* context) {
  static int calls;
  struct making both[] = {{context, 2}, {context, 3}};
  pthread_t other;
  if (++calls % 3 != 0) {
    return twice_compute(kernel, context);
  }
  CHECK(pthread_create(&other, NULL, make_output, &both[0]) == 0);
  make_output(&both[1]);
  pthread_join(other, NULL);
  return NULL;
}

/* The third node of a chain may get the output of the first one, which nobody reads any more. */
static struct model_bytes chain(void) {
  return model_of("1:8 7{", TWICE("x", "b"), TWICE("b", "c"), TWICE("c", "a"), "2'chain'",
                  OF_ANY_LENGTH(11, "x"), OF_ANY_LENGTH(12, "a"), WITH_TWICE);
}

/* The child has no thread that would take a run. */
static void run_in_child(OrtSession* session, const OrtValue* x) {
#if defined(_WIN32)
  (void)session, (void)x;
#else
  int end = 0;
  pid_t child = fork();
  if (child == 0) {
    OrtValue* y = NULL;
    run(session, x);
    OrtStatus* status = api->RunAsync(session, NULL, &input, &x, 1, &output, 1, &y, note_end, NULL);
    CHECK(status != NULL && api->GetErrorCode(status) == ORT_FAIL);
    api->ReleaseStatus(status);
    api->ReleaseSession(session);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &end, 0) == child && end == 0);
#endif
}

static OrtValue* new_input(void) {
  static float numbers[] = {3, 4};
  const int64_t length = 2;
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
  OrtValue* x = NEW(
      OrtValue, api->CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, &length, 1,
                                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  api->ReleaseMemoryInfo(info);
  return x;
}

static void use(OrtSession* session, bool forks) {
  static OrtValue* outputs[RUNS];
  OrtValue* x = new_input();
  for (size_t i = 0; i < RUNS; i++) {
    CHECK(api->RunAsync(session, NULL, &input, (const OrtValue* const*)&x, 1, &output, 1,
                        &outputs[i], note_end, NULL) == NULL);
    run(session, x);
  }
  if (forks) {
    run_in_child(session, x);
  }
  api->ReleaseSession(session); /* which lets the runs that are left come to their end */
  while (__atomic_load_n(&ended_runs, __ATOMIC_ACQUIRE) < RUNS) {
  }
  ended_runs = 0;
  for (size_t i = 0; i < RUNS; i++) {
    api->ReleaseValue(outputs[i]);
    outputs[i] = NULL;
  }
  api->ReleaseValue(x);
}

/* One shape is that of the output; the calls with the other one fail. */
static void make_in_two_shapes(OrtSession* session, int times) {
  OrtValue* x = new_input();
  CHECK(pthread_barrier_init(&both_ready, NULL, 2) == 0);
  for (int i = 0; i < times; i++) {
    run(session, x);
  }
  pthread_barrier_destroy(&both_ready);
  api->ReleaseSession(session);
  api->ReleaseValue(x);
}

static OrtEnv* new_env(void) {
  OrtThreadingOptions* options = NEW(OrtThreadingOptions, api->CreateThreadingOptions(&new_));
  CHECK(api->SetGlobalIntraOpNumThreads(options, THREADS + 1) == NULL);
  CHECK(api->SetGlobalInterOpNumThreads(options, 1) == NULL);
  CHECK(api->SetGlobalCustomCreateThreadFn(options, create_thread) == NULL);
  CHECK(api->SetGlobalCustomThreadCreationOptions(options, settings) == NULL);
  CHECK(api->SetGlobalCustomJoinThreadFn(options, join_thread) == NULL);
  OrtEnv* env = NEW(OrtEnv, api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "threads",
                                                                options, &new_));
  api->ReleaseThreadingOptions(options);
  return env;
}

int main(int count, char** arguments) {
  bool forks = strcmp(arguments[count - 1], "fork") == 0;
  int times = count > 2 + forks ? atoi(arguments[2]) : 6000;
  api = table_of(arguments[1]);
  twice_api = api;
  visiting_op = twice_op;
  visiting_op.KernelComputeV2 = compute;
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain("twice", &new_));
  CHECK(api->CustomOpDomain_Add(domain, &visiting_op) == NULL);
  OrtEnv* env = new_env();
  CHECK(made == THREADS);
  use(open_session(env, domain, true, session_model()), forks);
  CHECK(joined == 0);
  use(open_session(env, domain, false, session_model()), forks);
  CHECK(made == 2 * THREADS && joined == THREADS);
  visiting_op.KernelComputeV2 = compute_in_two_shapes;
  make_in_two_shapes(open_session(env, domain, false, chain()), times);
  api->ReleaseEnv(env);
  CHECK(joined == made);
  api->ReleaseCustomOpDomain(domain);
  printf("session_threads: OK\n");
  return 0;
}
