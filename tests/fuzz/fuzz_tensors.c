/* SPDX-License-Identifier: MIT */
/* Dense tensors: made, filled, read, copied. */
#include "model.h"

/* More than this may really not be there. */
#define MODERATE ((size_t)1 << 26)

static ONNXTensorElementDataType next_type(void) {
  unsigned what = next_byte();
  return (ONNXTensorElementDataType)(what < 64    ? STRING
                                     : what < 96  ? INT64
                                     : what < 128 ? FLOAT
                                                  : (int)(what % 32));
}

static int64_t next_dim(void) {
  unsigned what = next_byte();
  switch (what) {
    case 255:
      return -1;
    case 254:
      return INT64_MAX;
    case 253:
      return (int64_t)1 << 40;
    default:
      return what % 5;
  }
}

/* Elements and bytes of a shape; false for one that no tensor has. */
static int measure(ONNXTensorElementDataType type, const int64_t* dims, size_t rank,
                   size_t* bytes) {
  int64_t count = 1;
  size_t bits = bits_of(type);
  int fits = bits != 0;
  for (size_t i = 0; i < rank; i++) {
    fits = fits && dims[i] >= 0 && !__builtin_mul_overflow(count, dims[i], &count);
  }
  if (bits >= 8) {
    return fits && !__builtin_mul_overflow((size_t)count, bits / 8, bytes);
  }
  *bytes = fits ? (size_t)count / 8 * bits + ((size_t)count % 8 * bits + 7) / 8 : 0;
  return fits;
}

static OrtAllocator* default_allocator(void) {
  OrtAllocator* allocator = NULL;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  return allocator;
}

/* One over memory of the caller's: as much as is needed, or a byte less. */
static void borrow(size_t place, ONNXTensorElementDataType type, const int64_t* dims, size_t rank,
                   size_t bytes, int can) {
  OrtMemoryInfo* info = NULL;
  OrtValue* made = NULL;
  size_t size = bytes > 0 && next_byte() >= 240 ? bytes - 1 : bytes;
  void* borrowed = must_malloc(can && bytes <= MODERATE ? bytes : 1);
  pause_faults();
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  resume_faults();
  can = can && bytes <= MODERATE && size == bytes && type != STRING;
  if (type != STRING && bytes <= MODERATE &&
      succeeded(api->CreateTensorWithDataAsOrtValue(info, borrowed, size, dims, rank, type, &made),
                can, ORT_INVALID_ARGUMENT, bits_of(type) == 0 ? ORT_NOT_IMPLEMENTED : ORT_FAIL)) {
    memset(borrowed, 0, bytes);
    keep_value(place, made, new_model(type, rank, dims), borrowed);
    borrowed = NULL;
  }
  CHECK(made == NULL || borrowed == NULL);
  api->ReleaseMemoryInfo(info);
  free(borrowed);
}

/* One over a block that it frees. */
static void adopt(size_t place, ONNXTensorElementDataType type, const int64_t* dims, size_t rank,
                  size_t bytes) {
  OrtAllocator* allocator = default_allocator();
  OrtValue* made = NULL;
  void* block = allocator->Alloc(allocator, bytes);
  if (block == NULL && bytes > 0) {
    CHECK(may_lack_memory());
    return;
  }
  if (block != NULL) {
    memset(block, 0, bytes);
  }
  if (succeeded(api->CreateTensorWithDataAndDeleterAsOrtValue(allocator, block, bytes, dims, rank,
                                                              type, &made),
                1, ORT_FAIL, ORT_FAIL)) {
    keep_value(place, made, new_model(type, rank, dims), NULL);
  } else {
    CHECK(made == NULL);
    allocator->Free(allocator, block);
  }
}

static void make(size_t place) {
  int64_t dims[MOST_DIMS];
  size_t bytes = 0;
  unsigned how = next_byte();
  size_t rank = how / 4 % (MOST_DIMS + 1);
  ONNXTensorElementDataType type = next_type();
  for (size_t i = 0; i < rank; i++) {
    dims[i] = next_dim();
  }
  int can = measure(type, dims, rank, &bytes);
  if (how % 4 == 0) {
    borrow(place, type, dims, rank, bytes, can);
  } else if (how % 4 == 1 && can && bytes <= MODERATE) {
    adopt(place, type, dims, rank, bytes);
  } else if (bytes <= MODERATE || !can) {
    OrtValue* made = NULL;
    if (succeeded(api->CreateTensorAsOrtValue(default_allocator(), dims, rank, type, &made), can,
                  ORT_FAIL, ORT_NOT_IMPLEMENTED)) {
      struct model* model = new_model(type, rank, dims);
      void* data = NULL;
      CHECK(api->GetTensorMutableData(made, &data) == NULL || may_lack_memory());
      if (type != STRING && bytes > 0) {
        memset(data, 0, bytes);
      }
      keep_value(place, made, model, NULL);
    }
  }
}

