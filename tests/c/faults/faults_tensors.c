/* SPDX-License-Identifier: MIT */
/* Trials of dense tensors. */
#include "faults.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
#define LONG "a text that is longer than what fits into an element itself"

static const int64_t dims[] = {2, 3};
static float numbers[6];
static OrtMemoryInfo* info;
static void* block;
static OrtValue* value;
static char* own;

static OrtStatus* create_tensor(void** out) {
  return api->CreateTensorAsOrtValue(allocator, dims, 2, FLOAT, (OrtValue**)out);
}
static OrtStatus* create_strings(void** out) {
  return api->CreateTensorAsOrtValue(allocator, dims, 2, STRING, (OrtValue**)out);
}
static OrtStatus* create_of_no_type(void** out) {
  return api->CreateTensorAsOrtValue(allocator, dims, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64,
                                     (OrtValue**)out);
}
static void with_info(void) {
  CHECK(api->CreateMemoryInfo_V2("a name that is longer than those of the devices that are known",
                                 OrtMemoryInfoDeviceType_GPU, 7, 1, OrtDeviceMemoryType_DEFAULT, 64,
                                 OrtDeviceAllocator, &info) == NULL);
}
static OrtStatus* create_over_data(void** out) {
  return api->CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, dims, 2, FLOAT,
                                             (OrtValue**)out);
}
static OrtStatus* create_over_too_little(void** out) {
  return api->CreateTensorWithDataAsOrtValue(info, numbers, 3, dims, 2, FLOAT, (OrtValue**)out);
}
static void with_block(void) { block = allocator->Alloc(allocator, sizeof numbers); }
/* Only a tensor that was made takes the block over. */
static OrtStatus* create_with_deleter(void** out) {
  CORE_TRY(api->CreateTensorWithDataAndDeleterAsOrtValue(allocator, block, sizeof numbers, dims, 2,
                                                         FLOAT, (OrtValue**)out));
  block = NULL;
  return NULL;
}
static void release_value(void* out) { api->ReleaseValue(out); }

static void with_tensor(void) { CHECK(create_tensor((void**)&value) == NULL); }
static OrtStatus* read_tensor(void** out) {
  int number;
  enum ONNXType type;
  const void* data;
  void* place;
  const OrtMemoryInfo* where;
  size_t size;
  ONNXTensorElementDataType element;
  const int64_t* shape;
  CORE_TRY(api->IsTensor(value, &number));
  CORE_TRY(api->IsSparseTensor(value, &number));
  CORE_TRY(api->HasValue(value, &number));
  CORE_TRY(api->GetValueType(value, &type));
  CORE_TRY(api->GetTensorMutableData(value, &place));
  CORE_TRY(api->GetTensorData(value, &data));
  CORE_TRY(api->GetTensorMemoryInfo(value, &where));
  CORE_TRY(api->GetTensorSizeInBytes(value, &size));
  CORE_TRY(api->GetTensorElementTypeAndShapeDataReference(value, &element, &shape, &size));
  return api->TensorAt(value, (int64_t[]){1, 2}, 2, out);
}
static OrtStatus* read_tensor_as_strings(void** out) {
  return api->GetStringTensorDataLength(value, (size_t*)out);
}

