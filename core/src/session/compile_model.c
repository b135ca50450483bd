/* SPDX-License-Identifier: MIT */
/* CompileModel: has the providers of a session compile what they take, and writes a model of it. */

#include "compile/compile_options.h"
#include "model/model.h"
#include "onnx/writing.h"
#include "session/session.h"

/* --- where parts of the model go -------------------------------------------------------------- */

/* A file that is opened when it is first written to. */
struct file {
  FILE* stream;
  const char* path;
  /* The path without links: a link to a file stays. */
  char target[CORE_PATH_ROOM];
  /* Where the bytes go: to another file of the folder, which gets the path once all is written, so
   * that a file that is there stays until then; to a device such as /dev/null itself. "" until it
   * is opened. */
  char written[CORE_PATH_ROOM];
};

/* Finds the target, and whether another file gets its path; otherwise it is written itself. To
 * realpath a link to a pipe, as /dev/stdout can be, is one that leads nowhere. */
static bool find_target(struct file* file) {
  enum core_file kind = core_find_file(file->path, file->target);
  if (kind != CORE_REGULAR_FILE) {
    snprintf(file->target, sizeof file->target, "%s", file->path);
  }
  return kind == CORE_NO_FILE || kind == CORE_REGULAR_FILE;
}

/* A file of the name may be there: of a process that crashed, or of another container, where
 * processes have the same numbers. */
static OrtStatus* open_file(struct file* file) {
  static uint32_t count;
  char real[CORE_PATH_ROOM];
  const char* path = file->target;
  bool is_beside = find_target(file), fits;
  do {
    int size = is_beside ? snprintf(file->written, sizeof file->written,
                                    "%.*s.ortcore.%" PRId32 ".%" PRIu32,
                                    (int)core_path_folder_length(path), path, core_process_id(),
                                    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED))
                         : snprintf(file->written, sizeof file->written, "%s", path);
    fits = size > 0 && (size_t)size < sizeof file->written;
    file->stream = fits ? core_create_file(file->written, is_beside) : NULL;
  } while (file->stream == NULL && fits && is_beside &&
           core_find_file(file->written, real) != CORE_NO_FILE);
  if (file->stream == NULL) {
    file->written[0] = 0;
    return core_status(ORT_INVALID_ARGUMENT, "open file \"%s\" failed", file->path);
  }
  return NULL;
}

static OrtStatus* not_written(const struct file* file) {
  return core_status(ORT_FAIL, "the model cannot be written to '%s'", file->path);
}

static OrtStatus* write_to_file(void* state, const void* bytes, size_t size) {
  struct file* file = state;
  CORE_TRY(file->stream == NULL ? open_file(file) : NULL);
  return fwrite(bytes, 1, size, file->stream) == size ? NULL : not_written(file);
}

static OrtStatus* write_to_memory(void* state, const void* bytes, size_t size) {
  struct core_writing* to = state;
  core_write_raw(to, bytes, size);
  return to->has_failed ? core_no_memory(to->size + size) : NULL;
}

static OrtStatus* close_file(struct file* file, OrtStatus* status) {
  bool is_closed = file->stream == NULL || fclose(file->stream) == 0;
  file->stream = NULL;
  return status == NULL && !is_closed ? not_written(file) : status;
}

/* Has a closed file get its path; removes it where not all could be written. */
static OrtStatus* publish(const struct file* file, OrtStatus* status) {
  bool is_other = file->written[0] != 0 && strcmp(file->written, file->target) != 0;
  if (is_other && status == NULL && !core_replace_file(file->written, file->target)) {
    status = not_written(file);
  }
  if (is_other && status != NULL) {
    core_remove_file(file->written);
  }
  return status;
}

/* The model comes last, because it names the file with its initializers. */
static OrtStatus* finish(struct file* model, struct file* initializers, OrtStatus* status) {
  status = close_file(initializers, close_file(model, status));
  return publish(model, publish(initializers, status));
}

static OrtStatus* save(const OrtSession* session, const char* path, const OrtcoreWriting* writing,
                       struct file* initializers) {
  OrtcoreWriting own = *writing;
  struct file file = {.path = path};
  own.write = write_to_file;
  own.state = &file;
  return finish(&file, initializers, core_write_context_model(session, &own));
}

