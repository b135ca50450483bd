# SPDX-License-Identifier: MIT
"""Models compiled ahead of time, and what providers leave in them."""

import os
import random

import numpy as np
import pytest
from support.graphs import parsed
from support.releases import needs_release

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.errors import check
from ortcffi.memory.blocks import scratch_for

onnx = pytest.importorskip("onnx")


@pytest.fixture
def model(dense) -> bytes:
    return dense.to_bytes()


def compiled(*arguments, **options):
    return onnx.load_from_string(ort.compile_model(*arguments, **options))


def test_that_function_may_keep_initializers(api, dense, model):
    values, arrays = {}, {}

    def locate(name, value, _where):
        values[name], arrays[name] = value, value.numpy()

    ort.compile_model(model, external_initializers=locate, api=api)
    for name, expected in dense.initializers.items():
        np.testing.assert_array_equal(values[name].numpy(), expected)
        np.testing.assert_array_equal(arrays[name], expected)


@pytest.mark.parametrize("answer", [3, ("file", -1, 4), ("", "a", 4), (3, 0, 4)])
def test_a_wrong_answer_of_that_function_is_named(api, model, answer):
    with pytest.raises(ort.OrtError) as caught:
        ort.compile_model(model, external_initializers=lambda *_: answer, api=api)
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))


@pytest.mark.parametrize(
    ("words", "arguments", "options"),
    [
        ("model must be a path", (3,), {}),
        ("model must not be empty", (b"",), {}),
        ("model must not be empty", ("",), {}),
        ("output must be a path", (b"x", 3), {}),
        ("output must not be empty", (b"x", ""), {}),
        ("flags must be from 0", (b"x",), {"flags": -1}),
        ("options must be SessionOptions", (b"x",), {"options": {}}),
        ("api must be an Api", (b"x",), {"api": 3}),
        ("external_initializers must be", (b"x",), {"external_initializers": 3}),
        ("external_output needs external_initializers", (b"x",), {"external_output": print}),
        (
            "external_output must be a callable",
            (b"x",),
            {"external_initializers": "f", "external_output": 3},
        ),
        ("external_alignment must be", (b"x",), {"external_alignment": -1}),
        ("ep_context_writer must be a callable", (b"x",), {"ep_context_writer": 3}),
        ("embed_ep_context must be a bool, not 'no'", (b"x",), {"embed_ep_context": "no"}),
        ("weightless must be a bool, not 'no'", (b"x",), {"weightless": "no"}),
        (
            "external_threshold must be",
            (b"x",),
            {"external_initializers": "f", "external_threshold": -1},
        ),
        (
            "ep_context_name must be a str",
            (b"x",),
            {"ep_context_directory": "d", "ep_context_name": 3},
        ),
    ],
)
def test_a_wrong_argument_is_named(real_api, words, arguments, options):
    with pytest.raises((TypeError, ValueError), match=words):
        ort.compile_model(*arguments, **{"api": real_api, **options})


def test_options_of_the_core_are_copied_but_not_what_only_the_core_can_use(
    real_api, core_api, model
):
    with ort.SessionOptions(core_api) as options:
        options.fix_dimension("batch", 3)
        found = compiled(model, options=options, api=real_api)
        assert found.graph.input[0].type.tensor_type.shape.dim[0].dim_value == 3
        options.device_selector = lambda *_: []
        with pytest.raises(ValueError, match=r"options belong to .* and have device_selector"):
            ort.compile_model(model, options=options, api=real_api)


def test_a_path_whose_name_is_not_utf_8_is_compiled(real_api, model, tmp_path):
    source, target = (tmp_path / os.fsdecode(name) for name in (b"in\xff.onnx", b"out\xff.onnx"))
    source.write_bytes(model)
    ort.compile_model(source, target, api=real_api)
    assert target.stat().st_size > 0


def test_every_option_is_taken_at_once(real_api, model, tmp_path):
    options = ort.SessionOptions(real_api, optimization_level=ort.OptimizationLevel.BASIC)
    found = compiled(
        model,
        options=options,
        embed_ep_context=True,
        ep_context_directory=tmp_path,
        ep_context_name="model.onnx",
        weightless=False,
        optimization_level=ort.OptimizationLevel.ALL,
    )
    assert found.graph.output[0].name == "y"


def test_a_large_initializer_is_not_copied_for_the_library(real_api):
    array = np.zeros(1 << 20, np.float32)
    graph = ort.Graph()
    graph.initializer("w", array)
    array[7] = 42  # after it was added, so that only memory that is shared has it
    graph.node("Identity", ["w"], ["y"])
    graph.output("y", "f4", [1 << 20])
    found = compiled(graph, api=real_api).graph.initializer[0]
    assert onnx.numpy_helper.to_array(found)[7] == 42


# --- what providers leave in compiled models ------------------------------------------------------


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


def model_with(entries: dict[str, str]) -> bytes:
    made = onnx.load_from_string(parsed("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    onnx.helper.set_model_props(made, entries)
    return made.SerializeToString()


@needs_slot
@pytest.mark.parametrize(
    "text", ["", "v1", "äöü", "x" * 100_000], ids=["empty", "short", "not ASCII", "long"]
)
def test_the_text_of_a_provider_is_read_from_bytes_and_files(api, tmp_path, text):
    content = model_with({"a": "b", KEY + "2": "of another", KEY: text})
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert asked_of_bytes(api, content) == text.encode()
    assert asked(api, "GetCompatibilityInfoFromModel", str(path).encode()) == text.encode()


def test_changed_bytes_are_read_as_onnx_reads_them_or_refused_by_one(core_api):
    random.seed(7)
    content = model_with({"a": "b", KEY: "v1"})
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
