/* SPDX-License-Identifier: MIT */
/* What an execution provider says of a graph, without one: providers are shown graphs by sessions.
 */
#include "behaviour.h"
#include "onnxruntime_ep_c_api.h"

CALL("EpGraphSupportInfo_AddNodesToFuse(NULL)") {
  const OrtNode* node = NULL;
  say_status(api->GetEpApi()->EpGraphSupportInfo_AddNodesToFuse(NULL, &node, 1, NULL));
}
CALL("EpGraphSupportInfo_AddSingleNode(NULL)") {
  say_status(api->GetEpApi()->EpGraphSupportInfo_AddSingleNode(NULL, NULL));
}
CALL("EpGraphSupportInfo_LookUpKernel(NULL)") {
  const OrtKernelDef* found = UNTOUCHED;
  say_status(api->GetEpApi()->EpGraphSupportInfo_LookUpKernel(NULL, NULL, &found));
}
