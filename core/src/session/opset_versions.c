/* SPDX-License-Identifier: MIT */
/* Refuses models whose operators or format have meanings that the core does not know: its table of
 * ONNX's operators is of one release of ONNX. */

#include "model/model.h"
#include "session/session.h"

static OrtStatus* refuse_version(OrtErrorCode code, const char* domain, int64_t version,
                                 const char* why) {
  return core_fail(code, "the model has version %" PRId64 " of the operator set '%.80s', %s",
                   version, domain[0] == 0 ? "ai.onnx" : domain, why);
}

OrtStatus* core_check_opset_versions(const OrtSession* session) {
  const struct core_opsets* opsets = &session->model->opsets;
  const char* only_released = core_config_get(&session->options->lists[CORE_SESSION_CONFIG],
                                              "session.allow_released_opsets_only");
  CORE_REFUSE_IF(session->model->ir_version == 0, ORT_FAIL,
                 "the model does not say the version of ONNX's format that it has");
  CORE_REFUSE_IF(session->model->ir_version > core_newest_ir_version(), ORT_FAIL,
                 "the model has version %" PRId64
                 " of ONNX's format, of which this library knows %" PRId64 " and earlier ones",
                 session->model->ir_version, core_newest_ir_version());
  bool takes_newer = only_released != NULL && strcmp(only_released, "1") != 0;
  CORE_REFUSE_IF(opsets->count == 0, ORT_FAIL, "the model does not say its operator sets");
  for (size_t i = 0; i < opsets->count; i++) {
    int64_t newest = core_newest_opset(opsets->domains[i]), version = opsets->versions[i];
    char why[160];
    CORE_RETURN_IF(newest > 0 && version < 1, refuse_version(ORT_INVALID_GRAPH, opsets->domains[i],
                                                             version, "which begins with 1"));
    if (newest > 0 && version > newest && !takes_newer) {
      snprintf(why, sizeof why,
               "of which this library knows %" PRId64
               " and earlier ones; the entry "
               "session.allow_released_opsets_only with the value 0 takes it as that one",
               newest);
      return refuse_version(ORT_FAIL, opsets->domains[i], version, why);
    }
  }
  return NULL;
}
