/* SPDX-License-Identifier: MIT */
/* Sequences and maps. */
#include <limits.h>

#include "behaviour_values.h"

static void create(enum ONNXType type, const OrtValue* const* in, size_t count) {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateValue(in, count, type, &value));
  say_out(value, UNTOUCHED);
}

/* Says the tensor, the map or the status that GetValue answers. */
static void get(const OrtValue* value, int index) {
  OrtValue* element = UNTOUCHED;
  if (!say_status(api->GetValue(value, index, allocator(), &element))) {
    say_out(element, UNTOUCHED);
    return;
  }
  enum ONNXType type = ONNX_TYPE_UNKNOWN;
  CHECK(api->GetValueType(element, &type) == NULL);
  if (type == ONNX_TYPE_TENSOR) {
    say_tensor(element);
  } else {
    say("kind %d", (int)type);
    get(element, 0);
    get(element, 1);
  }
  api->ReleaseValue(element);
}

/* Makes a value and says all that it consists of. */
static void containers_make(enum ONNXType type, const OrtValue* const* in, size_t count) {
  OrtValue* value = UNTOUCHED;
  size_t elements = 0;
  if (!say_status(api->CreateValue(in, count, type, &value))) {
    say_out(value, UNTOUCHED);
    return;
  }
  CHECK(api->GetValueCount(value, &elements) == NULL);
  for (size_t i = 0; i < elements; i++) {
    get(value, (int)i);
  }
  api->ReleaseValue(value);
}

static void count(const OrtValue* value) {
  size_t number = 99;
  if (say_status(api->GetValueCount(value, &number))) {
    say("%zu", number);
  }
}

#define IN(...) LIST(OrtValue* const, __VA_ARGS__)
#define NO_VALUES ((const OrtValue* const[1]){NULL})
#define LONG_STRING "a string that is longer than what fits in an element of a string tensor"

static OrtValue* pair_of_floats(void) { return SEQUENCE(FLOATS(1, 2), FLOATS(3, 4, 5)); }
static OrtValue* float_map(void) { return MAP(INT64S(1, 2), FLOATS(10, 20)); }
static OrtValue* pair_of_maps(void) { return SEQUENCE(float_map(), MAP(INT64S(7), FLOATS(70))); }
static OrtValue* containers_sparse(void) {
  return NEW(OrtValue, api->CreateSparseTensorAsOrtValue(allocator(), DIMS(3, 3), FLOAT, &new_));
}

