/* SPDX-License-Identifier: MIT */
/** @file compile_options.h The struct behind OrtModelCompilationOptions. */
#pragma once

#include "object/object.h"

/** Where the model to compile comes from; the last setting counts. */
enum core_compile_input { CORE_INPUT_NONE, CORE_INPUT_PATH, CORE_INPUT_BYTES, CORE_INPUT_MODEL };

/** Where the compiled model goes; the last setting counts. */
enum core_compile_output {
  CORE_OUTPUT_BESIDE_INPUT,
  CORE_OUTPUT_PATH,
  CORE_OUTPUT_BUFFER,
  CORE_OUTPUT_FUNCTION
};

/** Where initializers go; the last setting counts. */
enum core_compile_initializers {
  CORE_INITIALIZERS_IN_MODEL,
  CORE_INITIALIZERS_FILE,
  CORE_INITIALIZERS_BUFFER,
  CORE_INITIALIZERS_FUNCTION
};

/** The paths that the options own, ORTCHAR_T. */
enum core_compile_path {
  CORE_INPUT_FILE,
  CORE_OUTPUT_FILE,
  /** The file of external initializers, or the name that the model gives to their buffer. */
  CORE_EXTERNAL_FILE,
  CORE_CONTEXT_DIRECTORY,
  CORE_CONTEXT_NAME,
  CORE_COMPILE_PATHS
};

/** A buffer that CompileModel is to allocate. All three are borrowed. */
struct core_compile_buffer {
  OrtAllocator* allocator;
  void** data;
  size_t* size;
};

struct OrtModelCompilationOptions {
  struct core_object object;
  /** A copy. */
  OrtSessionOptions* session_options;
  ORTCHAR_T* paths[CORE_COMPILE_PATHS];
  enum core_compile_input input;
  /** Borrowed. */
  const void* input_bytes;
  size_t input_size;
  const OrtModel* input_model;
  enum core_compile_output output;
  struct core_compile_buffer output_buffer;
  OrtWriteBufferFunc write;
  void* write_state;
  enum core_compile_initializers initializers;
  size_t initializers_threshold;
  struct core_compile_buffer initializers_buffer;
  OrtGetInitializerLocationFunc locate;
  void* locate_state;
  /** Of external initializers of at least `aligned_from` bytes; 0: they are not aligned. */
  size_t alignment;
  size_t aligned_from;
  OrtWriteNamedBufferFunc write_context;
  void* write_context_state;
  /** NULL: the provider decides. */
  const char* embed_mode;
  uint32_t flags;
  GraphOptimizationLevel optimization_level;
};
