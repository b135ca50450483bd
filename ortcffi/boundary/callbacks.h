/* SPDX-License-Identifier: MIT */
/* What C calls in Python; each function is defined in ortcffi/callbacks.py. For CFFI's eyes only: C
 * declares them in callbacks_c.h. */
extern "Python+C" void ortcffi_python_observe(void* context, int event, void* block, size_t size);
extern "Python+C" void* ortcffi_python_alloc(void* context, size_t size);
extern "Python+C" void ortcffi_python_free(void* context, void* block);
extern "Python+C" OrtStatus* ortcffi_python_stats(void* context, OrtKeyValuePairs** out);
extern "Python+C" OrtStatus* ortcffi_python_shrink(void* context);
extern "Python+C" uint32_t ortcffi_python_site(void);