/* Sequences. */
CALL("CreateValue(sequence of 2)") {
  containers_make(ONNX_TYPE_SEQUENCE, IN(FLOATS(1, 2), FLOATS(3, 4, 5)));
}
CALL("CreateValue(sequence, n=0)") { create(ONNX_TYPE_SEQUENCE, NO_VALUES, 0); }
CALL("CreateValue(sequence mixed f32/i64)") {
  create(ONNX_TYPE_SEQUENCE, IN(FLOATS(1), INT64S(1)));
}
CALL("CreateValue(sequence with NULL element)") { create(ONNX_TYPE_SEQUENCE, IN(FLOATS(1), NULL)); }
CALL("CreateValue(sequence of sequences)") {
  create(ONNX_TYPE_SEQUENCE, IN(pair_of_floats(), pair_of_floats()));
}
CALL("CreateValue(sequence of maps)") {
  containers_make(ONNX_TYPE_SEQUENCE, IN(float_map(), MAP(INT64S(7, 8, 9), FLOATS(70, 80, 90))));
}
CALL("CreateValue(sequence of maps str->f32)") {
  containers_make(ONNX_TYPE_SEQUENCE, IN(MAP(STRINGS("b", "a"), FLOATS(2, 1))));
}
CALL("CreateValue(sequence of maps i64->f64)") {
  create(ONNX_TYPE_SEQUENCE, IN(MAP(INT64S(1), DOUBLES(1))));
}
CALL("CreateValue(sequence of maps i64->i64)") {
  create(ONNX_TYPE_SEQUENCE, IN(MAP(INT64S(1), INT64S(1))));
}
CALL("CreateValue(sequence of maps i64->f32, str->f32)") {
  create(ONNX_TYPE_SEQUENCE, IN(float_map(), MAP(STRINGS("a"), FLOATS(1))));
}
CALL("CreateValue(sequence of maps str->f32, i64->f32)") {
  create(ONNX_TYPE_SEQUENCE, IN(MAP(STRINGS("a"), FLOATS(1)), float_map()));
}
CALL("CreateValue(sequence of maps i64->f32, i64->f64)") {
  create(ONNX_TYPE_SEQUENCE, IN(float_map(), MAP(INT64S(1), DOUBLES(1))));
}
CALL("CreateValue(sequence tensor+map)") { create(ONNX_TYPE_SEQUENCE, IN(FLOATS(1), float_map())); }
CALL("CreateValue(sequence map+tensor)") { create(ONNX_TYPE_SEQUENCE, IN(float_map(), FLOATS(1))); }
CALL("CreateValue(sequence of sparse)") {
  create(ONNX_TYPE_SEQUENCE, IN(containers_sparse(), containers_sparse()));
}
CALL("CreateValue(sequence tensor+sparse)") {
  create(ONNX_TYPE_SEQUENCE, IN(FLOATS(1), containers_sparse()));
}
CALL("CreateValue(sequence of strings)") {
  containers_make(ONNX_TYPE_SEQUENCE, IN(STRINGS("a", "", LONG_STRING), STRINGS("b")));
}
CALL("CreateValue(sequence of shapes {}, {0}, {2,0,3}, {1,2})") {
  OrtValue* scalar = NEW(OrtValue, api->CreateTensorAsOrtValue(allocator(), NULL, 0, INT64, &new_));
  int64_t* number = NEW(int64_t, api->GetTensorMutableData(scalar, (void**)&new_));
  *number = 5;
  containers_make(ONNX_TYPE_SEQUENCE, IN(scalar, TENSOR(INT64, 0), TENSOR(INT64, 2, 0, 3),
                                         tensor_of(INT64, DIMS(1, 2))));
}
CALL("CreateValue(sequence of each element type)") {
  for (int type = 0; type <= 26; type++) {
    OrtValue* tensor = NULL;
    OrtValue* value = NULL;
    OrtStatus* status = api->CreateTensorAsOrtValue(allocator(), DIMS(3), type, &tensor);
    if (status == NULL) {
      const OrtValue* in[] = {tensor};
      status = api->CreateValue(in, 1, ONNX_TYPE_SEQUENCE, &value);
      OrtValue* element = NULL;
      status = status == NULL ? api->GetValue(value, 0, allocator(), &element) : status;
      say(status == NULL ? "%d" : "%d fails", type);
    }
  }
}
CALL("CreateValue(SEQUENCE) shares or copies") {
  OrtValue* tensor = FLOATS(1, 2);
  OrtValue* sequence = SEQUENCE(tensor);
  float* data = NEW(float, api->GetTensorMutableData(tensor, (void**)&new_));
  data[0] = 99;
  get(sequence, 0);
}
CALL("CreateValue(SEQUENCE) of a tensor that is released first") {
  OrtValue* tensor = FLOATS(1, 2);
  OrtValue* sequence = SEQUENCE(tensor);
  api->ReleaseValue(tensor);
  get(sequence, 0);
}
CALL("CreateValue(SEQUENCE) of memory that is borrowed") {
  float numbers[] = {1, 2};
  OrtValue* tensor = NEW(OrtValue, api->CreateTensorWithDataAsOrtValue(
                                       cpu_info(), numbers, sizeof numbers, DIMS(2), FLOAT, &new_));
  OrtValue* sequence = SEQUENCE(tensor);
  numbers[0] = 99;
  get(sequence, 0);
}
static void of_memory(const char* device, float* numbers) {
  OrtMemoryInfo* info = NEW(OrtMemoryInfo, api->CreateMemoryInfo(device, OrtDeviceAllocator, 0,
                                                                 OrtMemTypeDefault, &new_));
  OrtValue* tensor =
      NEW(OrtValue, api->CreateTensorWithDataAsOrtValue(info, numbers, 8, DIMS(2), FLOAT, &new_));
  create(ONNX_TYPE_SEQUENCE, IN(tensor));
}
CALL("CreateValue(SEQUENCE) of memory of a GPU") { of_memory("Cuda", (float[]){1, 2}); }
CALL("CreateValue(SEQUENCE) of a tensor without data") { of_memory("Cpu", NULL); }
CALL("CreateValue(SEQUENCE) keeps maps that are released") {
  OrtValue* map = float_map();
  OrtValue* sequence = SEQUENCE(map, map);
  api->ReleaseValue(map);
  OrtValue* element = NEW(OrtValue, api->GetValue(sequence, 1, allocator(), &new_));
  api->ReleaseValue(sequence);
  get(element, 1);
}

