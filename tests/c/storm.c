/* SPDX-License-Identifier: MIT */
/*
 * A storm over the default allocator of a library.
 *
 * storm LIBRARY [THREADS [OPERATIONS [ROUNDS [fork]]]]: as storm.h says.
 */
#include <dlfcn.h>

#include "storm.h"

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "storm: %s\n", argc > 1 ? dlerror() : "no library given");
    return 2;
  }
  const OrtApiBase* (*get_base)(void);
  *(void**)&get_base = dlsym(library, "OrtGetApiBase");
  api = get_base()->GetApi(ORT_API_VERSION);
  if (api->GetAllocatorWithDefaultOptions(&allocator) != NULL) {
    return 2;
  }
  return storm(argc, argv);
}
