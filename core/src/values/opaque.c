/* SPDX-License-Identifier: MIT */
/* Values of opaque types. Such types must be built into a library; the core has none, so both slots
 * fail. */
#include "core.h"

CORE_SLOT(ort_CreateOpaqueValue, const char* domain_name, const char* type_name,
          const void* data_container, size_t data_container_size, OrtValue** out) {
  CORE_REQUIRE(CreateOpaqueValue, domain_name, type_name);
  (void)data_container, (void)data_container_size, (void)out;
  CORE_FAIL(ORT_FAIL, "CreateOpaqueValue: domain_name and type_name must be those of a known type");
}

CORE_SLOT(ort_GetOpaqueValue, const char* domain_name, const char* type_name, const OrtValue* in,
          void* data_container, size_t data_container_size) {
  CORE_REQUIRE(GetOpaqueValue, domain_name, type_name);
  (void)in, (void)data_container, (void)data_container_size;
  CORE_FAIL(ORT_FAIL, "GetOpaqueValue: domain_name and type_name must be those of a known type");
}
