/* SPDX-License-Identifier: MIT */
/* Python functions that C calls; ortcffi/_callback.py defines them. Only CFFI reads this file: C
 * declares them in callbacks_c.h. */
extern "Python+C" void ortcffi_python_observe(void* context, int event, void* block, size_t size);
extern "Python+C" void* ortcffi_python_alloc(void* context, size_t size);
extern "Python+C" void ortcffi_python_free(void* context, void* block);
extern "Python+C" OrtStatus* ortcffi_python_stats(void* context, OrtKeyValuePairs** out);
extern "Python+C" OrtStatus* ortcffi_python_shrink(void* context);
extern "Python+C" uint32_t ortcffi_python_site(void);
extern "Python+C" void ortcffi_python_log(void* context, int severity, const char* category,
                                          const char* logid, const char* code_location,
                                          const char* message);
extern "Python+C" OrtCustomThreadHandle ortcffi_python_create_thread(void* context,
                                                                     OrtThreadWorkerFn worker,
                                                                     void* argument);
extern "Python+C" void ortcffi_python_join_thread(OrtCustomThreadHandle thread);
extern "Python+C" OrtStatus* ortcffi_python_select(void* context, const OrtEpDevice** devices,
                                                   size_t count, const OrtKeyValuePairs* model,
                                                   const OrtKeyValuePairs* runtime,
                                                   const OrtEpDevice** selected, size_t room,
                                                   size_t* out);
extern "Python+C" void* ortcffi_python_enqueued(void* context);
extern "Python+C" void ortcffi_python_work(void* context, int event, void* data);
extern "Python+C" OrtStatus* ortcffi_python_write(void* context, const void* bytes, size_t size);
extern "Python+C" OrtStatus* ortcffi_python_locate(void* context, const char* name,
                                                   const OrtValue* value,
                                                   const OrtExternalInitializerInfo* stored,
                                                   OrtExternalInitializerInfo** out);