static OrtStatus* too_long(void) {
  return core_fail(ORT_INVALID_ARGUMENT, "a path of the options is too long");
}

/* Has large initializers go to a file beside that of the model, in which `external` names it. */
static OrtStatus* write_beside(const char* model, const char* external, char path[CORE_PATH_ROOM],
                               struct file* file, OrtcoreWriting* writing) {
  CORE_REFUSE_IF(!core_path_is_inside(external), ORT_INVALID_ARGUMENT,
                 "the file of initializers must be a relative path without \"..\", and not %s",
                 external);
  int folder = (int)core_path_folder_length(model);
  int size = snprintf(path, CORE_PATH_ROOM, "%.*s%s", folder, model, external);
  CORE_RETURN_IF(size < 0 || size >= CORE_PATH_ROOM, too_long());
  file->path = path;
  writing->external_name = external;
  writing->write_external = write_to_file;
  writing->external_state = file;
  return NULL;
}

/* The file of initializers that the entries of the options name; NULL for none. */
static const char* external_entry(const OrtSessionOptions* options) {
  const char* name = core_config_get(&options->lists[CORE_SESSION_CONFIG],
                                     "ep.context_model_external_initializers_file_name");
  return name != NULL && name[0] != 0 ? name : NULL;
}

OrtStatus* core_save_context_model(const OrtSession* session, const char* path) {
  OrtcoreWriting writing = {.version = ORT_API_VERSION, .external_alignment = 1};
  struct file file = {.path = ""};
  char external_path[CORE_PATH_ROOM];
  const char* external = external_entry(session->options);
  if (external != NULL) {
    CORE_TRY(write_beside(path, external, external_path, &file, &writing));
  }
  return save(session, path, &writing, &file);
}

/* --- what is compiled ------------------------------------------------------------------------- */

/* One compilation. */
struct task {
  const OrtModelCompilationOptions* options;
  OrtSessionOptions* session_options;
  OrtSession* session;
  /* Of the output file; "" where it goes elsewhere. */
  char path[CORE_PATH_ROOM];
  /* Of the file of initializers, and as the model names it. */
  char external_path[CORE_PATH_ROOM];
  char external_name[CORE_PATH_ROOM];
  struct file external_file;
  /* What goes to buffers. */
  struct core_writing model;
  struct core_writing initializers;
};

/* Refuses a path whose last part has no extension, as ONNX Runtime does, which takes it for a
 * folder. */
static OrtStatus* check_output(const char* path) {
  const char* file = path + core_path_folder_length(path);
  const char* dot = strrchr(file, '.');
  return dot != NULL && dot != file
             ? NULL
             : core_fail(
                   ORT_INVALID_ARGUMENT,
                   "context_file_path should not point to a folder, and have an extension: %s",
                   path);
}

/* "model.onnx" becomes "model_ctx.onnx". */
static OrtStatus* find_path_beside(const char* model, char path[CORE_PATH_ROOM]) {
  size_t length = strlen(model), end = length;
  for (size_t i = length; i > 0 && !CORE_IS_SEPARATOR(model[i - 1]); i--) {
    if (model[i - 1] == '.') {
      end = i - 1;
      break;
    }
  }
  int size = snprintf(path, CORE_PATH_ROOM, "%.*s_ctx.onnx", (int)end, model);
  return size > 0 && size < CORE_PATH_ROOM ? NULL : too_long();
}

/* Finds the path of the output. */
static OrtStatus* find_output(struct task* task) {
  const OrtModelCompilationOptions* options = task->options;
  char input[CORE_PATH_ROOM], real[CORE_PATH_ROOM];
  if (options->input == CORE_INPUT_PATH) {
    CORE_RETURN_IF(!core_whole_path_utf8(options->paths[CORE_INPUT_FILE], input), too_long());
    CORE_REFUSE_IF(core_find_file(input, real) == CORE_NO_FILE, ORT_INVALID_ARGUMENT,
                   "Input model path does not exist: \"%s\"", input);
  }
  if (options->output == CORE_OUTPUT_PATH) {
    return core_whole_path_utf8(options->paths[CORE_OUTPUT_FILE], task->path)
               ? check_output(task->path)
               : too_long();
  }
  if (options->output != CORE_OUTPUT_BESIDE_INPUT) {
    return NULL;
  }
  CORE_FAIL_IF(options->input != CORE_INPUT_PATH, ORT_FAIL,
               "CompileModel: a model that is not read from a file needs an output");
  return find_path_beside(input, task->path);
}

