# SPDX-License-Identifier: MIT
"""CFFI's types are built while nothing can come in between."""

import sys

from support.processes import run

# Uses in a collection of garbage what is being used for the first time, for functions, structs and
# other types.
PROGRAM = """
import gc

from ortcffi._native import ffi, lib

again = None
gc.callbacks.append(lambda *_: again and again())
gc.set_threshold(1)
for name in dir(lib):
    def again():
        if callable(getattr(lib, name)) and name.startswith(("ortcffi_", "Release")):
            ffi.addressof(lib, name)

    again()
names, structs, _ = ffi.list_types()
for name in structs:
    def again():
        try:
            ffi.new(f"struct {name} *")
        except (ffi.error, ValueError, TypeError):
            pass

    again()
for name in names:
    def again():
        ffi.typeof(f"{name}*")

    again()
print(len(dir(lib)), len(structs), len(names))
"""


def test_a_collection_may_use_a_type_that_is_used_for_the_first_time():
    done = run(sys.executable, "-c", PROGRAM)
    assert all(int(count) > 50 for count in done.stdout.split())
