/* SPDX-License-Identifier: MIT */
/* Adapters are read from FlatBuffers. Such a buffer begins with the offset of its root table and
 * an identifier. A table begins with the distance back to a list of sixteen-bit numbers: its own
 * size, that of the table, and for each field its place in the table, or 0 for one that is left
 * out. Texts, vectors and tables are offsets from the place that has the offset; the first two
 * begin with their length. All numbers are little-endian. */
#include "session/session.h"

#include "options/session_options.h"

#define IDENTIFIER "TORT"
#define FORMAT_VERSION 1
/* Of a small file, many parameters may be one table, and many shapes one vector. */
#define MOST_PARAMETERS 1000000
#define MOST_DIMENSIONS 64
/* Fields of an adapter and of a parameter. */
enum { ADAPTER_FORMAT, ADAPTER_PARAMETERS = 3 };
enum { PARAMETER_NAME, PARAMETER_DIMS, PARAMETER_TYPE, PARAMETER_DATA };

/* The bytes of an adapter. The first read that leads out of them sets `is_broken`, and reads 0. */
struct buffer {
  const uint8_t* bytes;
  size_t size;
  bool is_broken;
};

static uint64_t number_at(struct buffer* buffer, uint64_t at, size_t size) {
  uint64_t number = 0;
  if (at > buffer->size || size > buffer->size - at) {
    buffer->is_broken = true;
    return 0;
  }
  for (size_t i = size; i-- > 0;) {
    number = number << 8 | buffer->bytes[at + i];
  }
  return number;
}

/* Where an offset leads. */
static uint64_t follow(struct buffer* buffer, uint64_t at) { return at + number_at(buffer, at, 4); }

/* Where a field of a table is; 0 for one that is left out. */
static uint64_t field(struct buffer* buffer, uint64_t table, unsigned number) {
  int64_t back = (int32_t)number_at(buffer, table, 4);
  uint64_t list = (uint64_t)((int64_t)table - back); /* too large if it is negative */
  uint64_t place = 4 + 2 * (uint64_t)number;
  uint64_t offset = place < number_at(buffer, list, 2) ? number_at(buffer, list + place, 2) : 0;
  return offset != 0 ? table + offset : 0;
}

static int32_t number_in(struct buffer* buffer, uint64_t table, unsigned number) {
  uint64_t at = field(buffer, table, number);
  return at != 0 ? (int32_t)number_at(buffer, at, 4) : 0;
}

/* A vector or a text, as the place of its first element; one that is left out is empty. */
static uint64_t vector_of(struct buffer* buffer, uint64_t table, unsigned number,
                          size_t element_size, size_t* count) {
  uint64_t at = field(buffer, table, number);
  *count = 0;
  if (at == 0) {
    return 0;
  }
  uint64_t vector = follow(buffer, at), length = number_at(buffer, vector, 4);
  if (buffer->is_broken || length > (buffer->size - vector - 4) / element_size) {
    buffer->is_broken = true;
    return 0;
  }
  *count = (size_t)length;
  return vector + 4;
}

/* --- parameters ------------------------------------------------------------------------------- */

static OrtStatus* refuse_adapter(const char* why) {
  return core_fail(ORT_FAIL, "the bytes are no adapter: %s", why);
}

/* Only the elements of strings are no numbers, and those of other types have no size. */
static bool is_number(int32_t type) {
  return type > 0 && type < CORE_ELEMENT_TYPES && core_bits_of_elements[type] > 0 &&
         type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
}

/* Elements are not copied: parameters may have the same ones, at any alignment. */
static OrtStatus* make_tensor(const struct buffer* buffer, uint64_t data, size_t size,
                              ONNXTensorElementDataType type, const int64_t* dims, size_t rank,
                              OrtValue** out) {
  size_t count = 0, needed = 0;
  CORE_TRY(core_measure(type, dims, rank, ORT_FAIL, &count, &needed));
  CORE_RETURN_IF(needed != size, refuse_adapter("a parameter has another size than its shape"));
  return core_borrow_tensor(&core_cpu_memory_info, (void*)(buffer->bytes + data), size, dims, rank,
                            type, (struct core_tensor**)out);
}

