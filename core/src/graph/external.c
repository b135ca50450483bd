/* SPDX-License-Identifier: MIT */
/* Weights that are not in the bytes of a model, but in files beside it (external data). */
#include "graph/reading.h"
#include "graph/tensor_bytes.h"
#include "onnx/check_fields.h"
#include "values/type_info.h"

struct core_weights_file {
  struct core_weights_file* next;
  struct core_mapping mapping;
  char name[];
};

/* Reads a number in decimal digits, the form that the entries have. */
static bool read_decimal(struct core_message text, uint64_t* out) {
  uint64_t number = 0;
  if (text.at == text.end) {
    return false;
  }
  for (; text.at < text.end; text.at++) {
    if (*text.at < '0' || *text.at > '9' || __builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, *text.at - '0', &number)) {
      return false;
    }
  }
  *out = number;
  return true;
}

/* Whether a key says nothing of where the elements are: a checksum, which is optional, and what
 * ONNX Runtime packed for its own kernels. */
static bool is_ignored(struct core_message key) {
  static const char packed[] = "prepacked";
  size_t size = sizeof packed - 1;
  return core_message_is(key, "checksum") ||
         (core_message_size(key) > size && memcmp(key.at, packed, size) == 0);
}

/* Reads an entry; returns what is wrong with it, or NULL. */
static const char* read_entry(struct core_message key, struct core_message value,
                              struct core_external_data* out) {
  if (core_message_is(key, "location")) {
    bool is_first = out->location.at == NULL;
    out->location = value;
    return is_first ? NULL : "is there twice";
  }
  if (core_message_is(key, "offset") || core_message_is(key, "length")) {
    bool is_offset = core_message_is(key, "offset");
    return read_decimal(value, is_offset ? &out->offset : &out->length) ? NULL : "is no number";
  }
  return is_ignored(key) ? NULL : "is none that ONNX knows";
}

bool core_is_external(struct core_message tensor) {
  return core_find_varint(tensor, TENSOR_LOCATION) == 1;
}

OrtStatus* core_read_external(struct core_message tensor, struct core_external_data* out) {
  struct core_message entry, key, value;
  *out = (struct core_external_data){0};
  while (core_next_message(&tensor, TENSOR_EXTERNAL, &entry)) {
    if (!core_find_message(entry, ENTRY_KEY, &key) ||
        !core_find_message(entry, ENTRY_VALUE, &value)) {
      continue;
    }
    const char* why = read_entry(key, value, out);
    CORE_REFUSE_IF(why != NULL, ORT_FAIL, "the entry '%.*s' of external data, '%.*s', %s",
                   CORE_SHOWN(key), CORE_SHOWN(value), why);
  }
  return !core_is_malformed(&tensor) && out->location.at != NULL
             ? NULL
             : core_fail(ORT_FAIL, "a tensor does not say where its external data is");
}

bool core_is_in_memory(const OrtModel* model, const struct core_external_data* data) {
  return core_message_is(data->location, CORE_WEIGHTS_IN_MEMORY) &&
         data->offset < model->weight_count;
}

bool core_external_name(const struct core_external_data* data, char name[CORE_PATH_ROOM]) {
  size_t length = core_message_size(data->location);
  if (length == 0 || length >= CORE_PATH_ROOM || memchr(data->location.at, 0, length) != NULL) {
    return false;
  }
  memcpy(name, data->location.at, length);
  name[length] = 0;
  return true;
}

static OrtStatus* refuse_file(const char* name, const char* why) {
  return core_fail(ORT_FAIL, "the file of weights '%s%s", name, why);
}

/* The words by which clients of ONNX Runtime know that a model wants a file outside of its folder.
 */
#define ESCAPES "External data path escapes model directory"

/* Why a path that is not inside of the folder is refused. */
static const char* refuse_path(const OrtModel* model, const char* name) {
  return CORE_IS_SEPARATOR(*name) ? "': Absolute path not allowed for external data location"
         : model->folder == NULL  ? "': External data path for model loaded from bytes escapes "
                                    "working directory. " ESCAPES
                                  : "': " ESCAPES;
}

/* Writes the path of a file with weights; returns what is wrong with it, or NULL. */
static const char* find_file(const OrtModel* model, const char* name, char real[CORE_PATH_ROOM]) {
  char path[CORE_PATH_ROOM];
  if (!core_path_is_inside(name)) {
    return refuse_path(model, name);
  }
  if (model->folder == NULL) {
    return "' cannot be found: the model was given as bytes, without a folder";
  }
  if (snprintf(path, sizeof path, "%s%c%s", model->folder, CORE_SEPARATOR, name) >=
      CORE_PATH_ROOM) {
    return "' makes a path that is too long";
  }
  if (core_find_file(path, real) != CORE_REGULAR_FILE) {
    return "' is no file in the folder of the model: External data path does not exist";
  }
  return core_path_is_below(model->folder, real) || core_path_is_below(model->real_folder, real)
             ? NULL
             : "' is a link: " ESCAPES;
}

