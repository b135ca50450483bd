# SPDX-License-Identifier: MIT
"""Reading the binding's objects: what is not known is refused, and nothing crashes."""

import ctypes
import random

import pytest

from ortcffi._native import ffi, lib
from ortcffi.official import layout


def read(address: int, size: int = 8) -> bytes | None:
    out = ffi.new("char[]", size)
    return bytes(ffi.buffer(out)) if lib.ortcffi_read_memory(address, out, size) else None


def test_memory_of_the_process_is_read():
    text = ctypes.create_string_buffer(b"readable")
    assert read(ctypes.addressof(text)) == b"readable"


@pytest.mark.parametrize("address", [0, 8, 4096, 2**47, 2**63 - 8, 2**64 - 8])
def test_memory_that_is_not_there_is_not_read(address):
    assert read(address) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_search_over_random_words_finds_no_session(seed):
    chance = random.Random(seed)
    words = (ctypes.c_uint64 * 64)(
        *[chance.getrandbits(chance.choice([8, 48, 64])) for _ in range(64)]
    )
    assert layout._type_name(ctypes.addressof(words)) == b""
    assert [layout._type_name(word) for word in words] == [b""] * 64


def test_an_object_whose_type_lies_about_its_module_is_refused():
    fake = type(
        "InferenceSession", (), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"}
    )
    with pytest.raises(layout.UnknownLayoutError, match="holds no official session"):
        layout.session_pointer(fake())


def test_an_object_whose_conduit_lies_is_refused():
    class Liar:
        def _pybind11_conduit_v1_(self, *_arguments):
            return 5

    with pytest.raises(layout.UnknownLayoutError):
        layout.pointer_of(Liar(), layout.VALUE)


def test_an_object_whose_conduit_raises_is_refused():
    class Raises:
        def _pybind11_conduit_v1_(self, *_arguments):
            raise KeyboardInterrupt

    with pytest.raises(layout.UnknownLayoutError):
        layout.pointer_of(Raises(), layout.VALUE)


def test_a_binding_with_no_session_inside_is_refused(monkeypatch):
    words = (ctypes.c_uint64 * 16)()
    monkeypatch.setattr(layout, "_size_of", lambda _address: 128)
    monkeypatch.setattr(layout, "_instance_of", lambda _binding: ctypes.addressof(words))
    with pytest.raises(layout.UnknownLayoutError, match="0 words that point to a session"):
        layout.session_pointer(object())


@pytest.mark.parametrize("name", ["OrtValue", "OrtMemoryInfo", "RunOptions", "SessionOptions"])
def test_an_object_that_was_never_constructed_is_refused(name):
    module = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
    kind = getattr(module, name)
    if not hasattr(kind, "_pybind11_conduit_v1_"):
        pytest.skip("objects of this release are not reached")
    kinds = [layout.VALUE, layout.MEMORY_INFO, layout.RUN_OPTIONS, *layout.SESSION_OPTIONS]
    with pytest.raises(layout.UnknownLayoutError, match=f"{name} was never constructed"):
        layout.pointer_of(kind.__new__(kind), *kinds)
