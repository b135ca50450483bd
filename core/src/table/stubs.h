/* SPDX-License-Identifier: MIT */
/**
 * @file stubs.h
 * Expands the rows of a slot list that the core does not implement into functions that answer
 * ORT_NOT_IMPLEMENTED.
 *
 * Before including a list, define CORE_SYMBOL(name): the function's name in C. Rows that
 * the core implements expand to nothing; their functions are in the folder of their topic.
 */
#ifndef ORTCFFI_STUBS_H_
#define ORTCFFI_STUBS_H_

#include "core.h"

/* Stubs ignore their arguments. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define STUB_STATUS(symbol, parameters, text)                     \
  static OrtStatus* ORT_API_CALL symbol parameters NO_EXCEPTION { \
    CORE_FAIL(ORT_NOT_IMPLEMENTED, text);                         \
  }
#define STUB_VOID(symbol, parameters) \
  static void ORT_API_CALL symbol parameters NO_EXCEPTION {}
#define STUB_VALUE(symbol, returns, parameters) \
  static returns ORT_API_CALL symbol parameters NO_EXCEPTION { return (returns)0; }

#define STUB_STATUS_HOST(symbol, name, parameters)
#define STUB_STATUS_ENGINE(symbol, name, parameters) \
  STUB_STATUS(symbol, parameters,                    \
              #name " needs an inference engine, which ortcffi's core does not have")
#define STUB_STATUS_NOT_YET(symbol, name, parameters) \
  STUB_STATUS(symbol, parameters, #name " is not implemented yet in ortcffi's core")

#define STUB_VOID_HOST(symbol, parameters)
#define STUB_VOID_ENGINE(symbol, parameters) STUB_VOID(symbol, parameters)
#define STUB_VOID_NOT_YET(symbol, parameters) STUB_VOID(symbol, parameters)

#define STUB_VALUE_HOST(symbol, returns, parameters)
#define STUB_VALUE_TABLE(symbol, returns, parameters)
#define STUB_VALUE_ENGINE(symbol, returns, parameters) STUB_VALUE(symbol, returns, parameters)
#define STUB_VALUE_NOT_YET(symbol, returns, parameters) STUB_VALUE(symbol, returns, parameters)

#endif /* ORTCFFI_STUBS_H_ */
