/* SPDX-License-Identifier: MIT */
/* The options of a compilation. session/compile_model.c has CompileModel. */
#include "compile/compile_options.h"

#include "options/option_slots.h"

static void end_options(void* block) {
  struct OrtModelCompilationOptions* options = block;
  ort_ReleaseSessionOptions(options->session_options);
  for (size_t i = 0; i < CORE_COMPILE_PATHS; i++) {
    core_set_text(&options->paths[i], NULL, 0);
  }
}

static const struct core_class compile_options_class = {.kind = CORE_COMPILE_OPTIONS,
                                                        .end = end_options};

CORE_SLOT(ort_compile_CreateModelCompilationOptionsFromSessionOptions, const OrtEnv* env,
          const OrtSessionOptions* session_options, OrtModelCompilationOptions** out) {
  CORE_NEW(struct OrtModelCompilationOptions, options, &compile_options_class);
  CORE_HAND_OUT(ort_CloneSessionOptions(session_options, &options->session_options), options, out);
}

CORE_RELEASER(ort_compile_ReleaseModelCompilationOptions, OrtModelCompilationOptions)

/* A slot that changes the options. */
#define SET(name, ...) \
  CORE_SLOT(name, OrtModelCompilationOptions* model_compile_options, __VA_ARGS__)
#define FAIL_UNLESS(condition, text)                    \
  if (!(condition)) {                                   \
    return core_fail(ORT_INVALID_ARGUMENT, "%s", text); \
  }
#define NEED_PATH(path) FAIL_UNLESS(*(path) != 0, #path " must not be empty")

static OrtStatus* set_path(OrtModelCompilationOptions* options, enum core_compile_path which,
                           const ORTCHAR_T* path) {
  return core_set_text(&options->paths[which], path, core_path_size(path));
}

