/* SPDX-License-Identifier: MIT */
/*
 * A library of the API version after this one's: the core, under -DCORE="path", with a slot more.
 */
#include "client.h"
#include "onnxruntime_c_api.h"

static struct {
  OrtApi known;
  void(ORT_API_CALL* later)(void);
} table;
static const OrtApi* core;

static void ORT_API_CALL do_nothing(void) {}

static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  return version <= ORT_API_VERSION + 1 ? &table.known : NULL;
}

static const char* ORT_API_CALL get_version_string(void) NO_EXCEPTION {
  static char text[16];
  snprintf(text, sizeof text, "1.%d.0", ORT_API_VERSION + 1);
  return text;
}

const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION {
  static const OrtApiBase base = {get_api, get_version_string};
  if (core == NULL) {
    const OrtApiBase*(ORT_API_CALL * get_base)(void);
    *(void**)&get_base = entry_of(CORE);
    core = get_base()->GetApi(ORT_API_VERSION);
    table.known = *core;
    table.later = do_nothing;
  }
  return &base;
}
