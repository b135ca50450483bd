/* SPDX-License-Identifier: MIT */
/* What C calls in Python: see callbacks.h. */
void ortcffi_python_observe(void* context, int event, void* block, size_t size);
void* ortcffi_python_alloc(void* context, size_t size);
void ortcffi_python_free(void* context, void* block);
OrtStatus* ortcffi_python_stats(void* context, OrtKeyValuePairs** out);
OrtStatus* ortcffi_python_shrink(void* context);
uint32_t ortcffi_python_site(void);
void ortcffi_python_log(void* context, int severity, const char* category, const char* logid,
                        const char* code_location, const char* message);
OrtCustomThreadHandle ortcffi_python_create_thread(void* context, OrtThreadWorkerFn worker,
                                                   void* argument);
void ortcffi_python_join_thread(OrtCustomThreadHandle thread);
OrtStatus* ortcffi_python_select(void* context, const OrtEpDevice** devices, size_t count,
                                 const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                 const OrtEpDevice** selected, size_t room, size_t* out);
void* ortcffi_python_enqueued(void* context);
void ortcffi_python_work(void* context, int event, void* data);
OrtStatus* ortcffi_python_write(void* context, const void* bytes, size_t size);
OrtStatus* ortcffi_python_locate(void* context, const char* name, const OrtValue* value,
                                 const OrtExternalInitializerInfo* stored,
                                 OrtExternalInitializerInfo** out);
