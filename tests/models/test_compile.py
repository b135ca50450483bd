# SPDX-License-Identifier: MIT
"""Models compiled ahead of time."""

import gc
import io
import os
import weakref

import numpy as np
import pytest
from support.graphs import graph_of
from support.releases import needs_release

import ortcffi as ort

onnx = pytest.importorskip("onnx")


@pytest.fixture
def model(dense) -> bytes:
    return dense.to_bytes()


def compiled(*arguments, **options):
    return onnx.load_from_string(ort.compile_model(*arguments, **options))


def test_bytes_are_compiled_to_bytes(real_api, model):
    assert len(compiled(model, api=real_api).graph.node) == 3


def test_a_function_gets_the_parts_of_the_model(real_api, model):
    stream = io.BytesIO()
    ort.compile_model(model, stream.write, api=real_api)
    assert stream.getvalue() == ort.compile_model(model, api=real_api)


def test_what_the_function_raises_is_the_cause(real_api, model):
    def write(_part):
        raise ConnectionError("the disk has gone")

    with pytest.raises(ort.OrtError) as caught:
        ort.compile_model(model, write, api=real_api)
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_the_optimization_level_counts(real_api):
    graph = graph_of("x f4[1]", "y = Identity x; z = Neg y", "z f4[1]")
    kept = compiled(graph, api=real_api)
    gone = compiled(graph, api=real_api, optimization_level=ort.OptimizationLevel.BASIC)
    assert [len(kept.graph.node), len(gone.graph.node)] == [2, 1]


@needs_release(31, "initializers in memory")
def test_nothing_is_passed_on_where_no_initializer_is_large_enough(real_api, model):
    parts = []
    ort.compile_model(
        model,
        external_initializers="w.bin",
        external_threshold=1 << 40,
        external_output=parts.append,
        api=real_api,
    )
    assert parts == []


@needs_release(31, "functions for the data of compiled models")
def test_a_writer_is_not_called_without_a_provider_that_compiles(real_api, model):
    ort.compile_model(model, ep_context_writer=pytest.fail, api=real_api)


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


def test_the_functions_are_let_go_of(real_api, model):
    class Write:
        def __call__(self, _part):
            self.circle = self

    write = Write()
    gone = weakref.ref(write)
    ort.compile_model(model, write, api=real_api)
    del write
    gc.collect()
    assert gone() is None


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


def test_options_of_the_core_are_copied(real_api, core_api, model):
    with ort.SessionOptions(core_api) as options:
        options.fix_dimension("batch", 3)
        found = compiled(model, options=options, api=real_api)
    assert found.graph.input[0].type.tensor_type.shape.dim[0].dim_value == 3


def test_options_that_only_their_library_can_use_are_refused(real_api, core_api, model):
    with (
        ort.SessionOptions(core_api, device_selector=lambda *_: []) as options,
        pytest.raises(ValueError, match=r"options belong to .* and have device_selector"),
    ):
        ort.compile_model(model, options=options, api=real_api)


def test_a_path_whose_name_is_not_utf_8_is_compiled(real_api, model, tmp_path):
    source, target = (tmp_path / os.fsdecode(name) for name in (b"in\xff.onnx", b"out\xff.onnx"))
    source.write_bytes(model)
    ort.compile_model(source, target, api=real_api)
    assert target.stat().st_size > 0


@pytest.mark.parametrize("length", [1, 64, 300])
def test_a_model_cut_short_is_an_error(real_api, model, length):
    with pytest.raises(ort.OrtError):
        ort.compile_model(model[:length], api=real_api)


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
