/* SPDX-License-Identifier: MIT */
/* The operator sets that a model, or one of its functions, imports. */

#include "graph/graph.h"
#include "onnx/fields.h"

/* Adds an operator set, sorted by domain. If a domain is there twice, the later version counts. */
static OrtStatus* add_opset(struct core_pool* pool, struct core_message bytes,
                            struct core_opsets* to) {
  struct core_message domain = {bytes.at, bytes.at};
  struct core_field field;
  int64_t version = 0;
  while (core_next_field(&bytes, &field)) { /* at once: models are opened often */
    if (field.number == OPSET_DOMAIN && field.wire == CORE_LENGTH) {
      domain = field.bytes;
    } else if (field.number == OPSET_VERSION && field.wire == CORE_VARINT) {
      version = (int64_t)field.value;
    }
  }
  if (core_message_is(domain, "ai.onnx")) {
    domain.end = domain.at;
  }
  const char* text = core_pool_text(pool, domain.at, core_message_size(domain));
  CORE_NEED_MEMORY(text, core_message_size(domain) + 1);
  size_t i = 0;
  while (i < to->count && strcmp(to->domains[i], text) < 0) {
    i++;
  }
  if (i == to->count || strcmp(to->domains[i], text) != 0) {
    memmove(&to->domains[i + 1], &to->domains[i], (to->count - i) * sizeof *to->domains);
    memmove(&to->versions[i + 1], &to->versions[i], (to->count - i) * sizeof *to->versions);
    to->count++;
  }
  to->domains[i] = text;
  to->versions[i] = version;
  return NULL;
}

OrtStatus* core_read_opsets(struct core_pool* pool, struct core_message bytes, uint32_t number,
                            struct core_opsets* out) {
  struct core_message opset;
  size_t count = core_count_messages(bytes, number);
  *out = (struct core_opsets){0};
  CORE_TAKE_ARRAY(pool, out->domains, count);
  CORE_TAKE_ARRAY(pool, out->versions, count);
  while (core_next_message(&bytes, number, &opset)) {
    CORE_TRY(add_opset(pool, opset, out));
  }
  return NULL;
}

const int64_t* core_find_opset(const struct core_opsets* opsets, const char* domain) {
  for (size_t i = 0; i < opsets->count; i++) {
    if (strcmp(opsets->domains[i], domain) == 0) {
      return &opsets->versions[i];
    }
  }
  return NULL;
}

/* Operators of the layout with the channels last are those of ONNX. */
static const char* domain_of(const OrtNode* node) {
  return strcmp(node->domain, CORE_CHANNELS_LAST) == 0 ? "" : node->domain;
}

int core_opset_version_of(const OrtNode* node) {
  if (node->graph == NULL || node->graph->model == NULL) {
    return 0;
  }
  const int64_t* version = core_find_opset(core_opsets_of(node->graph), domain_of(node));
  return version == NULL || *version < 0 ? 0 : *version > INT_MAX ? INT_MAX : (int)*version;
}

const struct core_schema* core_schema_of(const OrtNode* node) {
  return core_find_schema(node->op_type, domain_of(node), core_opset_version_of(node));
}
