/* SPDX-License-Identifier: MIT */
/* Models, written. All fields are copied as they stand; only tensors change, where their elements
 * go elsewhere or come from there. A message begins with its size, so there are two passes over the
 * same fields: the first one measures, and notes the sizes of messages that tensors may be in, in
 * the order in which the second one needs them. */

#include "graph/tensor_bytes.h"
#include "model/model.h"
#include "onnx/check_fields.h"

/* Files can be mapped from such an offset on every system with pages of this size. */
#define PAGE 4096
/* Protobuf's own limit. */
#define LARGEST_MODEL ((size_t)INT32_MAX)
#define BUFFER ((size_t)16 << 10)

/* The kind of the message in a field, as far as tensors may be in it. */
static enum core_onnx message_in(enum core_onnx outer, uint32_t number) {
  static const uint32_t kinds = 1U << ONNX_GRAPH | 1U << ONNX_FUNCTION | 1U << ONNX_NODE |
                                1U << ONNX_ATTRIBUTE | 1U << ONNX_SPARSE_TENSOR | 1U << ONNX_TENSOR;
  enum core_onnx inner =
      number < ONNX_FIELDS ? core_known_fields[outer][number].kind : ONNX_NO_MESSAGE;
  return kinds >> inner & 1 ? inner : ONNX_NO_MESSAGE;
}

/* One of the two places that are written to. */
struct sink {
  OrtWriteBufferFunc write;
  void* state;
  uint64_t position;
};

struct writer {
  const OrtModel* model;
  /** Tensors of so many bytes go to the second sink. */
  size_t external_above;
  const char* external_name;
  size_t external_alignment;
  size_t external_aligned_from;
  /** What the client has stored itself. */
  struct core_items places;
  bool is_measuring;
  /** Whether the elements of a tensor are outside of the model. */
  bool has_external;
  struct sink sinks[2];
  /** Bytes of the first sink that are not written yet. */
  uint8_t buffer[BUFFER];
  size_t buffered;
  /** Sizes of messages, and how many the second pass has used. */
  size_t* sizes;
  size_t size_count;
  size_t size_capacity;
  size_t sizes_used;
};

/* --- bytes ----------------------------------------------------------------------------------- */

static OrtStatus* write_out(struct sink* sink, const void* bytes, size_t size) {
  return size > 0 ? sink->write(sink->state, bytes, size) : NULL;
}

static OrtStatus* flush(struct writer* writer) {
  size_t size = writer->buffered;
  writer->buffered = 0;
  return write_out(&writer->sinks[0], writer->buffer, size);
}

static OrtStatus* put_all(struct writer* writer, const void* bytes, size_t size) {
  writer->sinks[0].position += size;
  if (writer->is_measuring) {
    return NULL;
  }
  if (size > BUFFER - writer->buffered) {
    CORE_TRY(flush(writer));
  }
  if (size > BUFFER) {
    return write_out(&writer->sinks[0], bytes, size);
  }
  if (size > 0) {
    memcpy(writer->buffer + writer->buffered, bytes, size);
    writer->buffered += size;
  }
  return NULL;
}

static OrtStatus* put_varint(struct writer* writer, uint64_t number) {
  uint8_t bytes[CORE_VARINT_ROOM];
  return put_all(writer, bytes, core_encode_varint(number, bytes));
}

static OrtStatus* put_head(struct writer* writer, uint32_t number, enum core_wire wire) {
  return put_varint(writer, (uint64_t)number << 3 | wire);
}

static OrtStatus* put_bytes(struct writer* writer, uint32_t number, const void* bytes,
                            size_t size) {
  CORE_TRY(put_head(writer, number, CORE_LENGTH));
  CORE_TRY(put_varint(writer, size));
  return put_all(writer, bytes, size);
}

/* --- tensors --------------------------------------------------------------------------------- */

/* Writes what was made apart, and frees it. */
static OrtStatus* put_made(struct writer* writer, struct core_writing* made) {
  OrtStatus* status =
      made->has_failed ? core_no_memory(made->size) : put_all(writer, made->bytes, made->size);
  heap_free(made->bytes);
  return status;
}

static OrtStatus* put_external(struct writer* writer, const char* location, uint64_t offset,
                               uint64_t length) {
  struct core_writing made = {0};
  char text[24];
  writer->has_external = true;
  core_write_entry(&made, TENSOR_EXTERNAL, "location", location);
  snprintf(text, sizeof text, "%" PRIu64, offset);
  core_write_entry(&made, TENSOR_EXTERNAL, "offset", text);
  snprintf(text, sizeof text, "%" PRIu64, length);
  core_write_entry(&made, TENSOR_EXTERNAL, "length", text);
  core_write_number(&made, TENSOR_LOCATION, 1);
  return put_made(writer, &made);
}

