/* SPDX-License-Identifier: MIT */
/* Lines of dump_graph.c: how texts are made, and what types, tensors, attributes and metadata say.
 */
#ifndef ORTCFFI_TESTS_DUMP_LINES_H_
#define ORTCFFI_TESTS_DUMP_LINES_H_

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "table.h"

extern const OrtApi* api;

/* Calls a slot that must succeed. */
#define DO(call)                                                    \
  do {                                                              \
    OrtStatus* failed_ = api->call;                                 \
    if (failed_ != NULL) {                                          \
      fprintf(stderr, "%s:%d: " #call ": %s\n", __FILE__, __LINE__, \
              api->GetErrorMessage(failed_));                       \
      exit(1);                                                      \
    }                                                               \
  } while (0)

struct text {
  char at[1 << 16];
  size_t size;
};

static inline void add(struct text* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text->at + text->size, sizeof text->at - text->size, format, arguments);
  va_end(arguments);
  CHECK(size >= 0 && (size_t)size < sizeof text->at - text->size);
  text->size += (size_t)size;
}

static char** lines;
static size_t line_count;

/* Keeps the text as a line, and empties it. SAY is one that is made at once. */
#define SAY(...)                    \
  do {                              \
    struct text said = {.size = 0}; \
    add(&said, __VA_ARGS__);        \
    line(&said);                    \
  } while (0)
/* Fills an array with what a slot lists of `of`, where another one says how many there are. */
#define LIST(array, count, count_slot, slot, of)   \
  DO(count_slot(of, &count));                      \
  CHECK(count <= sizeof(array) / sizeof *(array)); \
  DO(slot(of, array, count))

static inline void line(struct text* text) {
  if ((line_count & (line_count + 1)) == 0) {
    lines = realloc(lines, (2 * line_count + 2) * sizeof *lines);
    CHECK(lines != NULL);
  }
  lines[line_count] = strdup(text->at);
  CHECK(lines[line_count++] != NULL);
  text->size = 0;
}

static inline int compare_lines(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

/* Prints the lines, each once, and forgets them. */
static inline void print_lines(void) {
  qsort(lines, line_count, sizeof *lines, compare_lines);
  for (size_t i = 0; i < line_count; i++) {
    if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0) {
      puts(lines[i]);
    }
  }
  for (size_t i = 0; i < line_count; i++) {
    free(lines[i]);
  }
  free(lines);
  lines = NULL;
  line_count = 0;
}

static inline const char* name_of(const OrtValueInfo* value) {
  const char* name = NULL;
  DO(GetValueInfoName(value, &name));
  return name;
}

static inline uint64_t checksum(const void* bytes, size_t size) {
  uint64_t sum = 14695981039346656037U;
  for (size_t i = 0; i < size; i++) {
    sum = (sum ^ ((const uint8_t*)bytes)[i]) * 1099511628211U;
  }
  return sum;
}

/* --- types ------------------------------------------------------------------------------------ */

static inline void add_shape(struct text* text, const OrtTensorTypeAndShapeInfo* info,
                             const char* kind) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  int64_t dims[64];
  const char* names[64];
  size_t rank = 0;
  DO(GetTensorElementType(info, &type));
  add(text, "%s(%d)", kind, (int)type);
  if (!api->TensorTypeAndShape_HasShape(info)) {
    return;
  }
  DO(GetDimensionsCount(info, &rank));
  CHECK(rank <= 64);
  DO(GetDimensions(info, dims, rank));
  DO(GetSymbolicDimensions(info, names, rank));
  add(text, "[");
  for (size_t i = 0; i < rank; i++) {
    if (names[i] != NULL && names[i][0] != 0) {
      add(text, " %s", names[i]);
    } else {
      add(text, " %d", (int)dims[i]);
    }
  }
  add(text, " ]");
}

static inline void add_type_info(struct text* text, const OrtTypeInfo* type);

static inline void add_inner_type(struct text* text, const char* kind, OrtTypeInfo* inner) {
  add(text, "%s(", kind);
  add_type_info(text, inner);
  add(text, ")");
  api->ReleaseTypeInfo(inner);
}

static inline void add_type_info(struct text* text, const OrtTypeInfo* type) {
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  const OrtSequenceTypeInfo* sequence = NULL;
  const OrtOptionalTypeInfo* optional = NULL;
  OrtTypeInfo* inner = NULL;
  DO(GetOnnxTypeFromTypeInfo(type, &kind));
  switch (kind) {
    case ONNX_TYPE_TENSOR:
    case ONNX_TYPE_SPARSETENSOR:
      DO(CastTypeInfoToTensorInfo(type, &tensor));
      add_shape(text, tensor, kind == ONNX_TYPE_TENSOR ? "tensor" : "sparse");
      break;
    case ONNX_TYPE_SEQUENCE:
      DO(CastTypeInfoToSequenceTypeInfo(type, &sequence));
      DO(GetSequenceElementType(sequence, &inner));
      add_inner_type(text, "sequence", inner);
      break;
    case ONNX_TYPE_OPTIONAL:
      DO(CastTypeInfoToOptionalTypeInfo(type, &optional));
      DO(GetOptionalContainedTypeInfo(optional, &inner));
      add_inner_type(text, "optional", inner);
      break;
    default:
      add(text, "kind %d", (int)kind);
  }
}

static inline void add_type(struct text* text, const char* prefix, const OrtValueInfo* value) {
  const OrtTypeInfo* type = NULL;
  add(text, "%stype %s: ", prefix, name_of(value));
  OrtStatus* status = api->GetValueInfoTypeInfo(value, &type);
  if (status != NULL || type == NULL) {
    add(text, "none");
    api->ReleaseStatus(status);
    return;
  }
  add_type_info(text, type);
}

