# SPDX-License-Identifier: MIT
"""Capsules: objects of CPython with an address and a name, which extension modules hand out."""

from ctypes import PYFUNCTYPE, c_char_p, c_int, c_void_p, py_object, pythonapi

# The name of a capsule must live as long as the capsule.
new_capsule = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
is_valid = PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_IsValid", pythonapi))
pointer_in = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
name_of = PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", pythonapi))
