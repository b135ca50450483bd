# SPDX-License-Identifier: MIT
"""Values from Python, compared with the official package's, which has none of strings."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi.errors import check
from ortcffi.status.key_values import KeyValuePairs
from ortcffi.values.value import Value

from .python_tasks import SHAPE, ApiTask
from .subjects import Subject
from .tasks import repeated

STRINGS = [f"item number {i}" for i in range(1000)]


def _official() -> Any:
    """The official package's class of values; None where it is not installed."""
    try:
        from onnxruntime import OrtValue
    except ImportError:
        return None
    return OrtValue


class _Repeated(ApiTask):
    """A task that calls one function without arguments."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.is_real = subject.name == "real"
        self.official = _official() if self.is_real else None
        self.call = self.make_call()

    def make_call(self) -> Callable[[], object]:
        """What to call."""
        raise NotImplementedError

    def run(self, count: int) -> float:
        """Call `count` times; the nanoseconds that passed."""
        return repeated(self.call, count)


class ValueOfArray(_Repeated):
    """A value made from an array, and released."""

    def make_call(self) -> Callable[[], object]:
        """Make it of an image."""
        x = np.zeros(SHAPE, np.float32)
        if self.official is not None:
            return partial(self.official.ortvalue_from_numpy, x)
        return partial(Value.from_numpy, x, api=self.api)


class ArrayOfValue(_Repeated):
    """An array over the memory of a value, made and released."""

    def make_call(self) -> Callable[[], object]:
        """Make it of an image."""
        x = np.zeros(SHAPE, np.float32)
        if self.official is not None:
            return self.official.ortvalue_from_numpy(x).numpy  # type: ignore[no-any-return]
        return Value.from_numpy(x, api=self.api).numpy


class FourStrings(_Repeated):
    """A value made from an array of four strings."""

    def make_call(self) -> Callable[[], object]:
        """Make it."""
        return partial(Value.from_numpy, np.array(STRINGS[:4]), api=self.api)


class HandleOfValue(_Repeated):
    """The handle of a value, read and dropped."""

    def make_call(self) -> Callable[[], object]:
        """Get it."""
        return partial(attrgetter("handle"), Value.from_numpy(np.zeros(3), api=self.api))


class ValueOfOfficial(_Repeated):
    """A value over the memory of the official package's, or of an array where that is missing."""

    def make_call(self) -> Callable[[], object]:
        """Make it."""
        official, x = _official(), np.zeros(SHAPE, np.float32)
        source = x if official is None else official.ortvalue_from_numpy(x)
        return partial(Value.from_dlpack, source, api=self.api)


class PairLookUp(_Repeated):
    """A look-up of a key among 40,000, by the slot."""

    def make_call(self) -> Callable[[], object]:
        """Look it up."""
        self.pairs = KeyValuePairs({f"key {i}": "value" for i in range(40_000)}, self.api)
        return partial(lib.GetKeyValue, self.api.pointer, self.pairs.handle, b"key 39000")


class Strings(_Repeated):
    """A tensor made from a list of strings, and a list made from it.

    For the real library this is written by hand: with the same functions of its table, and
    conversions in Python.
    """

    def make_call(self) -> Callable[[], object]:
        """Make both."""
        if self.is_real:
            return self.by_hand
        return self.by_value

    def by_value(self) -> object:
        """With this package."""
        return Value.from_strings(STRINGS, api=self.api).to_python()

    def by_hand(self) -> object:
        """With the C functions alone."""
        api, count, out = self.api.pointer, len(STRINGS), ffi.new("OrtValue**")
        texts = [ffi.new("char[]", text.encode()) for text in STRINGS]
        allocator, shape = self.api.default_allocator.handle, ffi.new("int64_t[]", [count])
        kind = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
        check(api, lib.CreateTensorAsOrtValue(api, allocator, shape, 1, kind, out), None)
        check(api, lib.FillStringTensor(api, out[0], ffi.new("char*[]", texts), count), None)
        length, offsets = ffi.new("size_t*"), ffi.new("size_t[]", count)
        check(api, lib.GetStringTensorDataLength(api, out[0], length), None)
        content = ffi.new("char[]", length[0])
        size = length[0]
        check(api, lib.GetStringTensorContent(api, out[0], content, size, offsets, count), None)
        lib.ReleaseValue(api, out[0])
        whole, ends = bytes(ffi.buffer(content, size)), [*offsets, size]
        return [whole[ends[i] : ends[i + 1]].decode() for i in range(count)]
