/* SPDX-License-Identifier: MIT */
/*
 * A storm over the default allocator of a library.
 *
 * storm LIBRARY [THREADS [OPERATIONS [ROUNDS [fork]]]]: as storm.h says.
 */
#include "storm.h"

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  api = get_base()->GetApi(ORT_API_VERSION);
  if (api->GetAllocatorWithDefaultOptions(&allocator) != NULL) {
    return 2;
  }
  return storm(argc, argv);
}