static void fill_numbers(struct value* value) {
  void* data = NULL;
  unsigned pattern = next_byte();
  CHECK(api->GetTensorMutableData(value->handle, &data) == NULL);
  for (size_t i = 0; i < value->model->bytes; i++) {
    value->model->content[i] = (unsigned char)(pattern + i * (pattern % 3));
  }
  if (value->model->bytes > 0) {
    memcpy(data, value->model->content, value->model->bytes);
  }
}

static void set_text(struct text* text, const char* bytes, size_t length) {
  memcpy(text->bytes, bytes, length);
  text->length = length;
}

static void fill_texts(struct value* value) {
  size_t count = value->model->count;
  char texts[128][MOST_TEXT + 1];
  const char* pointers[128];
  CHECK(count <= 128);
  for (size_t i = 0; i < count; i++) {
    /* Not all from the input, which would end soon. */
    i < 4 ? next_string(texts[i], MOST_TEXT) : (void)strcpy(texts[i], texts[i % 4]);
    pointers[i] = texts[i];
  }
  if (succeeded(api->FillStringTensor(value->handle, pointers, count), 1, ORT_FAIL, ORT_FAIL)) {
    for (size_t i = 0; i < count; i++) {
      set_text(&value->model->texts[i], texts[i], strlen(texts[i]));
    }
  }
}

static void change_text(struct value* value) {
  char text[MOST_TEXT + 1];
  size_t count = value->model->count;
  size_t index = next_byte() % (count + 1);
  int can = index < count;
  next_string(text, MOST_TEXT);
  size_t length = strlen(text);
  if (next_byte() % 2 == 0) {
    if (succeeded(api->FillStringTensorElement(value->handle, text, index), can,
                  ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
      set_text(&value->model->texts[index], text, length);
    }
    return;
  }
  char* buffer = NULL;
  if (succeeded(api->GetResizedStringTensorElementBuffer(value->handle, index, length, &buffer),
                can, ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    const struct text* before = &value->model->texts[index];
    size_t kept = before->length < length ? before->length : length;
    CHECK(memcmp(buffer, before->bytes, kept) == 0 && buffer[length] == '\0');
    memcpy(buffer, text, length);
    set_text(&value->model->texts[index], text, length);
  }
}

/* The place of an element, by its coordinates. */
static void locate(struct value* value) {
  const struct model* model = value->model;
  int64_t at[MOST_DIMS];
  size_t place = 0;
  void* found = NULL;
  void* data = NULL;
  int can = bits_of(model->type) >= 8 && model->type != STRING;
  for (size_t i = 0; i < model->rank; i++) {
    at[i] = (int64_t)(next_byte() % 6) - 1;
    can = can && at[i] >= 0 && at[i] < model->dims[i];
    place = place * (size_t)model->dims[i] + (size_t)at[i];
  }
  if (succeeded(api->TensorAt(value->handle, at, model->rank, &found), can, ORT_INVALID_ARGUMENT,
                ORT_INVALID_ARGUMENT)) {
    CHECK(api->GetTensorMutableData(value->handle, &data) == NULL);
    CHECK(found == (char*)data + place * bits_of(model->type) / 8);
  }
}

static int is_same_shape(const struct model* a, const struct model* b) {
  return a->type == b->type && a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* From a tensor to another, or to itself. */
static void copy(struct value* from, struct value* to) {
  OrtEnv* env = NULL;
  pause_faults();
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "copy", &env) == NULL);
  resume_faults();
  const OrtValue* source = from->handle;
  int can = from->model->kind == ONNX_TYPE_TENSOR && to->model->kind == ONNX_TYPE_TENSOR &&
            is_same_shape(from->model, to->model);
  if (succeeded(api->CopyTensors(env, &source, &to->handle, NULL, 1), can, ORT_INVALID_ARGUMENT,
                ORT_INVALID_ARGUMENT) &&
      from != to) {
    end_model(to->model);
    to->model = copy_model(from->model);
  }
  api->ReleaseEnv(env);
}

void use_tensors(void) {
  unsigned what = next_byte();
  size_t place = what % VALUES;
  struct value* value = &values[place];
  if (value->handle == NULL) {
    make(place);
    return;
  }
  struct value* other = what % 4 == 0 ? next_value() : NULL;
  if (other != NULL) {
    copy(value, other);
  } else if (what >= 236) {
    drop_value(place);
  } else if (value->model->kind != ONNX_TYPE_TENSOR) {
    void* data = NULL;
    OrtStatus* status = api->GetTensorMutableData(value->handle, &data);
    CHECK(status != NULL && data == NULL);
    api->ReleaseStatus(status);
  } else if (what % 3 == 0) {
    locate(value);
  } else if (value->model->type != STRING) {
    fill_numbers(value);
  } else if (what % 3 == 1 && value->model->count <= 128) {
    fill_texts(value);
  } else {
    change_text(value);
  }
  if (value->handle != NULL) {
    check_value(value->handle, value->model);
  }
}
