/* SPDX-License-Identifier: MIT */
/* The docstrings of the compiled methods of Value. */
#ifndef ORTCFFI_BOUNDARY_VALUE_DOCS_H_
#define ORTCFFI_BOUNDARY_VALUE_DOCS_H_

static const char FROM_NUMPY_DOC[] =
    "from_numpy($type, x, *, api=None, copy=False)\n"
    "--\n"
    "\n"
    "Make a tensor of an array; without a copy, unless one is asked for.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "x : ndarray\n"
    "    Of any shape, and of a dtype that tensors have elements of; see `ElementType`. Its\n"
    "    memory is borrowed: the value keeps `x`, and what is written to either is seen in both.\n"
    "    Strings, which NumPy keeps in other forms than the C API, are always copied. An array of\n"
    "    Arrow without nulls is taken as what NumPy makes of it, for numbers the same memory.\n"
    "api : Api, optional\n"
    "    The table that makes it, by default the one of `default_api`.\n"
    "copy : bool, optional\n"
    "    Whether the value gets memory of its own, from the table's default allocator. Otherwise\n"
    "    `x` must be C-contiguous, aligned and in this machine's byte order. Of the types of 4\n"
    "    and 2 bits a tensor holds several in a byte, an array of ml_dtypes one: copy it.\n"
    "\n"
    "Returns\n"
    "-------\n"
    "Value\n"
    "    Of an array that is read-only, one that is `readonly`.\n"
    "\n"
    "Raises\n"
    "------\n"
    "TypeError\n"
    "    `x` is no array, or tensors have no elements of its dtype.\n"
    "ValueError\n"
    "    `x` cannot be borrowed. The message says why.\n"
    "NotImplemented\n"
    "    The library has no tensors of such elements.\n"
    "\n"
    "Notes\n"
    "-----\n"
    "API function: ``CreateTensorWithDataAsOrtValue``.";

static const char NUMPY_DOC[] =
    "numpy($self, copy=False)\n"
    "--\n"
    "\n"
    "Return a tensor's memory as an array.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "copy : bool, optional\n"
    "    Whether to return an array with memory of its own. Elements of 4 and 2 bits need that.\n"
    "\n"
    "Returns\n"
    "-------\n"
    "ndarray\n"
    "    A view that keeps the value, read-only if the value is. For strings a copy, an array of\n"
    "    str; what is not UTF-8 becomes replacement characters.\n"
    "\n"
    "Raises\n"
    "------\n"
    "ImportError\n"
    "    The dtype is one of ml_dtypes, which is not installed.\n"
    "BufferError\n"
    "    The memory is a device's, which the CPU cannot read.\n"
    "TypeError\n"
    "    The value is no dense tensor.\n"
    "ValueError\n"
    "    Elements are packed, and no copy was asked for.\n"
    "\n"
    "Notes\n"
    "-----\n"
    "API function: ``GetTensorMutableData``.";

static const char CLOSE_DOC[] =
    "close($self)\n"
    "--\n"
    "\n"
    "Release the value, or end the borrow of one. Closing again does nothing.\n"
    "\n"
    "The memory is released at once, unless there are arrays or buffers over it: these stay as\n"
    "they are, and the memory is released with the last reference to them and to this object.\n"
    "\n"
    "API function: ``ReleaseValue``.";

static const char API_DOC[] =
    "The `Api` that the value belongs to. It must not be passed to any other table.";

static const char READONLY_DOC[] =
    "Whether the value borrows memory that must not be written to. Its arrays are read-only. The\n"
    "C API has no such property: a library could write to it.";

static const char SHAPE_DOC[] =
    "The dimensions of a tensor, dense or sparse, as a tuple of int. API function:\n"
    "``GetTensorElementTypeAndShapeDataReference``; on tables before version 25\n"
    "``GetTensorTypeAndShape``.";

static const char NBYTES_DOC[] =
    "Bytes of a tensor's elements, of packed ones as they are packed; `TypeError` for strings,\n"
    "which have no common size.";

static const char STRINGS_DOC[] =
    "strings($self)\n"
    "--\n"
    "\n"
    "Elements of a tensor of strings, in the order of the memory.\n"
    "\n"
    "What is not UTF-8 becomes replacement characters; `raw_strings` answers the bytes.\n"
    "\n"
    "Notes\n"
    "-----\n"
    "API functions: ``GetStringTensorDataLength``, ``GetStringTensorContent``.";

static const char RAW_STRINGS_DOC[] =
    "raw_strings($self)\n"
    "--\n"
    "\n"
    "Elements of a tensor of strings as bytes, UTF-8 or not.";

static const char HANDLE_DOC[] =
    "The cdata to pass to functions of ``lib``; it keeps the value alive.\n"
    "\n"
    "A copy of the pointer, as a C function may keep, does not.";

#endif /* ORTCFFI_BOUNDARY_VALUE_DOCS_H_ */