static OrtStatus* refuse_existing(const char* path) {
  char real[CORE_PATH_ROOM];
  return core_find_file(path, real) != CORE_NO_FILE
             ? core_status(
                   ORT_FAIL,
                   "Failed to generate EP context model since the file '%s' exists already. Please "
                   "remove the EP context model if you want to re-generate it.",
                   path)
             : NULL;
}

OrtStatus* core_find_context_path(const OrtSession* session, char path[CORE_PATH_ROOM]) {
  const char* given =
      core_config_get(&session->options->lists[CORE_SESSION_CONFIG], "ep.context_file_path");
  char model[CORE_PATH_ROOM];
  if (given != NULL && given[0] != 0) {
    size_t length = strlen(given);
    CORE_RETURN_IF(length >= CORE_PATH_ROOM, too_long());
    CORE_TRY(check_output(given));
    memcpy(path, given, length + 1);
  } else if (session->model->path[0] == 0) {
    return core_fail(ORT_FAIL,
                     "a model that was not read from a file needs ep.context_file_path, or "
                     "CompileModel, to be compiled");
  } else {
    CORE_RETURN_IF(!core_whole_path_utf8(session->model->path, model), too_long());
    CORE_TRY(find_path_beside(model, path));
  }
  return refuse_existing(path);
}

static OrtStatus* set_entry(struct task* task, const char* key, const char* value) {
  return core_config_set(&task->session_options->lists[CORE_SESSION_CONFIG], key, value);
}

/* Sets the entries by which providers know that a compiled model is wanted, and where it goes. */
static OrtStatus* set_entries(struct task* task) {
  const OrtModelCompilationOptions* options = task->options;
  char path[CORE_PATH_ROOM], folder[CORE_PATH_ROOM], name[CORE_PATH_ROOM];
  task->session_options->settings.optimization_level = options->optimization_level;
  CORE_TRY(set_entry(task, "ep.context_enable", "1"));
  if (options->embed_mode != NULL) {
    CORE_TRY(set_entry(task, "ep.context_embed_mode", options->embed_mode));
  }
  if (options->write_context != NULL) {
    task->session_options->settings.ep_context.write = options->write_context;
    task->session_options->settings.ep_context.write_state = options->write_context_state;
  }
  if (task->path[0] != 0) {
    return set_entry(task, "ep.context_file_path", task->path);
  }
  if (options->paths[CORE_CONTEXT_DIRECTORY] == NULL) {
    return NULL;
  }
  CORE_RETURN_IF(!core_whole_path_utf8(options->paths[CORE_CONTEXT_DIRECTORY], folder) ||
                     !core_whole_path_utf8(options->paths[CORE_CONTEXT_NAME], name) ||
                     strlen(folder) + strlen(name) >= sizeof path,
                 too_long());
  memcpy(path, folder, strlen(folder));
  memcpy(path + strlen(folder), name, strlen(name) + 1);
  return set_entry(task, "ep.context_file_path", path);
}

