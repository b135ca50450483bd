/* SPDX-License-Identifier: MIT */
/** @file lora.h Adapters: tensors that runs use in the place of a model's initializers. */
#ifndef ORTCFFI_LORA_H_
#define ORTCFFI_LORA_H_

#include "object/pool.h"
#include "values/value.h"

struct core_lora_parameter {
  const char* name;
  OrtValue* value;
};

struct OrtLoraAdapter {
  struct core_object object;
  /** The memory of the list, and of the bytes that have names and elements. */
  struct core_pool pool;
  /** Of those with one name, the first counts. */
  struct core_lora_parameter* parameters;
  size_t count;
};

#endif /* ORTCFFI_LORA_H_ */
