/* SPDX-License-Identifier: MIT */
/* The options of a compilation. session/compile_model.c has CompileModel. */
#include "compile/compile_options.h"

#include "object/keyed_list.h"
#include "platform/platform.h"

static void end_options(void* block) {
  struct OrtModelCompilationOptions* options = block;
  ort_ReleaseSessionOptions(options->session_options);
  for (size_t i = 0; i < CORE_COMPILE_PATHS; i++) {
    heap_free(options->paths[i]);
  }
}

static const struct core_class compile_options_class = {.kind = CORE_COMPILE_OPTIONS,
                                                        .end = end_options};

CORE_SLOT(ort_compile_CreateModelCompilationOptionsFromSessionOptions, const OrtEnv* env,
          const OrtSessionOptions* session_options, OrtModelCompilationOptions** out) {
  CORE_REQUIRE(CreateModelCompilationOptionsFromSessionOptions, env, session_options, out);
  struct OrtModelCompilationOptions* options =
      core_new_object(&compile_options_class, sizeof *options);
  if (options == NULL) {
    return core_no_memory(sizeof *options);
  }
  CORE_HAND_OUT(ort_CloneSessionOptions(session_options, &options->session_options), options, out);
}

void ORT_API_CALL ort_compile_ReleaseModelCompilationOptions(OrtModelCompilationOptions* input)
    NO_EXCEPTION {
  core_drop(input);
}

/* The body of a slot that only stores values. */
#define SET(slot, ...)                       \
  CORE_REQUIRE(slot, model_compile_options); \
  __VA_ARGS__;                               \
  return NULL

