/* SPDX-License-Identifier: MIT */
/* What C calls in Python: see callbacks.h. */
void ortcffi_python_observe(void* context, int event, void* block, size_t size);
void* ortcffi_python_alloc(void* context, size_t size);
void ortcffi_python_free(void* context, void* block);
OrtStatus* ortcffi_python_stats(void* context, OrtKeyValuePairs** out);
OrtStatus* ortcffi_python_shrink(void* context);
uint32_t ortcffi_python_site(void);
