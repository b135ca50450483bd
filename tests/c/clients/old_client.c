/* SPDX-License-Identifier: MIT */
/*
 * A client from the time of version 1. It knows the entry and the places of a few functions, and
 * does not include the header of today.
 */
#include <stdint.h>
#include <string.h>

#include "client.h"

struct old_base {
  const void* (*get_api)(uint32_t version);
  const char* (*get_version_string)(void);
};

struct old_api {
  void* (*create_status)(int code, const char* message);
  int (*get_error_code)(const void* status);
  const char* (*get_error_message)(const void* status);
  void* slots_3_to_92[90];
  void (*release_status)(void* status);
  void* slots_94_to_101[8];
};

static void use_version_1(const struct old_api* api) {
  void* status = api->create_status(3, "gone");
  CHECK(api->get_error_code(status) == 3);
  CHECK(strcmp(api->get_error_message(status), "gone") == 0);
  api->release_status(status);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const struct old_base* (*get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  const struct old_base* base = get_base();
  CHECK(base == get_base());
  unsigned newest = 0;
  CHECK(sscanf(base->get_version_string(), "%*u.%u.", &newest) == 1);
  const void* api = base->get_api(1);
  CHECK(api != NULL);
  for (unsigned version = 2; version <= newest; version++) {
    CHECK(base->get_api(version) == api);
  }
  use_version_1(api);
  CHECK(base->get_api(0) == NULL);
  CHECK(base->get_api(newest + 1) == NULL);
  CHECK(base->get_api(UINT32_MAX) == NULL);
  printf("%s\n", base->get_version_string());
  return 0;
}
