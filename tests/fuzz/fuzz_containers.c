/* SPDX-License-Identifier: MIT */
/* Sequences and maps, of values that are there and of one another. */
#include "model.h"

static int can_be_in_sequence(const struct model* model, const struct model* first) {
  if (model->kind != first->kind) {
    return 0;
  }
  if (model->kind == ONNX_TYPE_TENSOR) {
    return model->type == first->type;
  }
  return model->kind == ONNX_TYPE_MAP && model->children[1]->type == FLOAT &&
         model->children[0]->type == first->children[0]->type;
}

static void make_sequence(size_t place) {
  const OrtValue* in[MOST_CHILDREN];
  struct model* model = must_malloc(sizeof *model);
  *model = (struct model){.kind = ONNX_TYPE_SEQUENCE};
  size_t wanted = next_byte() % (MOST_CHILDREN + 1);
  int can = wanted > 0;
  for (size_t i = 0; i < wanted; i++) {
    struct value* value = next_value();
    can = can && value != NULL;
    in[i] = value != NULL ? value->handle : NULL;
    if (can) {
      model->children[model->child_count++] = copy_model(value->model);
      can = can_be_in_sequence(value->model, model->children[0]);
    }
  }
  OrtValue* made = NULL;
  if (succeeded(api->CreateValue(in, wanted, ONNX_TYPE_SEQUENCE, &made), can, ORT_FAIL,
                ORT_INVALID_ARGUMENT)) {
    keep_value(place, made, model, NULL);
  } else {
    CHECK(made == NULL);
    end_model(model);
  }
}

static int compare_keys(const struct model* keys, size_t a, size_t b) {
  if (keys->type == INT64) {
    int64_t x, y;
    memcpy(&x, keys->content + 8 * a, 8);
    memcpy(&y, keys->content + 8 * b, 8);
    return x < y ? -1 : x > y;
  }
  const struct text* x = &keys->texts[a];
  const struct text* y = &keys->texts[b];
  int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);
  return order != 0 ? order : x->length < y->length ? -1 : x->length > y->length;
}

static struct model* gather(const struct model* from, const size_t* order, size_t count) {
  int64_t dims[] = {(int64_t)count};
  struct model* model = new_model(from->type, 1, dims);
  size_t size = bits_of(from->type) / 8;
  for (size_t i = 0; i < count; i++) {
    if (from->texts != NULL) {
      model->texts[i] = from->texts[order[i]];
    } else {
      memcpy(model->content + i * size, from->content + order[i] * size, size);
    }
  }
  return model;
}

/* In ascending order, of equal keys the first. */
static struct model* model_map(const struct model* keys, const struct model* items) {
  size_t order[128];
  size_t count = 0;
  for (size_t i = 0; i < keys->count; i++) {
    size_t at = 0;
    while (at < count && compare_keys(keys, order[at], i) < 0) {
      at++;
    }
    if (at == count || compare_keys(keys, order[at], i) != 0) {
      memmove(&order[at + 1], &order[at], (count++ - at) * sizeof *order);
      order[at] = i;
    }
  }
  struct model* model = must_malloc(sizeof *model);
  *model = (struct model){.kind = ONNX_TYPE_MAP, .child_count = 2};
  model->children[0] = gather(keys, order, count);
  model->children[1] = gather(items, order, count);
  return model;
}

static int can_be_map(const struct model* keys, const struct model* items) {
  return keys->kind == ONNX_TYPE_TENSOR && items->kind == ONNX_TYPE_TENSOR && keys->rank <= 1 &&
         items->rank <= 1 && keys->count == items->count &&
         (keys->type == INT64 || keys->type == STRING) &&
         (items->type == INT64 || items->type == STRING || items->type == FLOAT ||
          items->type == DOUBLE);
}

static void make_map(size_t place) {
  struct value* keys = next_value();
  struct value* items = next_value();
  if (keys == NULL || items == NULL) {
    return;
  }
  const OrtValue* in[] = {keys->handle, items->handle};
  OrtValue* made = NULL;
  if (succeeded(api->CreateValue(in, 2, ONNX_TYPE_MAP, &made),
                can_be_map(keys->model, items->model), ORT_FAIL, ORT_RUNTIME_EXCEPTION)) {
    keep_value(place, made, model_map(keys->model, items->model), NULL);
  }
  CHECK(made == NULL || values[place].handle == made);
}

static void get(size_t place) {
  struct value* from = next_value();
  size_t index = next_byte() % (MOST_CHILDREN + 1);
  if (from == NULL) {
    return;
  }
  OrtAllocator* allocator = NULL;
  OrtValue* got = NULL;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  int is_container = from->model->kind == ONNX_TYPE_SEQUENCE || from->model->kind == ONNX_TYPE_MAP;
  if (succeeded(api->GetValue(from->handle, (int)index, allocator, &got),
                is_container && index < from->model->child_count, ORT_FAIL,
                ORT_RUNTIME_EXCEPTION)) {
    keep_value(place, got, copy_model(from->model->children[index]), NULL);
  }
}

void use_containers(void) {
  unsigned what = next_byte();
  size_t place = what % VALUES;
  if (values[place].handle != NULL) {
    check_value(values[place].handle, values[place].model);
    if (what >= 128) {
      drop_value(place);
    }
  } else if (what % 3 == 0) {
    make_sequence(place);
  } else if (what % 3 == 1) {
    make_map(place);
  } else {
    get(place);
  }
}
