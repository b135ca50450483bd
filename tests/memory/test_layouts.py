# SPDX-License-Identifier: MIT
"""Private structs of CFFI: a layout that is not known is refused."""

from support.processes import run_python

from ortcffi._native import address_of, ffi, lib

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