/* Maps. */
CALL("CreateValue(map, n=1)") { create(ONNX_TYPE_MAP, IN(INT64S(1))); }
CALL("CreateValue(map, n=3)") { create(ONNX_TYPE_MAP, IN(INT64S(1), FLOATS(1), FLOATS(1))); }
CALL("CreateValue(map, n=0)") { create(ONNX_TYPE_MAP, NO_VALUES, 0); }
#define CREATE_MAP(name, keys, values) \
  CALL("CreateValue(map " name ")") { containers_make(ONNX_TYPE_MAP, IN(keys, values)); }
CREATE_MAP("i64->f32", INT64S(1, 2), FLOATS(10, 20))
CREATE_MAP("i64->f64", INT64S(1, 2), DOUBLES(10, 20))
CREATE_MAP("i64->i64", INT64S(1, 2), INT64S(10, 20))
CREATE_MAP("i64->str", INT64S(1, 2), STRINGS("x", LONG_STRING))
CREATE_MAP("str->f32", STRINGS("a", "b"), FLOATS(10, 20))
CREATE_MAP("str->f64", STRINGS("a", "b"), DOUBLES(10, 20))
CREATE_MAP("str->i64", STRINGS("a", "b"), INT64S(10, 20))
CREATE_MAP("str->str", STRINGS(LONG_STRING, "b"), STRINGS("x", "y"))
CREATE_MAP("float keys", FLOATS(1, 2), FLOATS(10, 20))
CREATE_MAP("i32 keys", TENSOR(INT32, 2), FLOATS(10, 20))
CREATE_MAP("i64->i32 values", INT64S(1, 2), TENSOR(INT32, 2))
CREATE_MAP("lengths 3 vs 2", INT64S(1, 2, 3), FLOATS(10, 20))
CREATE_MAP("lengths 2 vs 3", INT64S(1, 2), FLOATS(10, 20, 30))
CREATE_MAP("2-D keys {2,3}", TENSOR(INT64, 2, 3), TENSOR(FLOAT, 2, 3))
CREATE_MAP("2-D values {2,3}", TENSOR(INT64, 6), TENSOR(FLOAT, 2, 3))
CREATE_MAP("2-D keys {2,3} of float", TENSOR(FLOAT, 2, 3), TENSOR(FLOAT, 6))
CREATE_MAP("of nothing", TENSOR(INT64, 0), TENSOR(FLOAT, 0))
CREATE_MAP("of scalars", tensor_of(INT64, NULL, 0), tensor_of(INT64, NULL, 0))
CREATE_MAP("of a scalar and {1}", tensor_of(INT64, NULL, 0), FLOATS(5))
CREATE_MAP("of sequence values", INT64S(1, 2), pair_of_floats())
CREATE_MAP("of sequence keys", pair_of_floats(), INT64S(1, 2))
CREATE_MAP("of map keys", float_map(), INT64S(1, 2))
CREATE_MAP("of map values", INT64S(1, 2), float_map())
CREATE_MAP("of sparse values", INT64S(1, 2), containers_sparse())
CREATE_MAP("NULL keys", NULL, INT64S(1, 2))
CREATE_MAP("NULL values", INT64S(1, 2), NULL)
CREATE_MAP("keys 3,1,2", INT64S(3, 1, 2), FLOATS(30, 10, 20))
CREATE_MAP("negative keys", INT64S(3, -1, INT64_MIN, INT64_MAX), FLOATS(1, 2, 3, 4))
CREATE_MAP("keys b,,ab,a,B", STRINGS("b", "", "ab", "a", "B"), FLOATS(1, 2, 3, 4, 5))
CREATE_MAP("keys z,e with acute accent", STRINGS("z", "\xC3\xA9"), FLOATS(1, 2))
CREATE_MAP("keys a,b,a,b,a", STRINGS("a", "b", "a", "b", "a"), FLOATS(1, 2, 3, 4, 5))
CREATE_MAP("of the same tensor twice", INT64S(2, 1), INT64S(2, 1))
CALL("CreateValue(duplicate map keys)") {
  containers_make(ONNX_TYPE_MAP, IN(INT64S(5, 1, 5, 5, 1), FLOATS(1, 2, 3, 4, 5)));
}
CALL("CreateValue(map) of 1000 keys in reverse") {
  int64_t keys[1000];
  for (int i = 0; i < 1000; i++) {
    keys[i] = 500 - i;
  }
  OrtValue* tensor = of_bytes(INT64, keys, sizeof keys, 1000);
  OrtValue* sorted = NEW(OrtValue, api->GetValue(MAP(tensor, tensor), 0, allocator(), &new_));
  int64_t* data = NEW(int64_t, api->GetTensorMutableData(sorted, (void**)&new_));
  bool is_sorted = true;
  for (int i = 0; i < 1000; i++) {
    is_sorted = is_sorted && data[i] == i - 499;
  }
  say(is_sorted ? "in order" : "not in order");
}
CALL("CreateValue(map) copies") {
  OrtValue* keys = INT64S(1, 2);
  OrtValue* values = STRINGS("x", "y");
  OrtValue* map = MAP(keys, values);
  CHECK(api->FillStringTensorElement(values, "changed", 0) == NULL);
  api->ReleaseValue(keys);
  get(map, 0);
  get(map, 1);
}

