# SPDX-License-Identifier: MIT
"""Tasks in Python. Figures include the loop around a call, about three nanoseconds."""

from itertools import repeat
from time import perf_counter_ns

import numpy as np

from ortcffi._native import ffi
from ortcffi.errors import OrtError, checked

from .subjects import Subject
from .tasks import Counted, ProcessTask

SHAPE = (1, 3, 224, 224)

_IMPORT = """
import sys
sys.dont_write_bytecode = False  # a process before this one has compiled, as an installer does
import numpy, time
start = time.perf_counter()
{imports}
print((time.perf_counter() - start) * 1e3)
"""


class ApiTask(Counted):
    """A task that calls a table from Python."""

    def __init__(self, subject: Subject) -> None:
        if subject.api is None:
            raise ValueError(f"subject {subject.name} has no table that Python can call")
        self.api = subject.api

    def close(self) -> None:
        """Holds nothing."""


class CheckedCall(ApiTask):
    """A call that succeeds and its status check, written as in the package itself."""

    def run(self, count: int) -> float:
        """Read a memory info's id `count` times; the nanoseconds that passed."""
        pointer, read = self.api.pointer, checked.MemoryInfoGetId
        info = self.api.cpu_memory_info()
        handle, out = info.handle, ffi.new("int*")
        start = perf_counter_ns()
        for _ in repeat(None, count):
            read(pointer, handle, out)
        return perf_counter_ns() - start


class FailingCall(ApiTask):
    """A call that fails: the exception is caught, its code and message are read."""

    def run(self, count: int) -> float:
        """Ask for memory of no device `count` times; the nanoseconds that passed."""
        pointer, create = self.api.pointer, checked.CreateMemoryInfo
        name, out = ffi.new("char[]", b"NoSuchDevice"), ffi.new("OrtMemoryInfo**")
        start = perf_counter_ns()
        for _ in repeat(None, count):
            try:
                create(pointer, name, 0, 0, 0, out)
            except OrtError as error:
                error.code  # noqa: B018 - reading it is what is measured
                error.message  # noqa: B018
        return perf_counter_ns() - start


class NewArray(ApiTask):
    """An aligned array of an image's shape, made and freed."""

    def run(self, count: int) -> float:
        """Make `count` arrays; the nanoseconds that passed."""
        empty = self.api.default_allocator.empty
        start = perf_counter_ns()
        for _ in repeat(None, count):
            empty(SHAPE, np.float32)
        return perf_counter_ns() - start


class ImportTask(ProcessTask):
    """Milliseconds of imports after numpy's, with the bytecode of Python cached."""

    def __init__(self, imports: str) -> None:
        super().__init__("-c", _IMPORT.format(imports=imports))

    def prepare(self) -> None:
        """Have Python cache the bytecode, as it is after the first use of an installation."""
        self.sample()


def import_task(_: Subject) -> ImportTask:
    """Milliseconds of the import of the package, after numpy's."""
    return ImportTask("import ortcffi")


def first_use_task(_: Subject) -> ImportTask:
    """Milliseconds until the first array, including imports that the package defers."""
    imports = "import ortcffi; ortcffi.core_api().default_allocator.empty(1)"
    return ImportTask(imports)


def session_import_task(statement: str, subject: Subject) -> ImportTask:
    """Milliseconds until the class of sessions is there: the official one for the real library."""
    official = "import onnxruntime; onnxruntime.InferenceSession"
    imports = statement if subject.name == "core" else official
    return ImportTask(imports)
