/* SPDX-License-Identifier: MIT */
/* Defines what each kind of row expands to; include it before each list, after stubs.h. */
#define ORT_SLOT_STATUS(index, since, topic, who, gil, name, parameters, arguments) \
  STUB_STATUS_##who(CORE_SYMBOL(name), name, parameters)
#define ORT_SLOT_VOID(index, since, topic, who, gil, name, parameters, arguments) \
  STUB_VOID_##who(CORE_SYMBOL(name), parameters)
#define ORT_SLOT_VALUE(index, since, topic, who, gil, returns, name, parameters, arguments) \
  STUB_VALUE_##who(CORE_SYMBOL(name), returns, parameters)
#define ORT_SLOT_GETTER(index, since, topic, who, gil, returns, name) \
  STUB_VALUE_##who(CORE_SYMBOL(name), returns, (void))
