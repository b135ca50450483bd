/* SPDX-License-Identifier: MIT */
#ifndef ORTCFFI_TESTS_TRYING_H_
#define ORTCFFI_TESTS_TRYING_H_

/* Returns the status of a call that fails. */
#define TRY(call)                      \
  do {                                 \
    OrtStatus* failed = (call);        \
    if (failed != NULL) return failed; \
  } while (0)

#endif /* ORTCFFI_TESTS_TRYING_H_ */
