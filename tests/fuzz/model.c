/* SPDX-License-Identifier: MIT */
#include "model.h"

struct value values[VALUES];

size_t bits_of(ONNXTensorElementDataType type) {
  static const unsigned char bits[] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text) [value] = (bits),
#include "ort_element_types.def"
  };
  int is_held = type != ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 &&
                type != ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128;
  if (type == STRING) {
    return 8 * 32; /* sizeof(std::string) */
  }
  return is_held && (size_t)type < CORE_COUNT_OF(bits) ? bits[type] : 0;
}

struct model* new_model(ONNXTensorElementDataType type, size_t rank, const int64_t* dims) {
  struct model* model = must_malloc(sizeof *model);
  *model = (struct model){.kind = ONNX_TYPE_TENSOR, .type = type, .rank = rank, .count = 1};
  for (size_t i = 0; i < rank; i++) {
    model->dims[i] = dims[i];
    model->count *= (size_t)dims[i];
  }
  model->bytes = (model->count * bits_of(type) + 7) / 8;
  if (type == STRING) {
    model->texts = must_malloc(model->count * sizeof *model->texts);
    memset(model->texts, 0, model->count * sizeof *model->texts);
  } else {
    model->content = must_malloc(model->bytes);
    memset(model->content, 0, model->bytes);
  }
  return model;
}

struct model* copy_model(const struct model* from) {
  struct model* copy = must_malloc(sizeof *copy);
  *copy = *from;
  if (from->content != NULL) {
    copy->content = must_malloc(from->bytes);
    memcpy(copy->content, from->content, from->bytes);
  }
  if (from->texts != NULL) {
    copy->texts = must_malloc(from->count * sizeof *from->texts);
    memcpy(copy->texts, from->texts, from->count * sizeof *from->texts);
  }
  for (size_t i = 0; i < from->child_count; i++) {
    copy->children[i] = copy_model(from->children[i]);
  }
  return copy;
}

void end_model(struct model* model) {
  if (model != NULL) {
    for (size_t i = 0; i < model->child_count; i++) {
      end_model(model->children[i]);
    }
    free(model->content);
    free(model->texts);
    free(model);
  }
}

static void check_shape(const OrtValue* value, const struct model* model) {
  ONNXTensorElementDataType type;
  const int64_t* dims = NULL;
  size_t rank = 0;
  CHECK(api->GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank) == NULL);
  CHECK(type == model->type && rank == model->rank);
  CHECK(rank == 0 || memcmp(dims, model->dims, rank * sizeof *dims) == 0);
}

static void check_texts(const OrtValue* value, const struct model* model) {
  char content[4096];
  size_t offsets[128];
  size_t total = 0;
  size_t at = 0;
  CHECK(api->GetStringTensorDataLength(value, &total) == NULL && total <= sizeof content);
  CHECK(api->GetStringTensorContent(value, content, total, offsets, model->count) == NULL);
  for (size_t i = 0; i < model->count; i++) {
    const struct text* text = &model->texts[i];
    size_t length = 0;
    CHECK(offsets[i] == at && at + text->length <= total);
    CHECK(memcmp(content + at, text->bytes, text->length) == 0);
    CHECK(api->GetStringTensorElementLength(value, i, &length) == NULL && length == text->length);
    CHECK(api->GetStringTensorElement(value, length, i, content + at) == NULL);
    CHECK(memcmp(content + at, text->bytes, length) == 0);
    at += length;
  }
  CHECK(at == total);
}

static void check_tensor(OrtValue* value, const struct model* model) {
  const OrtMemoryInfo* info = NULL;
  const void* data = NULL;
  size_t size = 0;
  check_shape(value, model);
  CHECK(api->GetTensorMemoryInfo(value, &info) == NULL && info != NULL);
  if (model->type == STRING) {
    check_texts(value, model);
    return;
  }
  CHECK(api->GetTensorData(value, &data) == NULL && (data != NULL || model->bytes == 0));
  CHECK(api->GetTensorSizeInBytes(value, &size) == NULL && size == model->bytes);
  CHECK(size == 0 || memcmp(data, model->content, size) == 0);
}

static void check_container(const OrtValue* value, const struct model* model) {
  OrtAllocator* allocator = NULL;
  size_t count = 0;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  CHECK(api->GetValueCount(value, &count) == NULL && count == model->child_count);
  for (size_t i = 0; i < count; i++) {
    OrtValue* element = NULL;
    CHECK(api->GetValue(value, (int)i, allocator, &element) == NULL);
    check_value(element, model->children[i]);
    api->ReleaseValue(element);
  }
}

static void check_indices(const OrtValue* value, enum OrtSparseIndicesFormat which,
                          const struct model* model) {
  size_t count = 0;
  const void* indices = NULL;
  CHECK(api->GetSparseTensorIndices(value, which, &count, &indices) == NULL);
  CHECK(count == model->count);
  CHECK(count == 0 || memcmp(indices, model->content, model->bytes) == 0);
}

static void check_sparse(const OrtValue* value, const struct model* model) {
  OrtSparseFormat format;
  const void* data = NULL;
  check_shape(value, model);
  CHECK(api->GetSparseTensorFormat(value, &format) == NULL && format == model->format);
  if (format == ORT_SPARSE_UNDEFINED) {
    must_be(api->GetSparseTensorValues(value, &data), ORT_FAIL);
    return;
  }
  if (model->type == STRING) {
    check_texts(value, model->children[0]);
  } else {
    CHECK(api->GetSparseTensorValues(value, &data) == NULL);
    size_t bytes = model->children[0]->bytes;
    CHECK(bytes == 0 || memcmp(data, model->children[0]->content, bytes) == 0);
  }
  if (format == ORT_SPARSE_COO) {
    check_indices(value, ORT_SPARSE_COO_INDICES, model->children[1]);
  } else if (format == ORT_SPARSE_CSRC) {
    check_indices(value, ORT_SPARSE_CSR_INNER_INDICES, model->children[1]);
    check_indices(value, ORT_SPARSE_CSR_OUTER_INDICES, model->children[2]);
  } else {
    check_indices(value, ORT_SPARSE_BLOCK_SPARSE_INDICES, model->children[1]);
  }
}

void check_value(OrtValue* value, const struct model* model) {
  enum ONNXType kind;
  pause_faults();
  CHECK(api->GetValueType(value, &kind) == NULL && kind == model->kind);
  if (kind == ONNX_TYPE_TENSOR) {
    check_tensor(value, model);
  } else if (kind == ONNX_TYPE_SPARSETENSOR) {
    check_sparse(value, model);
  } else {
    check_container(value, model);
  }
  resume_faults();
}

void keep_value(size_t place, OrtValue* handle, struct model* model, void* borrowed) {
  values[place] = (struct value){handle, model, borrowed};
  check_value(handle, model);
}

void drop_value(size_t place) {
  struct value* value = &values[place];
  if (value->handle != NULL) {
    check_value(value->handle, value->model);
    api->ReleaseValue(value->handle);
    end_model(value->model);
    free(value->borrowed);
    *value = (struct value){NULL, NULL, NULL};
  }
}

struct value* next_value(void) {
  struct value* value = &values[next_byte() % VALUES];
  return value->handle != NULL ? value : NULL;
}

void end_values(void) {
  for (size_t i = 0; i < VALUES; i++) {
    drop_value(i);
  }
}
