/* SPDX-License-Identifier: MIT */
/**
 * @file json.h
 * Texts of JSON, as profiles have them.
 */
#ifndef ORTCFFI_SESSION_JSON_H_
#define ORTCFFI_SESSION_JSON_H_

#include "onnx/writing.h"

void core_put_text(struct core_writing* text, const char* piece);
/** Writes a text, and behind it a number. */
void core_put_number(struct core_writing* text, const char* before, int64_t number);
/** Writes a string of JSON. */
void core_put_quoted(struct core_writing* text, const char* content);
/** Writes an object or a list of JSON as it is, and any other text as a string. */
void core_put_value(struct core_writing* text, const char* value);

#endif /* ORTCFFI_SESSION_JSON_H_ */
