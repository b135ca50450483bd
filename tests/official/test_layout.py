# SPDX-License-Identifier: MIT
"""Reading the binding's objects: what is not known is refused, and nothing crashes."""

import ctypes
import random

import pytest
from support import models

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
def test_random_words_point_to_no_session(seed):
    chance = random.Random(seed)
    words = [chance.getrandbits(chance.choice([8, 48, 64])) for _ in range(64)]
    memory = (ctypes.c_uint64 * 64)(*words)
    assert layout._type_name(ctypes.addressof(memory)) == b""
    assert [layout._type_name(word) for word in words] == [b""] * 64


def test_an_object_whose_type_lies_about_its_module_is_refused():
    fake = type(
        "InferenceSession", (), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"}
    )
    with pytest.raises(layout.UnknownLayoutError, match="holds no C"):
        layout.session_pointer(fake(), "1.32.0")


def test_an_object_whose_conduit_lies_is_refused():
    class Liar:
        def _pybind11_conduit_v1_(self, *_arguments):
            return 5

    with pytest.raises(layout.UnknownLayoutError):
        layout.pointer_of(Liar(), layout.VALUE)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(LookupError, layout.UnknownLayoutError), (KeyboardInterrupt, KeyboardInterrupt)],
)
def test_an_object_whose_conduit_raises_is_refused_and_an_interrupt_stays_one(error, expected):
    class Raises:
        def _pybind11_conduit_v1_(self, *_arguments):
            raise error

    with pytest.raises(expected):
        layout.pointer_of(Raises(), layout.VALUE)


def test_a_binding_with_no_session_inside_is_refused(monkeypatch):
    words = (ctypes.c_uint64 * 16)()
    monkeypatch.setattr(layout, "pointer_of", lambda *_: ctypes.addressof(words))
    with pytest.raises(layout.UnknownLayoutError, match="does not point to a session"):
        layout.session_pointer(object(), "1.23.2")


def test_a_session_at_another_place_is_refused():
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(models.add(), providers=["CPUExecutionProvider"])
    binding, release = session._sess, onnxruntime.__version__
    if not hasattr(binding, "_pybind11_conduit_v1_"):
        pytest.skip("objects of this release are not reached")
    other = "1.22.0" if layout._place_in(release) == layout._place_in("1.32.0") else "1.32.0"
    with pytest.raises(layout.UnknownLayoutError, match="does not point to a session"):
        layout.session_pointer(binding, other)


@pytest.mark.parametrize("release", ["1.20.1", "1.33.0", "2.0", "unknown"])
def test_a_release_that_is_not_known_is_refused(monkeypatch, release):
    monkeypatch.setattr(layout, "pointer_of", lambda *_: 8)
    with pytest.raises(layout.UnknownLayoutError, match="is not known"):
        layout.session_pointer(object(), release)
