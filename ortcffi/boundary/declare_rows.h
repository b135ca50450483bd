/* SPDX-License-Identifier: MIT */
/* Each kind of row as the declaration of the function that calls it; TABLE is the table's type. */
#define ORT_SLOT_STATUS(index, since, topic, who, gil, name, parameters, arguments) \
  DECLARE(TABLE, OrtStatus*, name, parameters)
#define ORT_SLOT_VOID(index, since, topic, who, gil, name, parameters, arguments) \
  DECLARE(TABLE, void, name, parameters)
#define ORT_SLOT_VALUE(index, since, topic, who, gil, returns, name, parameters, arguments) \
  DECLARE(TABLE, returns, name, parameters)
#define ORT_SLOT_GETTER(index, since, topic, who, gil, returns, name) \
  DECLARE_GETTER(TABLE, returns, name)