/* How many bytes stand before the next tensor of a size in the second sink. */
static uint64_t padding_before(const struct writer* writer, uint64_t size) {
  bool is_aligned = size >= writer->external_aligned_from;
  return is_aligned ? -writer->sinks[1].position & (writer->external_alignment - 1) : 0;
}

static OrtStatus* put_padding(struct writer* writer, uint64_t size) {
  static const uint8_t zeros[PAGE];
  for (uint64_t part; size > 0; size -= part) {
    part = size < sizeof zeros ? size : sizeof zeros;
    CORE_TRY(write_out(&writer->sinks[1], zeros, (size_t)part));
  }
  return NULL;
}

/* Writes elements to the second sink, behind zeros up to the next multiple of the alignment. */
static OrtStatus* put_elsewhere(struct writer* writer, const uint8_t* bytes, uint64_t size) {
  struct sink* sink = &writer->sinks[1];
  uint64_t padding = padding_before(writer, size);
  uint64_t offset = sink->position + padding;
  if (!writer->is_measuring) {
    CORE_TRY(put_padding(writer, padding));
    CORE_TRY(write_out(sink, bytes, (size_t)size));
  }
  sink->position = offset + size;
  return put_external(writer, writer->external_name, offset, size);
}

/* Copies a tensor without its elements and without where they are. */
static OrtStatus* put_without_elements(struct writer* writer, struct core_message tensor) {
  static const uint32_t elements = 1 << TENSOR_FLOATS | 1 << TENSOR_INT32S | 1 << TENSOR_INT64S |
                                   1 << TENSOR_RAW | 1 << TENSOR_DOUBLES | 1 << TENSOR_UINT64S |
                                   1 << TENSOR_EXTERNAL | 1 << TENSOR_LOCATION;
  struct core_field field;
  for (const uint8_t* start = tensor.at; core_next_field(&tensor, &field); start = tensor.at) {
    if (field.number >= 32 || !(elements >> field.number & 1)) {
      CORE_TRY(put_all(writer, start, (size_t)(tensor.at - start)));
    }
  }
  return NULL;
}

/* Where the elements of a tensor are, if it may change; NULL if it is to be copied as it stands. */
static OrtStatus* find_elements(struct writer* writer, struct core_message tensor,
                                const uint8_t** bytes, size_t* size) {
  struct core_external_data data;
  struct core_message raw;
  *bytes = NULL;
  if (!core_is_external(tensor)) {
    if (core_find_message(tensor, TENSOR_RAW, &raw)) {
      *size = core_message_size(raw);
      *bytes = *size >= writer->external_above ? raw.at : NULL;
    }
    return NULL;
  }
  CORE_TRY(core_read_external(tensor, &data));
  CORE_TRY(core_measure_tensor(writer->model, tensor, size));
  return core_find_weights(writer->model, &data, *size, bytes);
}

/* Writes a tensor whose elements the client has stored. */
static OrtStatus* put_placed(struct writer* writer, struct core_message tensor,
                             const OrtExternalInitializerInfo* place) {
  char path[CORE_PATH_ROOM];
  uint64_t size = ort_ExternalInitializerInfo_GetByteSize(place);
  CORE_REFUSE_IF(!core_whole_path_utf8(ort_ExternalInitializerInfo_GetFilePath(place), path),
                 ORT_INVALID_ARGUMENT, "the path of an initializer is too long");
  CORE_TRY(put_without_elements(writer, tensor));
  return put_external(writer, path, (uint64_t)ort_ExternalInitializerInfo_GetFileOffset(place),
                      size);
}

/* Finds the size in memory of elements that are stored one by one and go to the second sink; 0 for
 * other tensors, also those of a type that the core has not. */
static OrtStatus* measure_numbers(const struct writer* writer, struct core_message tensor,
                                  size_t* size) {
  struct core_message raw;
  OrtStatus* status = NULL;
  *size = 0;
  if (writer->external_above < SIZE_MAX && !core_find_message(tensor, TENSOR_RAW, &raw) &&
      core_count_messages(tensor, TENSOR_STRINGS) == 0) {
    status = core_measure_tensor(writer->model, tensor, size);
  }
  *size = *size >= writer->external_above ? *size : 0;
  if (ort_GetErrorCode(status) != ORT_NOT_IMPLEMENTED) {
    return status;
  }
  ort_ReleaseStatus(status);
  return NULL;
}

