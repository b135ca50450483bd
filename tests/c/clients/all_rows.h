/* SPDX-License-Identifier: MIT */
/* Each kind of row as a call of the slot with zeroes; `table` is the table. */
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) \
  announce(#name);                                                             \
  STATUS_##who(table->name, #name);
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  announce(#name);                                                           \
  call_with_zeroes(table->name);
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments) \
  announce(#name);                                                                     \
  check_zero(call_with_zeroes(table->name));
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  announce(#name);                                               \
  GETTER_##who(table->name);
