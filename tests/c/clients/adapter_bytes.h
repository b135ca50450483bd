/* SPDX-License-Identifier: MIT */
/* A LoRA adapter as bytes: "w", two floats, 3 and 4. The first number leads to the adapter, which
 * has the version of the format and a list of one parameter; that has a name, a shape, an element
 * type and its elements. */
#ifndef ORTCFFI_TESTS_ADAPTER_BYTES_H_
#define ORTCFFI_TESTS_ADAPTER_BYTES_H_

#include <stdint.h>

static const uint32_t adapter_bytes[] = {
    20,         0x54524F54,                            /* TORT */
    0x000C000C, 0x00000004, 0x00080000,                /* places of the adapter's fields */
    12,         1,          4,                         /* the adapter */
    1,          16,                                    /* its list */
    0x0014000C, 0x00080004, 0x0010000C,                /* places of the parameter's fields */
    12,         16,         24,         1,         32, /* the parameter */
    1,          'w',                                   /* its name */
    0,          1,          2,          0,             /* its shape */
    0,          8,          0x40400000, 0x40800000};   /* its elements */

#endif /* ORTCFFI_TESTS_ADAPTER_BYTES_H_ */
