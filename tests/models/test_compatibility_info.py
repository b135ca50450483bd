# SPDX-License-Identifier: MIT
"""What execution providers leave in compiled models, read without loading the models."""

import random

import pytest
from support.graphs import parsed
from support.releases import needs_release

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.errors import check
from ortcffi.memory.blocks import scratch_for

onnx = pytest.importorskip("onnx")
DecodeError = pytest.importorskip("google.protobuf.message").DecodeError
needs_slot = needs_release(24, "GetCompatibilityInfoFromModel")
KEY = "ep_compatibility_info.MyEP"


def asked(api: ort.Api, slot: str, *arguments: object) -> bytes | None:
    """The answer for a provider, from either slot."""
    allocator, out = scratch_for(api), ffi.new("char**")
    call = getattr(lib, slot)
    check(api.pointer, call(api.pointer, *arguments, b"MyEP", allocator, out), slot)
    return ffi.string(out[0]) if out[0] else None


def asked_of_bytes(api: ort.Api, content: bytes) -> bytes | None:
    return asked(api, "GetCompatibilityInfoFromModelBytes", content, len(content))


def model(entries: dict[str, str]) -> bytes:
    made = onnx.load_from_string(parsed("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    onnx.helper.set_model_props(made, entries)
    return made.SerializeToString()


@needs_slot
@pytest.mark.parametrize(
    "text", ["", "v1", "äöü", "x" * 100_000], ids=["empty", "short", "not ASCII", "long"]
)
def test_the_text_of_a_provider_is_read_from_bytes_and_files(api, tmp_path, text):
    content = model({"a": "b", KEY + "2": "of another", KEY: text})
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert asked_of_bytes(api, content) == text.encode()
    assert asked(api, "GetCompatibilityInfoFromModel", str(path).encode()) == text.encode()


@needs_slot
def test_a_model_without_the_text_has_none(api):
    assert asked_of_bytes(api, model({"a": "b"})) is None


def test_a_model_cut_off_anywhere_is_refused_or_read(core_api):
    content = model({"a": "b", KEY: "v1"})
    answers = []
    for size in range(1, len(content)):
        try:
            answers.append(asked_of_bytes(core_api, content[:size]))
        except ort.errors.InvalidGraph as error:
            answers.append(error.message)
    assert set(answers) == {
        None,
        "GetCompatibilityInfoFromModelBytes: the bytes are no ONNX model",
    }


def test_changed_bytes_are_read_as_onnx_reads_them_or_refused_by_one(core_api):
    random.seed(7)
    content = model({"a": "b", KEY: "v1"})
    read_by_both = 0
    for _ in range(2000):
        changed = bytearray(content)
        changed[random.randrange(len(changed))] = random.randrange(256)
        try:
            ours = asked_of_bytes(core_api, bytes(changed))
            theirs = onnx.ModelProto.FromString(bytes(changed)).metadata_props
        except (ort.errors.InvalidGraph, DecodeError):
            continue
        read_by_both += 1
        expected = [entry.value for entry in theirs if entry.key == KEY]
        # onnx gives bytes where they are not UTF-8; a C string ends at a null byte.
        first = expected[0] if expected else None
        text = first.encode() if isinstance(first, str) else first
        assert ours == (None if text is None else text.partition(b"\0")[0])
    assert read_by_both > 500
