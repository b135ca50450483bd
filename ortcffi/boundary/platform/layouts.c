/* SPDX-License-Identifier: MIT */
/* Checks the layout of CFFI's cdata once, when the package is imported. */
#include "boundary/platform/layouts.h"

int ortcffi_knows_cdata(ortcffi_object* one, ortcffi_object* same, ortcffi_object* other,
                        uintptr_t address) {
  const struct cdata* cdata = (const struct cdata*)one;
  const struct _cffi_ctypedescr* type = cdata->type;
  return type == ((const struct cdata*)same)->type && type != ((const struct cdata*)other)->type &&
         (uintptr_t)cdata->pointer == address;
}
