/* SPDX-License-Identifier: MIT */
/* Options of shared threads, and the store of weights that sessions share. */
#include "behaviour.h"

/* A call on fresh threading options, `o`, that says its status. */
#define SAY(text, expression)                       \
  CALL(text) {                                      \
    OrtThreadingOptions* o = NULL;                  \
    CHECK(api->CreateThreadingOptions(&o) == NULL); \
    say_status(api->expression);                    \
    api->ReleaseThreadingOptions(o);                \
  }

CALL("CreateThreadingOptions(&o)") {
  OrtThreadingOptions* options = UNTOUCHED;
  say_status(api->CreateThreadingOptions(&options));
  say_out(options, UNTOUCHED);
  api->ReleaseThreadingOptions(options);
}
SAY("SetGlobalIntraOpNumThreads(o,-1)", SetGlobalIntraOpNumThreads(o, -1))
SAY("SetGlobalInterOpNumThreads(o,-1)", SetGlobalInterOpNumThreads(o, -1))
SAY("SetGlobalSpinControl(o,0)", SetGlobalSpinControl(o, 0))
SAY("SetGlobalSpinControl(o,1)", SetGlobalSpinControl(o, 1))
SAY("SetGlobalSpinControl(o,7)", SetGlobalSpinControl(o, 7))
SAY("SetGlobalSpinControl(o,-1)", SetGlobalSpinControl(o, -1))
SAY("SetGlobalDenormalAsZero(o)", SetGlobalDenormalAsZero(o))
SAY("SetGlobalIntraOpThreadAffinity(o,\"1;2\")", SetGlobalIntraOpThreadAffinity(o, "1;2"))
SAY("SetGlobalIntraOpThreadAffinity(o,\"no numbers\")",
    SetGlobalIntraOpThreadAffinity(o, "no numbers"))
SAY("SetGlobalIntraOpThreadAffinity(o,\"\")", SetGlobalIntraOpThreadAffinity(o, ""))
SAY("SetGlobalIntraOpThreadAffinity(o, 4096 digits)",
    SetGlobalIntraOpThreadAffinity(o, long_text('1', 4096)))
SAY("SetGlobalIntraOpThreadAffinity(o, 4097 digits)",
    SetGlobalIntraOpThreadAffinity(o, long_text('1', 4097)))
SAY("SetGlobalCustomCreateThreadFn(o,f)", SetGlobalCustomCreateThreadFn(o, create_thread))
SAY("SetGlobalCustomCreateThreadFn(o,NULL)", SetGlobalCustomCreateThreadFn(o, NULL))
SAY("SetGlobalCustomThreadCreationOptions(o,NULL)", SetGlobalCustomThreadCreationOptions(o, NULL))
SAY("SetGlobalCustomJoinThreadFn(o,f)", SetGlobalCustomJoinThreadFn(o, join_thread))
SAY("SetGlobalCustomJoinThreadFn(o,NULL)", SetGlobalCustomJoinThreadFn(o, NULL))

CALL("CreatePrepackedWeightsContainer(&o)") {
  OrtPrepackedWeightsContainer* container = UNTOUCHED;
  say_status(api->CreatePrepackedWeightsContainer(&container));
  say_out(container, UNTOUCHED);
  api->ReleasePrepackedWeightsContainer(container);
}

#undef SAY