#define REQUIRE_NOT_EMPTY(slot, path)                                         \
  do {                                                                        \
    CORE_REQUIRE(slot, path);                                                 \
    if (*(path) == 0) {                                                       \
      CORE_FAIL(ORT_INVALID_ARGUMENT, #slot ": " #path " must not be empty"); \
    }                                                                         \
  } while (0)

static OrtStatus* copy_path(const ORTCHAR_T* path, ORTCHAR_T** out) {
  *out = core_copy_bytes(path, core_path_size(path));
  return *out == NULL ? core_no_memory(core_path_size(path)) : NULL;
}

static void replace_path(OrtModelCompilationOptions* options, enum core_compile_path which,
                         ORTCHAR_T* path) {
  heap_free(options->paths[which]);
  options->paths[which] = path;
}

static OrtStatus* set_path(OrtModelCompilationOptions* options, enum core_compile_path which,
                           const ORTCHAR_T* path) {
  ORTCHAR_T* copy;
  CORE_TRY(copy_path(path, &copy));
  replace_path(options, which, copy);
  return NULL;
}

/* Guards a path, and stores a copy of it. */
#define SET_PATH(slot, which, path) \
  REQUIRE_NOT_EMPTY(slot, path);    \
  CORE_TRY(set_path(model_compile_options, which, path))

CORE_SLOT(ort_compile_ModelCompilationOptions_SetInputModelPath,
          OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* input_model_path) {
  CORE_REQUIRE(ModelCompilationOptions_SetInputModelPath, model_compile_options);
  SET_PATH(ModelCompilationOptions_SetInputModelPath, CORE_INPUT_FILE, input_model_path);
  model_compile_options->input = CORE_INPUT_PATH;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetInputModelFromBuffer,
          OrtModelCompilationOptions* model_compile_options, const void* input_model_data,
          size_t input_model_data_size) {
  CORE_REQUIRE(ModelCompilationOptions_SetInputModelFromBuffer, model_compile_options,
               input_model_data);
  if (input_model_data_size == 0) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetInputModelFromBuffer: input_model_data_size must be "
              "above 0");
  }
  model_compile_options->input = CORE_INPUT_BYTES;
  model_compile_options->input_bytes = input_model_data;
  model_compile_options->input_size = input_model_data_size;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetInputModel,
          OrtModelCompilationOptions* model_compile_options, const OrtModel* model) {
  CORE_REQUIRE(ModelCompilationOptions_SetInputModel, model_compile_options, model);
  model_compile_options->input = CORE_INPUT_MODEL;
  model_compile_options->input_model = model;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelPath,
          OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* output_model_path) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelPath, model_compile_options);
  SET_PATH(ModelCompilationOptions_SetOutputModelPath, CORE_OUTPUT_FILE, output_model_path);
  model_compile_options->output = CORE_OUTPUT_PATH;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelBuffer,
          OrtModelCompilationOptions* model_compile_options, OrtAllocator* allocator,
          void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelBuffer, model_compile_options, allocator,
               output_model_buffer_ptr, output_model_buffer_size_ptr);
  model_compile_options->output = CORE_OUTPUT_BUFFER;
  model_compile_options->output_buffer = (struct core_compile_buffer){
      allocator, output_model_buffer_ptr, output_model_buffer_size_ptr};
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelWriteFunc,
          OrtModelCompilationOptions* model_compile_options, OrtWriteBufferFunc write_func,
          void* state) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelWriteFunc, model_compile_options, write_func);
  model_compile_options->output = CORE_OUTPUT_FUNCTION;
  model_compile_options->write = write_func;
  model_compile_options->write_state = state;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersFile,
          OrtModelCompilationOptions* model_compile_options,
          const ORTCHAR_T* external_initializers_file_path,
          size_t external_initializers_size_threshold) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelExternalInitializersFile,
               model_compile_options);
  SET_PATH(ModelCompilationOptions_SetOutputModelExternalInitializersFile, CORE_EXTERNAL_FILE,
           external_initializers_file_path);
  model_compile_options->initializers = CORE_INITIALIZERS_FILE;
  model_compile_options->initializers_threshold = external_initializers_size_threshold;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc,
          OrtModelCompilationOptions* model_compile_options,
          OrtGetInitializerLocationFunc get_initializer_location_func, void* state) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc,
               model_compile_options, get_initializer_location_func);
  model_compile_options->initializers = CORE_INITIALIZERS_FUNCTION;
  model_compile_options->locate = get_initializer_location_func;
  model_compile_options->locate_state = state;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersBuffer,
          OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* logical_file_name,
          size_t external_initializers_size_threshold, OrtAllocator* allocator, void** buffer,
          size_t* buffer_size) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelExternalInitializersBuffer,
               model_compile_options, allocator, buffer, buffer_size);
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelExternalInitializersBuffer, logical_file_name);
  char name[CORE_PATH_ROOM];
  if (!core_whole_path_utf8(logical_file_name, name) || !core_path_is_inside(name)) {
    CORE_FAIL(
        ORT_INVALID_ARGUMENT,
        "ModelCompilationOptions_SetOutputModelExternalInitializersBuffer: "
        "logical_file_name must be a relative path without \"..\", not empty and not too long");
  }
  CORE_TRY(set_path(model_compile_options, CORE_EXTERNAL_FILE, logical_file_name));
  model_compile_options->initializers = CORE_INITIALIZERS_BUFFER;
  model_compile_options->initializers_threshold = external_initializers_size_threshold;
  model_compile_options->initializers_buffer =
      (struct core_compile_buffer){allocator, buffer, buffer_size};
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersAlignment,
          OrtModelCompilationOptions* model_compile_options, size_t alignment,
          size_t minimum_size) {
  CORE_REQUIRE(ModelCompilationOptions_SetOutputModelExternalInitializersAlignment,
               model_compile_options);
  if ((alignment & (alignment - 1)) != 0 || alignment > INT64_MAX) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetOutputModelExternalInitializersAlignment: alignment must "
              "be 0 or a power of two, at most 2**62");
  }
  if (minimum_size > INT64_MAX) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetOutputModelExternalInitializersAlignment: minimum_size "
              "must be at most 2**63 - 1");
  }
  model_compile_options->alignment = alignment;
  model_compile_options->aligned_from = minimum_size;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetEpContextEmbedMode,
          OrtModelCompilationOptions* model_compile_options, bool embed_ep_context_in_model) {
  SET(ModelCompilationOptions_SetEpContextEmbedMode,
      model_compile_options->embed_mode = embed_ep_context_in_model ? "1" : "0");
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetFlags,
          OrtModelCompilationOptions* model_compile_options, uint32_t flags) {
  SET(ModelCompilationOptions_SetFlags, model_compile_options->flags = flags);
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetEpContextBinaryInformation,
          OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* output_directory,
          const ORTCHAR_T* model_name) {
  CORE_REQUIRE(ModelCompilationOptions_SetEpContextBinaryInformation, model_compile_options,
               output_directory, model_name);
  REQUIRE_NOT_EMPTY(ModelCompilationOptions_SetEpContextBinaryInformation, output_directory);
  REQUIRE_NOT_EMPTY(ModelCompilationOptions_SetEpContextBinaryInformation, model_name);
  if (!core_path_is_folder(output_directory)) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetEpContextBinaryInformation: output_directory must end in "
              "a separator");
  }
  ORTCHAR_T *directory, *name;
  CORE_TRY(copy_path(output_directory, &directory));
  OrtStatus* status = copy_path(model_name, &name);
  if (status != NULL) {
    heap_free(directory);
    return status;
  }
  replace_path(model_compile_options, CORE_CONTEXT_DIRECTORY, directory);
  replace_path(model_compile_options, CORE_CONTEXT_NAME, name);
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetGraphOptimizationLevel,
          OrtModelCompilationOptions* model_compile_options,
          GraphOptimizationLevel graph_optimization_level) {
  CORE_REQUIRE(ModelCompilationOptions_SetGraphOptimizationLevel, model_compile_options);
  int level = (int)graph_optimization_level;
  if ((level < ORT_DISABLE_ALL || level > ORT_ENABLE_LAYOUT) && level != ORT_ENABLE_ALL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetGraphOptimizationLevel: graph_optimization_level must be "
              "0, 1, 2, 3 or 99");
  }
  model_compile_options->optimization_level = graph_optimization_level;
  return NULL;
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetEpContextDataWriteFunc,
          OrtModelCompilationOptions* model_compile_options, OrtWriteNamedBufferFunc write_func,
          void* state) {
  CORE_REQUIRE_SAYING(ModelCompilationOptions_SetEpContextDataWriteFunc, model_compile_options,
                      "OrtModelCompilationOptions is NULL");
  SET(ModelCompilationOptions_SetEpContextDataWriteFunc,
      model_compile_options->write_context = write_func;
      model_compile_options->write_context_state = write_func == NULL ? NULL : state);
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetWeightlessEnabled,
          OrtModelCompilationOptions* model_compile_options, bool use_weightless) {
  CORE_REQUIRE(ModelCompilationOptions_SetWeightlessEnabled, model_compile_options);
  return ort_AddSessionConfigEntry(model_compile_options->session_options, "ep.enable_weightless",
                                   use_weightless ? "1" : "0");
}

CORE_SLOT(ort_compile_ModelCompilationOptions_SetWeightlessMode,
          OrtModelCompilationOptions* model_compile_options, OrtWeightlessSupport weightless_mode) {
  CORE_REQUIRE(ModelCompilationOptions_SetWeightlessMode, model_compile_options);
  if ((unsigned)weightless_mode > OrtWeightlessSupport_ALL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ModelCompilationOptions_SetWeightlessMode: weightless_mode must be 0 (NONE), 1 "
              "(EXTERNAL_ONLY) or 2 (ALL)");
  }
  const char mode[] = {(char)('0' + weightless_mode), 0};
  return ort_AddSessionConfigEntry(model_compile_options->session_options,
                                   "ep.enable_weightless_mode", mode);
}