static OrtStatus* compile(struct task* task, const OrtEnv* env) {
  const OrtModelCompilationOptions* options = task->options;
  const struct core_source source = {
      .path = options->input == CORE_INPUT_PATH ? options->paths[CORE_INPUT_FILE] : NULL,
      .bytes = options->input_bytes,
      .size = options->input_size,
      .model = options->input == CORE_INPUT_MODEL ? (OrtModel*)options->input_model : NULL};
  CORE_TRY(core_new_session(env, task->session_options, &source, true, &task->session));
  CORE_FAIL_IF(
      options->flags & OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED &&
          !core_has_compiled_nodes(task->session),
      ORT_FAIL,
      "Unable to compile any nodes. Check that the session EPs support compilation and can "
      "execute at least one subgraph in the model.");
  return NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Has large initializers go to another file, beside that of the model, or to a buffer; or a
 * function decides where they go. */
static OrtStatus* set_external(struct task* task, OrtcoreWriting* writing) {
  const OrtModelCompilationOptions* options = task->options;
  writing->external_alignment = options->alignment > 0 ? options->alignment : 1;
  writing->external_aligned_from = options->aligned_from;
  if (options->initializers == CORE_INITIALIZERS_IN_MODEL) {
    const char* external = external_entry(options->session_options);
    return external != NULL ? write_beside(task->path, external, task->external_path,
                                           &task->external_file, writing)
                            : NULL;
  }
  if (options->initializers == CORE_INITIALIZERS_FUNCTION) {
    writing->locate = options->locate;
    writing->locate_state = options->locate_state;
    return NULL;
  }
  CORE_RETURN_IF(!core_whole_path_utf8(options->paths[CORE_EXTERNAL_FILE], task->external_name),
                 too_long());
  writing->external_above = options->initializers_threshold;
  if (options->initializers == CORE_INITIALIZERS_FILE) {
    return write_beside(task->path, task->external_name, task->external_path, &task->external_file,
                        writing);
  }
  writing->external_name = task->external_name;
  writing->write_external = write_to_memory;
  writing->external_state = &task->initializers;
  return NULL;
}

static OrtStatus* write_model(struct task* task) {
  const OrtModelCompilationOptions* options = task->options;
  OrtcoreWriting writing = {.version = ORT_API_VERSION};
  struct file none = {.path = ""};
  CORE_TRY(set_external(task, &writing));
  if (task->path[0] != 0) {
    return save(task->session, task->path, &writing, &task->external_file);
  }
  bool is_buffer = options->output == CORE_OUTPUT_BUFFER;
  writing.write = is_buffer ? write_to_memory : options->write;
  writing.state = is_buffer ? &task->model : options->write_state;
  return finish(&none, &task->external_file, core_write_context_model(task->session, &writing));
}

/* A block of the caller's allocator with what was written; NULL for none. */
static OrtStatus* fill_block(const struct core_compile_buffer* buffer,
                             const struct core_writing* from, void** block) {
  *block = NULL;
  if (from->size == 0) {
    return NULL;
  }
  *block = buffer->allocator->Alloc(buffer->allocator, from->size);
  CORE_NEED_MEMORY(*block, from->size);
  memcpy(*block, from->bytes, from->size);
  return NULL;
}

/* Hands both buffers over, or none. */
static OrtStatus* hand_over(const struct task* task) {
  const struct core_compile_buffer* model = &task->options->output_buffer;
  const struct core_compile_buffer* initializers = &task->options->initializers_buffer;
  void *block, *other;
  CORE_TRY(fill_block(model, &task->model, &block));
  OrtStatus* status = fill_block(initializers, &task->initializers, &other);
  if (status != NULL) {
    if (block != NULL) {
      model->allocator->Free(model->allocator, block);
    }
    return status;
  }
  if (task->options->output == CORE_OUTPUT_BUFFER) {
    *model->data = block;
    *model->size = task->model.size;
  }
  if (task->options->initializers == CORE_INITIALIZERS_BUFFER) {
    *initializers->data = other;
    *initializers->size = task->initializers.size;
  }
  return NULL;
}

static OrtStatus* perform(struct task* task, const OrtEnv* env) {
  CORE_FAIL_IF(task->options->input == CORE_INPUT_NONE, ORT_INVALID_ARGUMENT,
               "CompileModel: Input model to compile must be loaded from "
               "either a file or a memory buffer");
  CORE_TRY(find_output(task));
  if (task->path[0] != 0 && task->options->flags & OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS) {
    CORE_TRY(refuse_existing(task->path));
  }
  CORE_TRY(ort_CloneSessionOptions(task->options->session_options, &task->session_options));
  CORE_TRY(set_entries(task));
  CORE_TRY(compile(task, env));
  CORE_TRY(write_model(task));
  return hand_over(task);
}

CORE_SLOT(ort_compile_CompileModel, const OrtEnv* env,
          const OrtModelCompilationOptions* model_options) {
  CORE_NEW_BLOCK(struct task, task);
  task->options = model_options;
  OrtStatus* status = perform(task, env);
  heap_free(task->model.bytes);
  heap_free(task->initializers.bytes);
  core_drop(task->session);
  ort_ReleaseSessionOptions(task->session_options);
  heap_free(task);
  return status;
}
