/* SPDX-License-Identifier: MIT */
/* The functions for the data of compiled models: set in session options, read by providers. */
#include "behaviour.h"

static OrtStatus* ORT_API_CALL give(void* state, const char* name, OrtAllocator* allocator,
                                    void** buffer, size_t* size) {
  (void)state, (void)name, (void)allocator, (void)buffer, (void)size;
  return NULL;
}

static OrtSessionOptions* with_reader(OrtReadNamedBufferFunc function, void* state) {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  say_status(api->SessionOptionsSetEpContextDataReadFunc(options, function, state));
  return options;
}

static OrtEpContextConfig* snapshot_of(OrtSessionOptions* options) {
  OrtEpContextConfig* config = NULL;
  say_status(api->GetEpApi()->SessionOptionsGetEpContextConfig(options, &config));
  return config;
}

static void say_reader(const OrtEpContextConfig* config) {
  OrtReadNamedBufferFunc function = NULL;
  void* state = UNTOUCHED;
  say_status(api->GetEpApi()->EpContextConfigGetEpContextDataReadFunc(config, &function, &state));
  say("%s", function == give ? "the function" : function == NULL ? "NULL" : "another");
  say_out(state, UNTOUCHED);
}

static void read_of(OrtReadNamedBufferFunc function, void* state) {
  OrtSessionOptions* options = with_reader(function, state);
  OrtEpContextConfig* config = snapshot_of(options);
  api->ReleaseSessionOptions(options);
  say_reader(config);
  api->GetEpApi()->ReleaseEpContextConfig(config);
}

ANSWER("SessionOptionsSetEpContextDataReadFunc(NULL,f,s)",
       api->SessionOptionsSetEpContextDataReadFunc(NULL, give, NULL))
CALL("SessionOptionsSetEpContextDataReadFunc(o,f,s)") { read_of(give, (void*)&api); }
CALL("SessionOptionsSetEpContextDataReadFunc(o,f,NULL)") { read_of(give, NULL); }
CALL("SessionOptionsSetEpContextDataReadFunc(o,NULL,s)") { read_of(NULL, (void*)&api); }
CALL("SessionOptionsSetEpContextDataReadFunc in a copy") {
  OrtSessionOptions *options = with_reader(give, (void*)&api), *copy = NULL;
  CHECK(api->CloneSessionOptions(options, &copy) == NULL);
  api->ReleaseSessionOptions(options);
  OrtEpContextConfig* config = snapshot_of(copy);
  say_reader(config);
  api->GetEpApi()->ReleaseEpContextConfig(config);
  api->ReleaseSessionOptions(copy);
}
CALL("SessionOptionsGetEpContextConfig is a snapshot") {
  OrtSessionOptions* options = with_reader(give, (void*)&api);
  OrtEpContextConfig* config = snapshot_of(options);
  say_status(api->SessionOptionsSetEpContextDataReadFunc(options, NULL, NULL));
  say_reader(config);
  api->GetEpApi()->ReleaseEpContextConfig(config);
  api->ReleaseSessionOptions(options);
}
CALL("SessionOptionsGetEpContextConfig(NULL,&c)") {
  OrtEpContextConfig* config = UNTOUCHED;
  say_status(api->GetEpApi()->SessionOptionsGetEpContextConfig(NULL, &config));
  say_out(config, UNTOUCHED);
}
CALL("SessionOptionsGetEpContextConfig(o,NULL)") {
  OrtSessionOptions* options = with_reader(NULL, NULL);
  say_status(api->GetEpApi()->SessionOptionsGetEpContextConfig(options, NULL));
  api->ReleaseSessionOptions(options);
}

/* A call on the snapshot of fresh options, `c`, that says its status. */
#define SAY(text, expression)                             \
  CALL(text) {                                            \
    OrtSessionOptions* options = with_reader(NULL, NULL); \
    OrtEpContextConfig* c = snapshot_of(options);         \
    OrtReadNamedBufferFunc read = give;                   \
    OrtWriteNamedBufferFunc write = NULL;                 \
    void* state = UNTOUCHED;                              \
    say_status(api->GetEpApi()->expression);              \
    say_out(state, UNTOUCHED);                            \
    say("%d %d", read == give, write == NULL);            \
    api->GetEpApi()->ReleaseEpContextConfig(c);           \
    api->ReleaseSessionOptions(options);                  \
  }

SAY("EpContextConfigGetEpContextDataReadFunc(NULL,&f,&s)",
    EpContextConfigGetEpContextDataReadFunc(NULL, &read, &state))
SAY("EpContextConfigGetEpContextDataReadFunc(c,NULL,&s)",
    EpContextConfigGetEpContextDataReadFunc(c, NULL, &state))
SAY("EpContextConfigGetEpContextDataReadFunc(c,&f,NULL)",
    EpContextConfigGetEpContextDataReadFunc(c, &read, NULL))
SAY("EpContextConfigGetEpContextDataWriteFunc(c,&f,&s)",
    EpContextConfigGetEpContextDataWriteFunc(c, &write, &state))
SAY("EpContextConfigGetEpContextDataWriteFunc(NULL,&f,&s)",
    EpContextConfigGetEpContextDataWriteFunc(NULL, &write, &state))
SAY("EpContextConfigGetEpContextDataWriteFunc(c,NULL,&s)",
    EpContextConfigGetEpContextDataWriteFunc(c, NULL, &state))
SAY("EpContextConfigGetEpContextDataWriteFunc(c,&f,NULL)",
    EpContextConfigGetEpContextDataWriteFunc(c, &write, NULL))

#undef SAY
