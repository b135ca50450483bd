/* SPDX-License-Identifier: MIT */
/* All that Python sees of C beside the functions of the slots. */
#ifndef ORTCFFI_BOUNDARY_HEADERS_H_
#define ORTCFFI_BOUNDARY_HEADERS_H_

#include "onnxruntime_c_api.h"
#include "ortcore.h"

#include "boundary/table/slot_rows.h"
#include "boundary/table/load.h"
#include "boundary/handle/list.h"
#include "boundary/memory/allocators.h"
#include "adaptors/adaptors.h"
#include "boundary/memory/adaptors.h"
#include "custom_ops/op_reading.h"
#include "boundary/table/registered_ops.h"
#include "boundary/kernels/python_ops.h"
#include "boundary/env/eps.h"
#include "options/option_rows.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/status/fail.h"
#include "boundary/models/models.h"
#include "boundary/session/session_types.h"
#include "boundary/values/dlpack.h"
#include "onnx/schemas.h"
#include "boundary/python.h"

#endif /* ORTCFFI_BOUNDARY_HEADERS_H_ */