static OrtStatus* add_parameter(OrtLoraAdapter* adapter, struct buffer* buffer, uint64_t table) {
  struct core_lora_parameter* parameter = &adapter->parameters[adapter->count];
  size_t length, rank, size;
  int64_t dims[MOST_DIMENSIONS];
  uint64_t name = vector_of(buffer, table, PARAMETER_NAME, 1, &length);
  uint64_t shape = vector_of(buffer, table, PARAMETER_DIMS, sizeof(int64_t), &rank);
  uint64_t data = vector_of(buffer, table, PARAMETER_DATA, 1, &size);
  int32_t type = number_in(buffer, table, PARAMETER_TYPE);
  CORE_RETURN_IF(number_at(buffer, name + length, 1) != 0 || buffer->is_broken || length == 0,
                 refuse_adapter("a parameter has no name, or leads out of the bytes"));
  CORE_RETURN_IF(!is_number(type),
                 refuse_adapter("a parameter has elements of a type that is not supported"));
  CORE_RETURN_IF(rank > MOST_DIMENSIONS, refuse_adapter("a parameter has more than 64 dimensions"));
  parameter->name = (const char*)buffer->bytes + name;
  for (size_t i = 0; i < rank; i++) {
    dims[i] = (int64_t)number_at(buffer, shape + i * sizeof *dims, sizeof *dims);
  }
  CORE_TRY(make_tensor(buffer, data, size, (ONNXTensorElementDataType)type, dims, rank,
                       &parameter->value));
  adapter->count++;
  return NULL;
}

static OrtStatus* read_adapter(OrtLoraAdapter* adapter, struct buffer* buffer) {
  size_t count = 0;
  bool is_named = buffer->size >= 8 && memcmp(buffer->bytes + 4, IDENTIFIER, 4) == 0;
  CORE_RETURN_IF(!is_named, refuse_adapter("they do not begin with the identifier of adapters"));
  uint64_t root = follow(buffer, 0);
  CORE_RETURN_IF(number_in(buffer, root, ADAPTER_FORMAT) != FORMAT_VERSION,
                 refuse_adapter("the format must be that of version 1"));
  uint64_t parameters = vector_of(buffer, root, ADAPTER_PARAMETERS, 4, &count);
  CORE_RETURN_IF(parameters == 0 || count > MOST_PARAMETERS,
                 refuse_adapter("they have no list of parameters, or too long a one"));
  CORE_TAKE_ARRAY(&adapter->pool, adapter->parameters, count);
  for (size_t i = 0; i < count; i++) {
    CORE_TRY(add_parameter(adapter, buffer, follow(buffer, parameters + 4 * i)));
  }
  return buffer->is_broken ? refuse_adapter("the list of parameters leads out of them") : NULL;
}

/* --- adapters --------------------------------------------------------------------------------- */

static void end_adapter(void* block) {
  OrtLoraAdapter* adapter = block;
  for (size_t i = 0; i < adapter->count; i++) {
    ort_ReleaseValue(adapter->parameters[i].value);
  }
  core_pool_end(&adapter->pool);
}

static const struct core_class lora_class = {.kind = CORE_LORA_ADAPTER, .end = end_adapter};

/* Parameters stay the CPU's: the core copies what providers read to their devices. */
#define REFUSE_ALLOCATOR(function, allocator)                       \
  CORE_FAIL_IF((allocator) != NULL, ORT_FAIL,                       \
               #function                                            \
               ": allocator must be NULL: there is no device with " \
               "memory that the core copies adapters to")

static OrtStatus* new_adapter(const void* bytes, size_t size, OrtLoraAdapter** out) {
  CORE_NEW(OrtLoraAdapter, adapter, &lora_class);
  const void* copy = core_pool_text(&adapter->pool, bytes, size);
  struct buffer buffer = {copy, size, false};
  CORE_HAND_OUT(copy != NULL ? read_adapter(adapter, &buffer) : core_no_memory(size), adapter, out);
}

CORE_SLOT(ort_CreateLoraAdapter, const ORTCHAR_T* adapter_file_path, OrtAllocator* allocator,
          OrtLoraAdapter** out) {
  char path[CORE_PATH_ROOM], real[CORE_PATH_ROOM];
  struct core_mapping file;
  REFUSE_ALLOCATOR(CreateLoraAdapter, allocator);
  CORE_FAIL_IF(!core_whole_path_utf8(adapter_file_path, path) ||
                   core_find_file(path, real) != CORE_REGULAR_FILE || !core_map_file(real, &file),
               ORT_INVALID_ARGUMENT,
               "CreateLoraAdapter: adapter_file_path must be the path of a file that can be read");
  OrtStatus* status = new_adapter(file.bytes, file.size, out);
  core_unmap_file(&file);
  return status;
}

CORE_SLOT(ort_CreateLoraAdapterFromArray, const void* bytes, size_t num_bytes,
          OrtAllocator* allocator, OrtLoraAdapter** out) {
  REFUSE_ALLOCATOR(CreateLoraAdapterFromArray, allocator);
  return new_adapter(bytes, num_bytes, out);
}

CORE_RELEASER(ort_ReleaseLoraAdapter, OrtLoraAdapter)

CORE_SLOT(ort_RunOptionsAddActiveLoraAdapter, OrtRunOptions* options,
          const OrtLoraAdapter* adapter) {
  return core_list_add(&options->adapters, (void*)adapter) ? NULL : core_no_memory(sizeof adapter);
}