static struct core_weights_file* find_mapped(const OrtModel* model, const char* name) {
  struct core_weights_file* file = __atomic_load_n(&model->files, __ATOMIC_ACQUIRE);
  while (file != NULL && strcmp(file->name, name) != 0) {
    file = file->next;
  }
  return file;
}

/* A file that another thread has mapped meanwhile is mapped twice, which costs addresses only.
 * Models that were made of another one, in the same folder, share its mappings. */
static OrtStatus* map_file(OrtModel* model, const char* name, struct core_weights_file** out) {
  char real[CORE_PATH_ROOM];
  while (model->weights_of != NULL && model->weights_of->folder == model->folder) {
    model = model->weights_of;
  }
  *out = find_mapped(model, name);
  if (*out != NULL) {
    return NULL;
  }
  const char* why = find_file(model, name, real);
  CORE_RETURN_IF(why != NULL, refuse_file(name, why));
  size_t size = sizeof(struct core_weights_file) + strlen(name) + 1;
  struct core_weights_file* file = heap_alloc(size);
  CORE_NEED_MEMORY(file, size);
  strcpy(file->name, name);
  if (!core_map_file(real, &file->mapping)) {
    heap_free(file);
    return refuse_file(name, "' cannot be read");
  }
  file->next = __atomic_load_n(&model->files, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&model->files, &file->next, file, false, __ATOMIC_RELEASE,
                                      __ATOMIC_ACQUIRE)) {
  }
  *out = file;
  return NULL;
}

/* Whether two relative paths are one: "./a//b" is "a/b". */
static bool is_same_path(const char* a, const char* b) {
  for (;;) {
    const char* paths[] = {a, b};
    for (size_t i = 0; i < 2; i++) { /* skip what stands for nothing at the beginning of a part */
      while (paths[i][0] == '/' || (paths[i][0] == '.' && paths[i][1] == '/')) {
        paths[i]++;
      }
    }
    size_t sizes[] = {strcspn(paths[0], "/"), strcspn(paths[1], "/")};
    if (sizes[0] != sizes[1] || memcmp(paths[0], paths[1], sizes[0]) != 0) {
      return false;
    }
    a = paths[0] + sizes[0];
    b = paths[1] + sizes[1];
    if (*a == 0 && *b == 0) {
      return true;
    }
  }
}

/* Finds the bytes of a file that the options of a session give in memory. */
static OrtStatus* find_given(const struct core_items* files, const char* name,
                             struct core_weight* out) {
  char given[CORE_PATH_ROOM];
  for (size_t i = 0; i < files->count; i++) {
    const struct core_item* item = &files->list[i];
    if (core_whole_path_utf8(item->key, given) && is_same_path(given, name)) {
      *out = (struct core_weight){item->pointer, (size_t)item->number};
      return NULL;
    }
  }
  return refuse_file(name, "' is not among the files in memory that the options give");
}

static OrtStatus* find_file_bytes(const OrtModel* model, const char* name,
                                  struct core_weight* out) {
  struct core_weights_file* file = NULL;
  if (model->changes.files != NULL) {
    return find_given(model->changes.files, name, out);
  }
  CORE_TRY(map_file((OrtModel*)model, name, &file));
  *out = (struct core_weight){file->mapping.bytes, file->mapping.size};
  return NULL;
}

OrtStatus* core_find_weights(const OrtModel* model, const struct core_external_data* data,
                             size_t size, const uint8_t** out) {
  char name[CORE_PATH_ROOM];
  struct core_weight file = {NULL, 0}, found = {NULL, 0};
  if (core_is_in_memory(model, data)) {
    found = model->weights[data->offset];
  } else {
    CORE_RETURN_IF(!core_external_name(data, name),
                   refuse_file("", "' has no name that a file can have"));
    CORE_TRY(find_file_bytes(model, name, &file));
    if (data->offset <= file.size) {
      found.bytes = file.bytes + data->offset;
      found.size = file.size - (size_t)data->offset;
    }
  }
  CORE_REFUSE_IF(found.bytes == NULL || found.size < size, ORT_FAIL,
                 "the elements of a tensor are out of bounds of the file, or can not "
                 "be read in full");
  CORE_REFUSE_IF(data->length != 0 && data->length != size, ORT_FAIL,
                 "external data size mismatch: a tensor has another size by its shape");
  *out = found.bytes;
  return NULL;
}

static bool map_file_of(struct core_message tensor, void* model) {
  struct core_external_data data;
  struct core_weights_file* file;
  char name[CORE_PATH_ROOM];
  if (core_is_external(tensor)) {
    OrtStatus* status = core_read_external(tensor, &data);
    if (status == NULL && !core_is_in_memory(model, &data) && core_external_name(&data, name)) {
      status = map_file(model, name, &file);
    }
    ort_ReleaseStatus(status); /* the use of the weights raises it again */
  }
  return true;
}

void core_map_weights(OrtModel* model) {
  if (model->folder != NULL) {
    core_each_tensor(model->bytes, ONNX_MODEL, map_file_of, model);
  }
}

void core_unmap_weights(OrtModel* model) {
  while (model->files != NULL) {
    struct core_weights_file* file = model->files;
    model->files = file->next;
    core_unmap_file(&file->mapping);
    heap_free(file);
  }
}