SET(ort_compile_ModelCompilationOptions_SetInputModelPath, const ORTCHAR_T* input_model_path) {
  NEED_PATH(input_model_path)
  CORE_TRY(set_path(model_compile_options, CORE_INPUT_FILE, input_model_path));
  model_compile_options->input = CORE_INPUT_PATH;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetInputModelFromBuffer, const void* input_model_data,
    size_t input_model_data_size) {
  FAIL_UNLESS(input_model_data_size > 0, "input_model_data_size must be above 0")
  model_compile_options->input = CORE_INPUT_BYTES;
  model_compile_options->input_bytes = input_model_data;
  model_compile_options->input_size = input_model_data_size;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetInputModel, const OrtModel* model) {
  model_compile_options->input = CORE_INPUT_MODEL;
  model_compile_options->input_model = model;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelPath, const ORTCHAR_T* output_model_path) {
  NEED_PATH(output_model_path)
  CORE_TRY(set_path(model_compile_options, CORE_OUTPUT_FILE, output_model_path));
  model_compile_options->output = CORE_OUTPUT_PATH;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelBuffer, OrtAllocator* allocator,
    void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr) {
  model_compile_options->output = CORE_OUTPUT_BUFFER;
  model_compile_options->output_buffer = (struct core_compile_buffer){
      allocator, output_model_buffer_ptr, output_model_buffer_size_ptr};
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelWriteFunc, OrtWriteBufferFunc write_func,
    void* state) {
  model_compile_options->output = CORE_OUTPUT_FUNCTION;
  model_compile_options->write = write_func;
  model_compile_options->write_state = state;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersFile,
    const ORTCHAR_T* external_initializers_file_path, size_t external_initializers_size_threshold) {
  NEED_PATH(external_initializers_file_path)
  CORE_TRY(set_path(model_compile_options, CORE_EXTERNAL_FILE, external_initializers_file_path));
  model_compile_options->initializers = CORE_INITIALIZERS_FILE;
  model_compile_options->initializers_threshold = external_initializers_size_threshold;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc,
    OrtGetInitializerLocationFunc get_initializer_location_func, void* state) {
  model_compile_options->initializers = CORE_INITIALIZERS_FUNCTION;
  model_compile_options->locate = get_initializer_location_func;
  model_compile_options->locate_state = state;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersBuffer,
    const ORTCHAR_T* logical_file_name, size_t external_initializers_size_threshold,
    OrtAllocator* allocator, void** buffer, size_t* buffer_size) {
  char name[CORE_PATH_ROOM];
  FAIL_UNLESS(core_whole_path_utf8(logical_file_name, name) && core_path_is_inside(name),
              "logical_file_name must be a relative path without \"..\", not empty and not too "
              "long")
  CORE_TRY(set_path(model_compile_options, CORE_EXTERNAL_FILE, logical_file_name));
  model_compile_options->initializers = CORE_INITIALIZERS_BUFFER;
  model_compile_options->initializers_threshold = external_initializers_size_threshold;
  model_compile_options->initializers_buffer =
      (struct core_compile_buffer){allocator, buffer, buffer_size};
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersAlignment,
    size_t alignment, size_t minimum_size) {
  FAIL_UNLESS((alignment & (alignment - 1)) == 0 && alignment <= INT64_MAX,
              "alignment must be 0 or a power of two, at most 2**62")
  FAIL_UNLESS(minimum_size <= INT64_MAX, "minimum_size must be at most 2**63 - 1")
  model_compile_options->alignment = alignment;
  model_compile_options->aligned_from = minimum_size;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetEpContextEmbedMode, bool embed_ep_context_in_model) {
  model_compile_options->embed_mode = embed_ep_context_in_model ? "1" : "0";
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetFlags, uint32_t flags) {
  model_compile_options->flags = flags;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetEpContextBinaryInformation,
    const ORTCHAR_T* output_directory, const ORTCHAR_T* model_name) {
  NEED_PATH(output_directory)
  NEED_PATH(model_name)
  FAIL_UNLESS(core_path_is_folder(output_directory), "output_directory must end in a separator")
  size_t size = core_path_size(output_directory);
  ORTCHAR_T* directory = core_copy_bytes(output_directory, size);
  CORE_NEED_MEMORY(directory, size);
  CORE_TRY_OR(set_path(model_compile_options, CORE_CONTEXT_NAME, model_name), heap_free(directory));
  heap_free(model_compile_options->paths[CORE_CONTEXT_DIRECTORY]);
  model_compile_options->paths[CORE_CONTEXT_DIRECTORY] = directory;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetGraphOptimizationLevel,
    GraphOptimizationLevel graph_optimization_level) {
  int level = (int)graph_optimization_level;
  FAIL_UNLESS((level >= ORT_DISABLE_ALL && level <= ORT_ENABLE_LAYOUT) || level == ORT_ENABLE_ALL,
              "graph_optimization_level must be 0, 1, 2, 3 or 99")
  model_compile_options->optimization_level = graph_optimization_level;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetEpContextDataWriteFunc,
    OrtWriteNamedBufferFunc write_func, void* state) {
  model_compile_options->write_context = write_func;
  model_compile_options->write_context_state = write_func == NULL ? NULL : state;
  return NULL;
}

SET(ort_compile_ModelCompilationOptions_SetWeightlessEnabled, bool use_weightless) {
  return ort_AddSessionConfigEntry(model_compile_options->session_options, "ep.enable_weightless",
                                   use_weightless ? "1" : "0");
}

SET(ort_compile_ModelCompilationOptions_SetWeightlessMode, OrtWeightlessSupport weightless_mode) {
  FAIL_UNLESS((unsigned)weightless_mode <= OrtWeightlessSupport_ALL,
              "weightless_mode must be 0 (NONE), 1 (EXTERNAL_ONLY) or 2 (ALL)")
  const char mode[] = {(char)('0' + weightless_mode), 0};
  return ort_AddSessionConfigEntry(model_compile_options->session_options,
                                   "ep.enable_weightless_mode", mode);
}