/* Kinds and arguments. */
CALL("CreateValue(type TENSOR)") { create(ONNX_TYPE_TENSOR, IN(FLOATS(1), FLOATS(1))); }
CALL("CreateValue(type OPAQUE)") { create(ONNX_TYPE_OPAQUE, IN(FLOATS(1), FLOATS(1))); }
CALL("CreateValue(type OPTIONAL)") { create(ONNX_TYPE_OPTIONAL, IN(FLOATS(1), FLOATS(1))); }
CALL("CreateValue(type SPARSETENSOR)") { create(ONNX_TYPE_SPARSETENSOR, IN(FLOATS(1), FLOATS(1))); }
CALL("CreateValue(type 99)") { create((enum ONNXType)99, IN(FLOATS(1), FLOATS(1))); }
CALL("CreateValue(type TENSOR, n=0)") { create(ONNX_TYPE_TENSOR, NO_VALUES, 0); }
CALL("CreateValue(in NULL,2,SEQUENCE)") { create(ONNX_TYPE_SEQUENCE, NULL, 2); }
CALL("CreateValue(in NULL,2,MAP)") { create(ONNX_TYPE_MAP, NULL, 2); }
CALL("CreateValue(in NULL,0,SEQUENCE)") { create(ONNX_TYPE_SEQUENCE, NULL, 0); }

CALL("GetValue(seq,0)") { get(pair_of_floats(), 0); }
CALL("GetValue(seq,1)") { get(pair_of_floats(), 1); }
CALL("GetValue(seq,2 of 2)") { get(pair_of_floats(), 2); }
CALL("GetValue(seq,-1)") { get(pair_of_floats(), -1); }
CALL("GetValue(seq,INT_MIN)") { get(pair_of_floats(), INT_MIN); }
CALL("GetValue(sequence of maps, 1 of 2)") { get(pair_of_maps(), 1); }
CALL("GetValue(sequence of maps, 2 of 2)") { get(pair_of_maps(), 2); }
CALL("GetValue(sequence of maps, -1)") { get(pair_of_maps(), -1); }
CALL("GetValue(map,0)") { get(float_map(), 0); }
CALL("GetValue(map,1)") { get(float_map(), 1); }
CALL("GetValue(map,2)") { get(float_map(), 2); }
CALL("GetValue(map,-1)") { get(float_map(), -1); }
CALL("GetValue(tensor,0)") { get(FLOATS(1), 0); }
CALL("GetValue(sparse,0)") { get(containers_sparse(), 0); }
CALL("GetValue(seq,0,allocator NULL)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->GetValue(pair_of_floats(), 0, NULL, &value));
  say_out(value, UNTOUCHED);
}
CALL("GetValue(sequence of maps,0,allocator NULL)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->GetValue(pair_of_maps(), 0, NULL, &value));
  say_out(value, UNTOUCHED);
}
CALL("GetValue(seq,0) shares or copies") {
  OrtValue* sequence = pair_of_floats();
  OrtValue* element = NEW(OrtValue, api->GetValue(sequence, 0, allocator(), &new_));
  float* data = NEW(float, api->GetTensorMutableData(element, (void**)&new_));
  data[0] = 99;
  get(sequence, 0);
}
CALL("GetValue(map,1) shares or copies") {
  OrtValue* map = float_map();
  OrtValue* values = NEW(OrtValue, api->GetValue(map, 1, allocator(), &new_));
  float* data = NEW(float, api->GetTensorMutableData(values, (void**)&new_));
  data[0] = 99;
  get(map, 1);
}

