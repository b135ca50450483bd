# SPDX-License-Identifier: MIT
"""CFFI's types are built while nothing can come in between."""

import sys

from support.processes import run

# Uses in a collection of garbage what is being used for the first time, for functions and structs.
PROGRAM = """
import gc

from ortcffi._native import ffi, lib

again = None
gc.callbacks.append(lambda *_: again and again())
gc.set_threshold(1)
for name in dir(lib):
    def again():
        if callable(getattr(lib, name)) and name.startswith("ortcffi_"):
            ffi.addressof(lib, name)

    again()
fields = [name for name in ffi.list_types()[1] if not name.endswith("Api")]
for name in fields:
    def again():
        try:
            ffi.new(f"struct {name} *")
        except (ffi.error, ValueError, TypeError):
            pass

    again()
print(len(dir(lib)), len(fields))
"""


def test_a_collection_may_use_a_type_that_is_used_for_the_first_time():
    done = run(sys.executable, "-c", PROGRAM)
    assert all(int(count) > 50 for count in done.stdout.split())
