/* SPDX-License-Identifier: MIT */
/* Each kind of row as a function that jumps through the table it is given; TABLE is its type. */
#define ORT_SLOT_STATUS(index, since, topic, who, gil, name, parameters, arguments) \
  DEFINE(TABLE, OrtStatus*, gil, name, parameters, arguments)
#define ORT_SLOT_VOID(index, since, topic, who, gil, name, parameters, arguments) \
  static void name(const TABLE* api, PARAMETERS parameters) { gil(api->name arguments); }
#define ORT_SLOT_VALUE(index, since, topic, who, gil, returns, name, parameters, arguments) \
  DEFINE(TABLE, returns, gil, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, gil, returns, name) \
  static returns name(const TABLE* api) { return api->name(); }