/* Writes such elements as they are in memory, the one form that external data has. */
static OrtStatus* put_numbers(struct writer* writer, struct core_message tensor, size_t size) {
  struct core_tensor* read = NULL;
  CORE_TRY(put_without_elements(writer, tensor));
  if (writer->is_measuring) {
    return put_elsewhere(writer, NULL, size);
  }
  CORE_TRY(core_read_tensor(writer->model, tensor, &read));
  OrtStatus* status = put_elsewhere(writer, read->data, size);
  core_drop(read);
  return status;
}

static OrtStatus* copy_tensor(struct writer* writer, struct core_message tensor) {
  const OrtExternalInitializerInfo* place = core_place_of(&writer->places, tensor);
  const uint8_t* bytes;
  size_t size = 0;
  if (place != NULL) {
    return put_placed(writer, tensor, place);
  }
  CORE_TRY(find_elements(writer, tensor, &bytes, &size));
  if (bytes == NULL) {
    CORE_TRY(measure_numbers(writer, tensor, &size));
    return size > 0 ? put_numbers(writer, tensor, size)
                    : put_all(writer, tensor.at, core_message_size(tensor));
  }
  CORE_TRY(put_without_elements(writer, tensor));
  return size >= writer->external_above ? put_elsewhere(writer, bytes, size)
                                        : put_bytes(writer, TENSOR_RAW, bytes, size);
}

/* --- messages -------------------------------------------------------------------------------- */

static OrtStatus* copy_message(struct writer* writer, enum core_onnx kind,
                               struct core_message message, unsigned depth);

/* Copies a message that tensors may be in, with its size before it. */
static OrtStatus* copy_inner(struct writer* writer, enum core_onnx kind,
                             const struct core_field* field, unsigned depth) {
  CORE_TRY(put_head(writer, field->number, CORE_LENGTH));
  if (!writer->is_measuring) {
    CORE_TRY(put_varint(writer, writer->sizes[writer->sizes_used++]));
    return copy_message(writer, kind, field->bytes, depth);
  }
  size_t place = writer->size_count;
  CORE_RETURN_IF(
      !core_grow((void**)&writer->sizes, place, &writer->size_capacity, sizeof *writer->sizes),
      core_no_memory(place * sizeof *writer->sizes));
  writer->size_count++;
  uint64_t start = writer->sinks[0].position;
  CORE_TRY(copy_message(writer, kind, field->bytes, depth));
  writer->sizes[place] = (size_t)(writer->sinks[0].position - start);
  return put_varint(writer, writer->sizes[place]);
}

/* Copies fields; those that follow each other and cannot change, at once. */
static OrtStatus* copy_message(struct writer* writer, enum core_onnx kind,
                               struct core_message message, unsigned depth) {
  struct core_field field;
  const uint8_t* start = message.at;
  const uint8_t* before = message.at;
  if (kind == ONNX_TENSOR) {
    return copy_tensor(writer, message);
  }
  CORE_REFUSE_IF(depth == 0, ORT_INVALID_GRAPH, "graphs are nested too deeply");
  for (; core_next_field(&message, &field); before = message.at) {
    enum core_onnx inner =
        field.wire == CORE_LENGTH ? message_in(kind, field.number) : ONNX_NO_MESSAGE;
    if (inner != ONNX_NO_MESSAGE) {
      CORE_TRY(put_all(writer, start, (size_t)(before - start)));
      /* Readers of external data, such as onnx.load, do not look into defaults of functions. */
      size_t above = writer->external_above;
      if (kind == ONNX_FUNCTION && inner == ONNX_ATTRIBUTE) {
        writer->external_above = SIZE_MAX;
      }
      CORE_TRY(copy_inner(writer, inner, &field, depth - 1));
      writer->external_above = above;
      start = message.at;
    }
  }
  CORE_REFUSE_IF(core_is_malformed(&message), ORT_INVALID_PROTOBUF, "the model is malformed");
  return put_all(writer, start, (size_t)(message.at - start));
}

static OrtStatus* pass(struct writer* writer, bool is_measuring) {
  writer->is_measuring = is_measuring;
  writer->sinks[0].position = writer->sinks[1].position = 0;
  return copy_message(writer, ONNX_MODEL, writer->model->bytes, 4 * CORE_DEEPEST_GRAPH);
}