/* --- tensors ---------------------------------------------------------------------------------- */

static inline uint64_t checksum_of_strings(const OrtValue* tensor, size_t count) {
  size_t size = 0;
  DO(GetStringTensorDataLength(tensor, &size));
  char* bytes = calloc(size + 1, 1);
  size_t* offsets = calloc(count + 1, sizeof *offsets);
  CHECK(bytes != NULL && offsets != NULL);
  DO(GetStringTensorContent(tensor, bytes, size, offsets, count));
  uint64_t sum = checksum(bytes, size) + checksum(offsets, count * sizeof *offsets);
  free(bytes);
  free(offsets);
  return sum;
}

static inline void add_tensor(struct text* text, const OrtValue* tensor) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const void* data = NULL;
  size_t size = 0, count = 0;
  DO(GetTensorTypeAndShape(tensor, &info));
  DO(GetTensorElementType(info, &type));
  DO(GetTensorShapeElementCount(info, &count));
  add_shape(text, info, "tensor");
  api->ReleaseTensorTypeAndShapeInfo(info);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    add(text, " %016" PRIx64, checksum_of_strings(tensor, count));
    return;
  }
  DO(GetTensorSizeInBytes(tensor, &size));
  if (size > 0) {
    DO(GetTensorData(tensor, &data));
  }
  add(text, " %016" PRIx64, checksum(data, size));
}

static inline void lines_of_tensor(const char* prefix, const OrtValueInfo* value) {
  const OrtValue* tensor = NULL;
  struct text text = {.size = 0};
  DO(ValueInfo_GetInitializerValue(value, &tensor));
  if (tensor != NULL) {
    add(&text, "%sdata %s: ", prefix, name_of(value));
    add_tensor(&text, tensor);
    line(&text);
  }
}

/* --- attributes ------------------------------------------------------------------------------- */

static inline void add_value_of_attribute(struct text* text, const OrtOpAttr* attribute,
                                          OrtOpAttrType type) {
  size_t size = 0;
  uint8_t* bytes = NULL;
  api->ReleaseStatus(api->ReadOpAttr(attribute, type, NULL, 0, &size));
  bytes = calloc(size + 1, 1);
  CHECK(bytes != NULL);
  if (size > 0) {
    DO(ReadOpAttr(attribute, type, bytes, size, &size));
  }
  add(text, " %d", (int)size);
  for (size_t i = 0; i < size && i < 64; i++) {
    add(text, "%s%02x", i % 8 == 0 ? " " : "", bytes[i]);
  }
  add(text, " %016" PRIx64, checksum(bytes, size));
  free(bytes);
}

static inline void add_attribute(struct text* text, const OrtOpAttr* attribute) {
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  const char* name = NULL;
  OrtValue* tensor = NULL;
  DO(OpAttr_GetName(attribute, &name));
  OrtStatus* status = api->OpAttr_GetType(attribute, &type);
  add(text, "%s type %d code %d", name, (int)type,
      status == NULL ? ORT_OK : (int)api->GetErrorCode(status));
  api->ReleaseStatus(status);
  switch (type) {
    case ORT_OP_ATTR_TENSOR:
      DO(OpAttr_GetTensorAttributeAsOrtValue(attribute, &tensor));
      add(text, " ");
      add_tensor(text, tensor);
      api->ReleaseValue(tensor);
      break;
    case ORT_OP_ATTR_GRAPH:
    case ORT_OP_ATTR_UNDEFINED:
      break;
    default:
      add_value_of_attribute(text, attribute, type);
  }
}

/* --- metadata --------------------------------------------------------------------------------- */

typedef OrtStatus*(ORT_API_CALL* get_text)(const OrtModelMetadata*, OrtAllocator*, char**);

static inline void line_of_text(const OrtModelMetadata* metadata, OrtAllocator* allocator,
                                const char* what, get_text get) {
  char* found = NULL;
  CHECK(get(metadata, allocator, &found) == NULL);
  SAY("metadata %s '%s'", what, found);
  allocator->Free(allocator, found);
}

static inline void lines_of_entries(const OrtModelMetadata* metadata, OrtAllocator* allocator) {
  char **keys = NULL, *found = NULL;
  int64_t count = 0;
  DO(ModelMetadataGetCustomMetadataMapKeys(metadata, allocator, &keys, &count));
  for (int64_t i = 0; i < count; i++) {
    DO(ModelMetadataLookupCustomMetadataMap(metadata, allocator, keys[i], &found));
    SAY("metadata entry '%s' '%s'", keys[i], found);
    allocator->Free(allocator, found);
    allocator->Free(allocator, keys[i]);
  }
  if (keys != NULL) {
    allocator->Free(allocator, keys);
  }
}

static inline void lines_of_metadata(const OrtGraph* graph) {
  OrtModelMetadata* metadata = NULL;
  OrtAllocator* allocator = NULL;
  int64_t version = 0;
  DO(GetAllocatorWithDefaultOptions(&allocator));
  DO(Graph_GetModelMetadata(graph, &metadata));
  line_of_text(metadata, allocator, "producer", api->ModelMetadataGetProducerName);
  line_of_text(metadata, allocator, "graph", api->ModelMetadataGetGraphName);
  line_of_text(metadata, allocator, "domain", api->ModelMetadataGetDomain);
  line_of_text(metadata, allocator, "description", api->ModelMetadataGetDescription);
  line_of_text(metadata, allocator, "graph description", api->ModelMetadataGetGraphDescription);
  DO(ModelMetadataGetVersion(metadata, &version));
  SAY("metadata version %" PRId64, version);
  lines_of_entries(metadata, allocator);
  api->ReleaseModelMetadata(metadata);
}

#endif /* ORTCFFI_TESTS_DUMP_LINES_H_ */
