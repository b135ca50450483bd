/* SPDX-License-Identifier: MIT */
/* Sequences of a library, read in place. See layout.h. */
#include "boundary/limited_api.h"

#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "boundary/values/layout.h"
#include "boundary/values/values.h"

/* Of ONNX Runtime and of libstdc++. */
struct ort_value {
  void *data, *control;
  const void* type;
};

struct vector {
  char *begin, *end, *room;
};

struct tensors {
  const void* element;
  struct vector values;
};

_Static_assert(sizeof(struct ort_value) == ORTCFFI_VALUE_SIZE || sizeof(void*) != 8,
               "an OrtValue is three addresses");

/* Copies memory if all of it can be read: the address may be invalid. */
static int copy_readable(void* to, const void* from, size_t size) {
  return core_read_memory(from, to, size) == CORE_READ;
}

/* --- what is put in ----------------------------------------------------------------------------*/

/* Sorted, with strings within a std::string and elsewhere. */
enum { KEYS = 5 };
static const int64_t ints[KEYS] = {-7, 0, 3, 1000, (int64_t)1 << 40};
static const char* const texts[KEYS] = {"", "a", "aa with more than sixteen bytes", "b", "c"};
static const float numbers[KEYS] = {0.5F, -1.5F, 2.25F, 3e30F, 1e-30F};

/* A sequence that is made for the check, with all that it needs. */
struct sample {
  const struct maker* maker;
  OrtValue* parts[4];
  size_t count;
  OrtValue* whole;
};

/* Whether a call succeeded; releases the status. */
static int worked(const struct sample* sample, OrtStatus* status) {
  sample->maker->api->ReleaseStatus(status);
  return status == NULL;
}

static int add_tensor(struct sample* sample, const void* data, size_t size, int64_t count,
                      ONNXTensorElementDataType element) {
  const OrtApi* api = sample->maker->api;
  OrtValue** out = &sample->parts[sample->count];
  int made = worked(
      sample, api->CreateTensorWithDataAsOrtValue(sample->maker->info, (void*)(uintptr_t)data, size,
                                                  &count, 1, element, out));
  sample->count += made;
  return made;
}

static int add_texts(struct sample* sample) {
  const OrtApi* api = sample->maker->api;
  const int64_t count = KEYS;
  if (!worked(sample, api->CreateTensorAsOrtValue(sample->maker->allocator, &count, 1,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                                  &sample->parts[sample->count]))) {
    return 0;
  }
  OrtValue* made = sample->parts[sample->count++];
  return worked(sample, api->FillStringTensor(made, texts, KEYS));
}

/* Makes a sequence of two maps. */
static int add_maps(struct sample* sample, int has_texts) {
  const OrtApi* api = sample->maker->api;
  const size_t size = KEYS * sizeof *numbers;
  if (!(has_texts
            ? add_texts(sample)
            : add_tensor(sample, ints, sizeof ints, KEYS, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)) ||
      !add_tensor(sample, numbers, size, KEYS, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)) {
    return 0;
  }
  for (int i = 0; i < 2; i++) {
    OrtValue** out = &sample->parts[sample->count];
    const OrtValue* const* pair = (const OrtValue* const*)sample->parts;
    if (!worked(sample, api->CreateValue(pair, 2, ONNX_TYPE_MAP, out))) {
      return 0;
    }
    sample->count++;
  }
  return worked(sample, api->CreateValue((const OrtValue* const*)&sample->parts[2], 2,
                                         ONNX_TYPE_SEQUENCE, &sample->whole));
}

static void end_sample(struct sample* sample) {
  const OrtApi* api = sample->maker->api;
  api->ReleaseValue(sample->whole);
  for (size_t i = 0; i < sample->count; i++) {
    api->ReleaseValue(sample->parts[i]);
  }
}

/* --- whether it is there -----------------------------------------------------------------------*/

static int is_pair(const char* at, int has_texts, size_t place) {
  struct text_node node;
  if (!has_texts) {
    struct int_node other;
    return copy_readable(&other, at, sizeof other) && other.key == ints[place] &&
           other.value == numbers[place];
  }
  size_t size = strlen(texts[place]);
  char content[64];
  return copy_readable(&node, at, sizeof node) && node.value == numbers[place] &&
         node.key.size == size && copy_readable(content, node.key.data, size + 1) &&
         strcmp(content, texts[place]) == 0;
}

/* Whether the nodes below one are the pairs from `*place` on. */
static int is_tree(const struct node* at, const struct node* parent, int has_texts, size_t* place) {
  struct node node;
  if (at == NULL) {
    return 1;
  }
  return *place < KEYS && copy_readable(&node, at, sizeof node) && node.parent == parent &&
         is_tree(node.left, at, has_texts, place) && *place < KEYS &&
         is_pair((const char*)at, has_texts, (*place)++) &&
         is_tree(node.right, at, has_texts, place);
}

