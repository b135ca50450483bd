/* SPDX-License-Identifier: MIT */
/* How clients say what went wrong. This includes no header of Windows, which takes longer to
 * compile than most clients. */
#ifndef ORTCFFI_TESTS_CHECK_H_
#define ORTCFFI_TESTS_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* The pointer that a call writes to `new_`, which must succeed. */
#define NEW(type, ...)            \
  ({                              \
    type* new_ = NULL;            \
    CHECK((__VA_ARGS__) == NULL); \
    new_;                         \
  })

#endif /* ORTCFFI_TESTS_CHECK_H_ */