static OrtStatus* check_writing(const OrtcoreWriting* writing) {
  CORE_FAIL_IF(writing->version == 0, ORT_INVALID_ARGUMENT,
               "ortcore_write_model: writing must have its version");
  CORE_REQUIRE(ortcore_write_model, writing->write);
  CORE_REQUIRE_IF(writing->write_external != NULL, ortcore_write_model, writing->external_name);
  CORE_FAIL_IF((writing->external_alignment & (writing->external_alignment - 1)) != 0,
               ORT_INVALID_ARGUMENT,
               "ortcore_write_model: external_alignment must be 0 or a power of two");
  return NULL;
}

static void set_up(struct writer* writer, const OrtModel* model, const OrtcoreWriting* writing) {
  memset(writer, 0, sizeof *writer);
  writer->model = model;
  writer->external_name = writing->external_name;
  /* An empty tensor stays in the model: the file might not be written at all. */
  size_t above = writing->external_above > 0 ? writing->external_above : 1;
  writer->external_above = writing->write_external != NULL ? above : SIZE_MAX;
  writer->external_alignment = writing->external_alignment > 0 ? writing->external_alignment : PAGE;
  writer->external_aligned_from = writing->external_aligned_from;
  writer->sinks[0] = (struct sink){writing->write, writing->state, 0};
  writer->sinks[1] = (struct sink){writing->write_external, writing->external_state, 0};
}

/* Has a compiled model say which files it needs. */
static OrtStatus* put_dependencies(struct writer* writer, enum core_contexts contexts) {
  static const char* const texts[2][2] = {
      {"", "ep_context_binary"}, {"external_weights", "external_weights;ep_context_binary"}};
  struct core_writing made = {0};
  if (contexts != CORE_NO_CONTEXTS) {
    core_write_entry(&made, MODEL_METADATA, CORE_DEPENDENCIES,
                     texts[writer->has_external][contexts == CORE_CONTEXTS_IN_FILES]);
  }
  return put_made(writer, &made);
}

static OrtStatus* write_whole(const OrtModel* model, const OrtcoreWriting* writing,
                              enum core_contexts contexts) {
  struct writer* writer = heap_alloc(sizeof *writer);
  CORE_RETURN_IF(writer == NULL, core_no_memory(sizeof *writer));
  set_up(writer, model, writing);
  OrtStatus* status = NULL;
  if (writing->locate != NULL) {
    status = core_locate_weights(model, writing, &writer->places);
  }
  CORE_THEN(status, pass(writer, true));
  if (status == NULL && writer->sinks[0].position > LARGEST_MODEL) {
    status = core_fail(ORT_INVALID_ARGUMENT,
                       "the model has more than 2 GiB: write its weights to another file");
  }
  CORE_THEN(status, pass(writer, false));
  CORE_THEN(status, put_dependencies(writer, contexts));
  CORE_THEN(status, flush(writer));
  core_end_places(&writer->places);
  heap_free(writer->sizes);
  heap_free(writer);
  return status;
}

/* Writes a model some of whose messages are there in parts, which tensors may be. */
static OrtStatus* write_joined(const OrtModel* model, const OrtcoreWriting* writing,
                               enum core_contexts contexts) {
  struct core_writing whole = {0};
  OrtModel* joined = NULL;
  core_join_parts(&whole, model->bytes, ONNX_MODEL);
  struct core_message bytes = {whole.bytes, whole.bytes + whole.size};
  OrtStatus* status = whole.has_failed
                          ? core_no_memory(whole.size)
                          : core_open_with_weights(bytes, NULL, 0, (OrtModel*)model, &joined);
  status = status == NULL ? write_whole(joined, writing, contexts) : status;
  core_drop(joined);
  heap_free(whole.bytes);
  return status;
}

OrtStatus* ORT_API_CALL core_write_model(const OrtModel* model, const OrtcoreWriting* writing) {
  return core_write_compiled_model(model, writing, CORE_NO_CONTEXTS);
}

OrtStatus* core_write_compiled_model(const OrtModel* model, const OrtcoreWriting* writing,
                                     enum core_contexts contexts) {
  CORE_REQUIRE(ortcore_write_model, model, writing);
  CORE_TRY(check_writing(writing));
  enum core_fields found = core_check_fields(model->bytes, ONNX_MODEL);
  CORE_FAIL_IF(found > CORE_FIELDS_IN_PARTS, ORT_INVALID_PROTOBUF,
               "ortcore_write_model: the model is malformed");
  return core_named("ortcore_write_model", found == CORE_FIELDS_IN_PARTS
                                               ? write_joined(model, writing, contexts)
                                               : write_whole(model, writing, contexts));
}