CALL("GetValueCount(seq)") { count(pair_of_floats()); }
CALL("GetValueCount(sequence of maps)") { count(pair_of_maps()); }
CALL("GetValueCount(map)") { count(float_map()); }
CALL("GetValueCount(tensor)") { count(FLOATS(1)); }
CALL("GetValueCount(sparse)") { count(containers_sparse()); }

/* Opaque values. */
CALL("CreateOpaqueValue(\"d\",\"t\",8 bytes)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateOpaqueValue("d", "t", "12345678", 8, &value));
  say_out(value, UNTOUCHED);
}
CALL("GetOpaqueValue(\"d\",\"t\",tensor)") {
  char bytes[8] = "";
  say_status(api->GetOpaqueValue("d", "t", FLOATS(1), bytes, sizeof bytes));
}
CALL("GetOpaqueValue(\"d\",\"t\",NULL)") {
  char bytes[8] = "";
  say_status(api->GetOpaqueValue("d", "t", NULL, bytes, sizeof bytes));
}

/* What GetTypeInfo tells of containers. */
static void containers_say_type(const OrtTypeInfo* type) {
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK(api->GetOnnxTypeFromTypeInfo(type, &kind) == NULL);
  if (kind == ONNX_TYPE_SEQUENCE) {
    const OrtSequenceTypeInfo* sequence =
        NEW(const OrtSequenceTypeInfo, api->CastTypeInfoToSequenceTypeInfo(type, &new_));
    OrtTypeInfo* element = NEW(OrtTypeInfo, api->GetSequenceElementType(sequence, &new_));
    say("sequence of");
    containers_say_type(element);
    api->ReleaseTypeInfo(element);
  } else if (kind == ONNX_TYPE_MAP) {
    ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    const OrtMapTypeInfo* map =
        NEW(const OrtMapTypeInfo, api->CastTypeInfoToMapTypeInfo(type, &new_));
    CHECK(api->GetMapKeyType(map, &key) == NULL);
    OrtTypeInfo* value = NEW(OrtTypeInfo, api->GetMapValueType(map, &new_));
    say("map of %d to", (int)key);
    containers_say_type(value);
    api->ReleaseTypeInfo(value);
  } else {
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 99;
    size_t count = 99;
    const OrtTensorTypeAndShapeInfo* tensor =
        NEW(const OrtTensorTypeAndShapeInfo, api->CastTypeInfoToTensorInfo(type, &new_));
    CHECK(api->GetTensorElementType(tensor, &element) == NULL);
    CHECK(api->GetDimensionsCount(tensor, &rank) == NULL);
    CHECK(api->GetTensorShapeElementCount(tensor, &count) == NULL);
    say("kind %d of %d rank=%zu count=%zu shape=%d", (int)kind, (int)element, rank, count,
        (int)api->TensorTypeAndShape_HasShape(tensor));
  }
}

static void type_of(const OrtValue* value) {
  OrtTypeInfo* type = UNTOUCHED;
  if (say_status(api->GetTypeInfo(value, &type))) {
    containers_say_type(type);
    api->ReleaseTypeInfo(type);
  }
}
CALL("GetTypeInfo(sequence of tensors)") { type_of(pair_of_floats()); }
CALL("GetTypeInfo(sequence of string tensors)") { type_of(SEQUENCE(STRINGS("a"))); }
CALL("GetTypeInfo(sequence of maps)") { type_of(pair_of_maps()); }
CALL("GetTypeInfo(map)") { type_of(float_map()); }
CALL("GetTypeInfo(map str->i64)") { type_of(MAP(STRINGS("a"), INT64S(1))); }
CALL("GetTypeInfo(sparse)") { type_of(containers_sparse()); }
