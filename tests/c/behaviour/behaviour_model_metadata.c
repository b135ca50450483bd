/* SPDX-License-Identifier: MIT */
/* OrtModelMetadata: what a model says about itself. */
#include "behaviour_graph.h"

/* A call with the metadata of a model, `m`, and one without. */
#define METADATA_CALL(text, ...)                                                                  \
  GRAPH_CALL(text, OrtModelMetadata* m = NULL; CHECK(api->Graph_GetModelMetadata(g, &m) == NULL); \
             __VA_ARGS__; api->ReleaseModelMetadata(m))
#define NO_METADATA(text, ...)

#define SAY_TEXT(slot)                                         \
  char* text = UNTOUCHED;                                      \
  if (say_status(api->slot(m, allocator(), &text))) {          \
    say("%s", text);                                           \
    api->ReleaseStatus(api->AllocatorFree(allocator(), text)); \
  }
#define READ_TEXT(slot)                \
  METADATA_CALL(#slot, SAY_TEXT(slot)) \
  NO_METADATA(#slot, SAY_TEXT(slot))

READ_TEXT(ModelMetadataGetProducerName)
READ_TEXT(ModelMetadataGetGraphName)
READ_TEXT(ModelMetadataGetDomain)
READ_TEXT(ModelMetadataGetDescription)
READ_TEXT(ModelMetadataGetGraphDescription)

METADATA_CALL(
    "ModelMetadataGetVersion", int64_t version = 0;
    if (say_status(api->ModelMetadataGetVersion(m, &version))) { say("%d", (int)version); })
NO_METADATA("ModelMetadataGetVersion", int64_t version = 0;
            say_status(api->ModelMetadataGetVersion(m, &version)))

#define SAY_ENTRY(key)                                                                     \
  char* text = UNTOUCHED;                                                                  \
  if (say_status(api->ModelMetadataLookupCustomMetadataMap(m, allocator(), key, &text))) { \
    say("%s", text == NULL ? "NULL" : text);                                               \
  }
METADATA_CALL("ModelMetadataLookupCustomMetadataMap(key)", SAY_ENTRY("key"))
METADATA_CALL("ModelMetadataLookupCustomMetadataMap(empty text)", SAY_ENTRY("other"))
METADATA_CALL("ModelMetadataLookupCustomMetadataMap(unknown)", SAY_ENTRY("unknown"))
NO_METADATA("ModelMetadataLookupCustomMetadataMap", SAY_ENTRY("key"))

/* The order of the keys is not defined. */
#define SAY_KEYS                                                                               \
  char** keys = UNTOUCHED;                                                                     \
  int64_t count = 99;                                                                          \
  if (say_status(api->ModelMetadataGetCustomMetadataMapKeys(m, allocator(), &keys, &count))) { \
    say("%d", (int)count);                                                                     \
    say("%d", strcmp(keys[0], "key") == 0 || strcmp(keys[1], "key") == 0);                     \
  }
METADATA_CALL("ModelMetadataGetCustomMetadataMapKeys", SAY_KEYS)
NO_METADATA("ModelMetadataGetCustomMetadataMapKeys", SAY_KEYS)

#undef READ_TEXT