static int is_map(const struct map* at, int has_texts) {
  struct map map;
  struct node first, last;
  size_t place = 0;
  return copy_readable(&map, at, sizeof map) && map.count == KEYS &&
         is_tree(map.header.parent, &at->header, has_texts, &place) && place == KEYS &&
         copy_readable(&first, map.header.left, sizeof first) && first.left == NULL &&
         is_pair((const char*)map.header.left, has_texts, 0) &&
         copy_readable(&last, map.header.right, sizeof last) && last.right == NULL &&
         is_pair((const char*)map.header.right, has_texts, KEYS - 1);
}

/* The library's type of a sequence of maps, if it can be read. */
static const void* type_of_maps(const struct maker* maker, int has_texts) {
  struct sample sample = {.maker = maker};
  struct ort_value value;
  struct vector maps;
  int is_there = add_maps(&sample, has_texts) &&
                 copy_readable(&value, sample.whole, sizeof value) &&
                 copy_readable(&maps, value.data, sizeof maps) &&
                 (uintptr_t)maps.end - (uintptr_t)maps.begin == 2 * sizeof(struct map) &&
                 is_map((const struct map*)(const void*)maps.begin, has_texts) &&
                 is_map((const struct map*)(const void*)maps.begin + 1, has_texts);
  end_sample(&sample);
  return is_there ? value.type : NULL;
}

/* Whether the memory of a member of a sequence of tensors is that of the tensor that was put in. */
static int is_tensor(const struct maker* maker, char* at, const OrtValue* like) {
  struct ort_value value, other;
  void *data, *wanted;
  if (!copy_readable(&value, at, sizeof value) || !copy_readable(&other, like, sizeof other) ||
      value.type != other.type || value.data == NULL) {
    return 0;
  }
  struct sample unused = {.maker = maker};
  return worked(&unused, maker->api->GetTensorMutableData((OrtValue*)(void*)at, &data)) &&
         worked(&unused, maker->api->GetTensorMutableData((OrtValue*)(uintptr_t)like, &wanted)) &&
         memcmp(data, wanted, sizeof *numbers) == 0;
}

static int has_tensors(const struct maker* maker) {
  struct sample sample = {.maker = maker};
  struct ort_value value;
  struct tensors tensors;
  int is_there = 1;
  for (int i = 0; i < 3 && is_there; i++) {
    is_there =
        add_tensor(&sample, &numbers[i], sizeof *numbers, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  }
  is_there = is_there &&
             worked(&sample, maker->api->CreateValue((const OrtValue* const*)sample.parts, 3,
                                                     ONNX_TYPE_SEQUENCE, &sample.whole)) &&
             copy_readable(&value, sample.whole, sizeof value) &&
             copy_readable(&tensors, value.data, sizeof tensors) &&
             (uintptr_t)tensors.values.end - (uintptr_t)tensors.values.begin == 3 * sizeof value;
  for (int i = 0; i < 3 && is_there; i++) {
    is_there = is_tensor(maker, tensors.values.begin + i * sizeof value, sample.parts[i]);
  }
  end_sample(&sample);
  return is_there;
}

/* --- members -----------------------------------------------------------------------------------*/

static int is_switched_off(void) {
  const char* text = getenv("ORTCFFI_READ_IN_PLACE");
  return text != NULL && strcmp(text, "0") == 0;
}

static const struct layout* layout_of(struct maker* maker) {
  struct layout* layout = &maker->layout;
  if (take_flag(&layout->is_known)) { /* until it is, members are read by the API */
    int is_tried = sizeof(void*) == 8 && !is_switched_off();
    const void* type_of_ints = is_tried ? type_of_maps(maker, 0) : NULL;
    layout->type_of_texts = type_of_ints == NULL ? NULL : type_of_maps(maker, 1);
    layout->has_tensors = type_of_ints != NULL && (char)has_tensors(maker);
    (void)swap_pointer((void**)&layout->type_of_ints, (void*)(uintptr_t)type_of_ints);
  }
  return layout;
}

int ortcffi_members(struct maker* maker, const OrtValue* sequence, size_t count, int kind,
                    struct members* out) {
  const struct layout* layout = layout_of(maker);
  const void* type_of_ints = __atomic_load_n(&layout->type_of_ints, __ATOMIC_ACQUIRE);
  if (type_of_ints == NULL) {
    return 0;
  }
  const struct ort_value* value = (const struct ort_value*)(const void*)sequence;
  int has_ints = value->type == type_of_ints;
  out->count = count;
  out->has_texts = value->type == layout->type_of_texts;
  if (has_ints || out->has_texts) {
    const struct vector* maps = value->data;
    out->maps = (const struct map*)(const void*)maps->begin;
    return (size_t)(maps->end - maps->begin) == count * sizeof(struct map);
  }
  if (kind != ONNX_TYPE_TENSOR || !layout->has_tensors) {
    return 0;
  }
  const struct tensors* tensors = value->data;
  out->maps = NULL;
  out->tensors = tensors->values.begin;
  return (size_t)(tensors->values.end - tensors->values.begin) == count * ORTCFFI_VALUE_SIZE;
}

const struct node* ortcffi_next_node(const struct node* node) {
  if (node->right != NULL) {
    for (node = node->right; node->left != NULL;) {
      node = node->left;
    }
    return node;
  }
  const struct node* parent = node->parent;
  while (node == parent->right) {
    node = parent;
    parent = parent->parent;
  }
  return parent;
}
