# SPDX-License-Identifier: MIT
"""CFFI's types are built while nothing can come in between."""

import sys

import pytest
from support.processes import run

# Uses in a collection of garbage what is being used for the first time: functions, structs, other
# types. The collection comes with the object of the given number that this makes.
PROGRAM = r"""
import gc
import pathlib
import re
import sys

from ortcffi import _native
from ortcffi._native import ffi, lib

again = None


def collected(*_):
    if again:
        again()


def use(first):
    global again
    gc.collect(0)
    gc.set_threshold(int(sys.argv[1]))
    again = first
    first()
    again = None
    gc.set_threshold(0)

gc.callbacks.append(collected)
for name in dir(lib):
    use(lambda: getattr(lib, name))
    if name in _native._CALLED_BY_C or name.startswith("ortcffi_python_"):
        use(lambda: ffi.addressof(lib, name))
modules = pathlib.Path(_native.__file__).parent.rglob("*.py")
text = "".join(each.read_text() for each in modules if each.parent.name not in ("bench", "build"))
types = set(re.findall(r'ffi\.(?:new|cast|typeof|from_buffer)\("([^"]+)"', text))
for each in types:
    use(lambda: ffi.typeof(each))
named = set(re.findall(r"\w+", " ".join(types)))
structs = [
    name
    for name in ffi.list_types()[1]
    if not name.endswith("Api") and (not name.startswith("Ort") or name in named)
]
for name in structs:

    def struct():
        try:
            ffi.new(f"struct {name} *")
        except (ffi.error, ValueError, TypeError):
            pass

    use(struct)
print(len(dir(lib)), len(structs), len(types))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 7))
def test_a_collection_may_use_a_type_that_is_used_for_the_first_time(number):
    done = run(sys.executable, "-c", PROGRAM, str(number))
    assert all(int(count) > 30 for count in done.stdout.split())