static void fill_with(const char* text) {
  const char* const texts[] = {"", text, "b", "c", "d", "e"};
  CHECK(api->FillStringTensor(value, texts, 6) == NULL);
}
static void with_strings(void) {
  CHECK(create_strings((void**)&value) == NULL);
  fill_with("short");
}
static void with_long_strings(void) {
  CHECK(create_strings((void**)&value) == NULL);
  fill_with(LONG);
}
static int element_is(const char* text) {
  char read[128];
  size_t length;
  CHECK(api->GetStringTensorElementLength(value, 1, &length) == NULL && length < sizeof read);
  CHECK(api->GetStringTensorElement(value, length, 1, read) == NULL);
  return length == strlen(text) && memcmp(read, text, length) == 0;
}
static OrtStatus* fill_strings(void** out) {
  (void)out;
  const char* const texts[] = {LONG, LONG, "x", LONG, "y", LONG "er"};
  OrtStatus* status = api->FillStringTensor(value, texts, 6);
  CHECK(element_is(status == NULL ? LONG : "short"));
  return status;
}
static OrtStatus* fill_strings_with_null(void** out) {
  (void)out;
  const char* const texts[] = {LONG, LONG, "x", LONG, NULL, LONG};
  OrtStatus* status = api->FillStringTensor(value, texts, 6);
  CHECK(status != NULL && element_is("short"));
  return status;
}
/* The texts are those of the tensor itself, in other places. */
static void with_own_buffer(void) {
  with_strings();
  CHECK(api->GetResizedStringTensorElementBuffer(value, 1, sizeof LONG - 1, &own) == NULL);
  memcpy(own, LONG, sizeof LONG - 1);
}
static OrtStatus* fill_strings_with_own(void** out) {
  (void)out;
  const char* const texts[] = {own, own, own, own, own, own};
  OrtStatus* status = api->FillStringTensor(value, texts, 6);
  CHECK(element_is(LONG));
  return status;
}
static OrtStatus* fill_element(void** out) {
  (void)out;
  OrtStatus* status = api->FillStringTensorElement(value, LONG, 1);
  CHECK(element_is(status == NULL ? LONG : "short"));
  return status;
}
static OrtStatus* resize_element(void** out) {
  OrtStatus* status = api->GetResizedStringTensorElementBuffer(value, 1, 100, (char**)out);
  CHECK(status == NULL || element_is("short"));
  CHECK(status != NULL || memcmp(*out, "short\0", 6) == 0);
  return status;
}
static OrtStatus* read_strings(void** out) {
  char content[256];
  size_t offsets[6];
  size_t length;
  (void)out;
  CORE_TRY(api->GetStringTensorDataLength(value, &length));
  CORE_TRY(api->GetStringTensorContent(value, content, sizeof content, offsets, 6));
  CORE_TRY(api->GetStringTensorElementLength(value, 1, &length));
  return api->GetStringTensorElement(value, sizeof content, 1, content);
}

static const struct trial trials[] = {
    TRIAL("CreateTensorAsOrtValue ReleaseValue", NULL, create_tensor, release_value),
    TRIAL("CreateTensorAsOrtValue of strings", NULL, create_strings, release_value),
    {"CreateTensorAsOrtValue of no type", NULL, create_of_no_type, NULL, ORT_NOT_IMPLEMENTED},
    TRIAL("CreateTensorWithDataAsOrtValue", with_info, create_over_data, release_value),
    {"CreateTensorWithDataAsOrtValue over too little", with_info, create_over_too_little, NULL,
     ORT_INVALID_ARGUMENT},
    TRIAL("CreateTensorWithDataAndDeleterAsOrtValue", with_block, create_with_deleter,
          release_value),
    TRIAL("IsTensor IsSparseTensor HasValue GetValueType GetTensorMutableData GetTensorData "
          "GetTensorMemoryInfo GetTensorSizeInBytes GetTensorElementTypeAndShapeDataReference "
          "TensorAt",
          with_tensor, read_tensor, NULL),
    {"GetStringTensorDataLength of numbers", with_tensor, read_tensor_as_strings, NULL, ORT_FAIL},
    TRIAL("FillStringTensor", with_strings, fill_strings, NULL),
    {"FillStringTensor with NULL", with_strings, fill_strings_with_null, NULL,
     ORT_INVALID_ARGUMENT},
    TRIAL("FillStringTensor with its own", with_own_buffer, fill_strings_with_own, NULL),
    TRIAL("FillStringTensorElement", with_strings, fill_element, NULL),
    TRIAL("GetResizedStringTensorElementBuffer", with_strings, resize_element, NULL),
    TRIAL("GetStringTensorDataLength GetStringTensorContent GetStringTensorElementLength "
          "GetStringTensorElement",
          with_long_strings, read_strings, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(info);
  allocator->Free(allocator, block);
}

const struct section tensors = {trials, clean};
