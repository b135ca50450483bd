# SPDX-License-Identifier: MIT
"""Private structs of CFFI and NumPy: a layout that is not known is refused."""

import pytest
from support.processes import run_python

from ortcffi._native import address_of, ffi, lib

# NumPy's table of functions with other functions or types at some places.
OTHER_TABLE = """
import ctypes, sys
import numpy as np

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
try:
    from numpy._core import _multiarray_umath as module
except ImportError:
    from numpy.core import _multiarray_umath as module
table = (ctypes.c_void_p * 320).from_address(python.PyCapsule_GetPointer(module._ARRAY_API, None))
other = (ctypes.c_void_p * 320)(*table)
version = ctypes.CFUNCTYPE(ctypes.c_uint)(lambda: 0x03000000)
if sys.argv[1] == "version":
    other[0] = ctypes.cast(version, ctypes.c_void_p).value
else:
    class Other(np.ndarray):
        def __new__(cls, shape):
            return np.ones((3, 2), np.float32).T
    other[2] = id(Other)
module._ARRAY_API = python.PyCapsule_New(ctypes.byref(other), None, None)

import ortcffi
try:
    ortcffi.Value.from_numpy(np.ones(3))
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("version", "NumPy's ABI has the version 0x3000000; this package knows NumPy 1.26 to 2"),
        ("array", "NumPy lays out `base` of its arrays differently; this package knows"),
    ],
)
def test_a_numpy_that_is_not_known_is_refused(what, said):
    assert run_python(OTHER_TABLE, what).startswith(said)


NOWHERE = 99  # no place in the list of types


def test_cdata_are_laid_out_as_this_package_expects():
    one = ffi.new("char*")
    assert lib.ortcffi_knows_cdata(NOWHERE, one, ffi.typeof("char*"), address_of(one))


def test_cdata_that_are_laid_out_otherwise_are_noticed():
    one, other = ffi.new("char*"), ffi.new("char*")
    assert not lib.ortcffi_knows_cdata(NOWHERE, one, ffi.typeof("int*"), address_of(one))
    assert not lib.ortcffi_knows_cdata(NOWHERE, one, ffi.typeof("char*"), address_of(other))


WITHOUT_LAYOUT = """
import ortcffi._ort as compiled
lib = compiled.lib
class Other:
    def __getattr__(self, name):
        return (lambda *_: 0) if name == "ortcffi_knows_cdata" else getattr(lib, name)
    def __dir__(self):
        return dir(lib)
compiled.lib = Other()
try:
    import ortcffi.errors
except ImportError as error:
    print(error)
"""


def test_a_cffi_that_is_not_known_is_refused_when_the_package_is_imported():
    assert "otherwise than the versions 1.17 to 2.1" in run_python(WITHOUT_LAYOUT)
