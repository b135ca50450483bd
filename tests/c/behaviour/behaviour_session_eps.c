/* SPDX-License-Identifier: MIT */
/* Sessions: who runs which nodes, what providers are passed on, and runs on another thread. */
#include "behaviour_session.h"

static OrtSession* session_with(OrtSessionOptions* options) {
  return NEW(OrtSession, api->CreateSessionFromArray(session_env(), MODEL, options, &new_));
}

static OrtSession* recording_session(void) {
  OrtSessionOptions* options = session_options();
  CHECK(api->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1") ==
        NULL);
  return session_with(options);
}

/* A session runs aside where it has a thread for that. */
static OrtSession* session_of(int threads) {
  OrtSessionOptions* options = session_options();
  CHECK(api->SetIntraOpNumThreads(options, threads) == NULL);
  return session_with(options);
}
static OrtSession* threaded_session(void) { return session_of(2); }

static const OrtEpAssignedSubgraph* some_part(void) {
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  CHECK(api->Session_GetEpGraphAssignmentInfo(recording_session(), &parts, &count) == NULL);
  CHECK(count > 0);
  return parts[0];
}

static const OrtEpAssignedNode* some_node(void) {
  const OrtEpAssignedNode* const* nodes = NULL;
  size_t count = 0;
  CHECK(api->EpAssignedSubgraph_GetNodes(some_part(), &nodes, &count) == NULL && count > 0);
  return nodes[0];
}

static void say_parts(const OrtSession* session) {
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  if (say_status(api->Session_GetEpGraphAssignmentInfo(session, &parts, &count))) {
    say("%d", (int)count);
  }
}
CALL("Session_GetEpGraphAssignmentInfo(recorded)") { say_parts(recording_session()); }
CALL("Session_GetEpGraphAssignmentInfo(not recorded)") { say_parts(some_session()); }

static void say_ep(const OrtEpAssignedSubgraph* part) {
  const char* name = NULL;
  if (say_status(api->EpAssignedSubgraph_GetEpName(part, &name))) {
    say("%s", name);
  }
}
CALL("EpAssignedSubgraph_GetEpName(p)") { say_ep(some_part()); }

static void session_eps_say_nodes(const OrtEpAssignedSubgraph* part) {
  const OrtEpAssignedNode* const* nodes = NULL;
  size_t count = 0;
  if (say_status(api->EpAssignedSubgraph_GetNodes(part, &nodes, &count))) {
    say("%d", (int)count);
  }
}
CALL("EpAssignedSubgraph_GetNodes(p)") { session_eps_say_nodes(some_part()); }

typedef OrtStatus*(ORT_API_CALL* text_slot)(const OrtEpAssignedNode*, const char**);
static void say_text(text_slot slot, const OrtEpAssignedNode* node) {
  const char* text = NULL;
  if (say_status(slot(node, &text))) {
    say("'%s'", text);
  }
}
CALL("EpAssignedNode_GetName(n)") { say_text(api->EpAssignedNode_GetName, some_node()); }
CALL("EpAssignedNode_GetDomain(n)") { say_text(api->EpAssignedNode_GetDomain, some_node()); }
CALL("EpAssignedNode_GetOperatorType(n)") {
  say_text(api->EpAssignedNode_GetOperatorType, some_node());
}

static void set_options(OrtSession* session, size_t count) {
  static const char* const texts[] = {"key"};
  say_status(api->SetEpDynamicOptions(session, texts, texts, count));
}
CALL("SetEpDynamicOptions(s,0)") { set_options(some_session(), 0); }

ANSWER("SessionReleaseCapturedGraph(s,1)", api->SessionReleaseCapturedGraph(some_session(), 1))

/* --- runs on another thread ------------------------------------------------------------------- */

struct end {
  OrtStatus* status;
  size_t count;
  int is_there;
};

static void note_end(void* argument, OrtValue** values, size_t count, OrtStatus* status) {
  struct end* end = argument;
  (void)values;
  end->status = status;
  end->count = count;
  __atomic_store_n(&end->is_there, 1, __ATOMIC_RELEASE);
}

static void run_async(OrtSession* session, const char* input, RunAsyncCallbackFn callback) {
  const char* output = "a";
  OrtValue *value = FLOATS(3, 4), *out = NULL;
  struct end end = {NULL, 0, 0};
  if (say_status(api->RunAsync(session, NULL, &input, (const OrtValue* const*)&value, 1, &output, 1,
                               &out, callback, &end))) {
    while (!__atomic_load_n(&end.is_there, __ATOMIC_ACQUIRE)) {
    }
    say_status(end.status);
    say("%d", (int)end.count);
  }
}
CALL("RunAsync(s)") { run_async(threaded_session(), "x", note_end); }
CALL("RunAsync(s of one thread)") { run_async(session_of(1), "x", note_end); }
CALL("RunAsync(unknown input)") { run_async(threaded_session(), "z", note_end); }

/* --- threads of the client -------------------------------------------------------------------- */

static void make_threads(OrtCustomJoinThreadFn join, int count) {
  OrtSessionOptions* options = session_options();
  OrtSession* session = NULL;
  CHECK(api->SetIntraOpNumThreads(options, count) == NULL);
  CHECK(api->SessionOptionsSetCustomCreateThreadFn(options, create_thread) == NULL);
  CHECK(api->SessionOptionsSetCustomJoinThreadFn(options, join) == NULL);
  say_status(api->CreateSessionFromArray(session_env(), MODEL, options, &session));
}
CALL("CreateSessionFromArray(threads that cannot be made)") { make_threads(join_thread, 2); }
CALL("CreateSessionFromArray(no threads are made)") { make_threads(join_thread, 1); }
CALL("CreateSessionFromArray(threads that cannot be joined)") { make_threads(NULL, 2); }

CALL("CreateSessionFromArray(threads of an environment without)") {
  OrtSessionOptions* options = session_options();
  OrtSession* session = NULL;
  CHECK(api->DisablePerSessionThreads(options) == NULL);
  say_status(api->CreateSessionFromArray(session_env(), MODEL, options, &session));
}

static void make_global_threads(OrtCustomJoinThreadFn join) {
  OrtEnv* env = NULL;
  OrtThreadingOptions* options = NEW(OrtThreadingOptions, api->CreateThreadingOptions(&new_));
  CHECK(api->SetGlobalIntraOpNumThreads(options, 2) == NULL);
  CHECK(api->SetGlobalCustomCreateThreadFn(options, create_thread) == NULL);
  CHECK(api->SetGlobalCustomJoinThreadFn(options, join) == NULL);
  say_status(api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "pools", options, &env));
}
CALL("CreateEnvWithGlobalThreadPools(threads that cannot be made)") {
  make_global_threads(join_thread);
}
CALL("CreateEnvWithGlobalThreadPools(threads that cannot be joined)") { make_global_threads(NULL); }
