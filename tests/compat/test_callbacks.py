# SPDX-License-Identifier: MIT
"""Functions that options and compilers are given: their errors, and how long they live."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from support.graphs import graph_of
from support.releases import needs_release, official_since

from ortcffi import compat
from ortcffi.compat._context_data import writer_of


class OwnError(Exception):
    """An exception of the program's own."""


def options_with(onnxruntime, select):
    options = onnxruntime.SessionOptions()
    options.set_provider_selection_policy_delegate(select)
    return options


@pytest.fixture
def weighty() -> bytes:
    """Y = X + W, with an initializer W."""
    graph = graph_of("X f4[64]", "Y = Add X W", "Y f4[64]", W=np.arange(64, dtype=np.float32))
    return graph.to_bytes()


@pytest.mark.parametrize("error", [ValueError, KeyError, OwnError, NotImplementedError])
@pytest.mark.parametrize("what", ["stream", "locate", "select"])
def test_an_error_of_a_function_is_a_failure(onnxruntime, state, weighty, what, error):
    def fail(*_arguments):
        raise error("of the function")

    options, make = onnxruntime.SessionOptions(), onnxruntime.ModelCompiler
    call = {
        "stream": lambda: make(options, weighty).compile_to_stream(fail),
        "locate": lambda: make(
            options, weighty, get_initializer_location_func=fail
        ).compile_to_bytes(),
        "select": lambda: onnxruntime.InferenceSession(weighty, options_with(onnxruntime, fail)),
    }
    with pytest.raises(state.Fail, match=f"{error.__name__}: .*of the function"):
        call[what]()


def test_a_compiler_keeps_the_function_that_chooses_devices(onnxruntime, squares):
    def first(devices, *_rest):
        return devices[:1]

    gone = weakref.ref(first)
    compiler = onnxruntime.ModelCompiler(options_with(onnxruntime, first), squares)
    del first
    gc.collect()
    assert gone() is not None
    assert compiler.compile_to_bytes()
    del compiler
    gc.collect()
    assert gone() is None


def test_functions_for_the_data_of_contexts_are_kept_until_they_are_cleared(onnxruntime, squares):
    def read(_name, _output):
        return None

    gone = weakref.ref(read)
    options = onnxruntime.SessionOptions()
    options.set_ep_context_data_read_func(read, 1)
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    compiler.set_ep_context_data_write_func(read)
    del read
    assert onnxruntime.InferenceSession(squares, options).get_providers()  # the CPU needs none
    assert compiler.compile_to_bytes()
    options.clear_ep_context_data_read_func()
    compiler.clear_ep_context_data_write_func()
    gc.collect()
    assert gone() is None


@needs_release(31, "functions for the data of compiled models")
def test_the_data_of_contexts_is_written_to_a_buffer_while_it_is_read():
    kept = []

    def read(name, buffer):
        kept.append(buffer)
        assert (buffer.max_size, buffer.size, buffer.is_allocated) == (10, 0, False)
        for wrong in (lambda: buffer.write(b"x"), lambda: buffer.allocate(11)):
            with pytest.raises((RuntimeError, ValueError)):
                wrong()
        buffer.allocate(len(name) + 2)
        buffer.write(name.encode(), 1)
        with pytest.raises(ValueError, match="more than the buffer has"):
            buffer.write(b"12", len(name) + 1)
        with pytest.raises(RuntimeError, match="allocate was called before"):
            buffer.allocate(1)

    options = compat.SessionOptions()
    options.set_ep_context_data_read_func(read, 10)
    assert options._options.ep_context_reader("name") == b"\0name\0"
    with pytest.raises(RuntimeError, match="only during its callback"):
        kept[0].write(b"x")
    options.set_ep_context_data_read_func(lambda *_arguments: None, 10)
    with pytest.raises(RuntimeError, match="must call allocate"):
        options._options.ep_context_reader("name")


def test_the_data_of_contexts_is_read_while_it_is_written():
    kept = []

    def write(name, data):
        kept.append((name, data, data.size, data.read(), data.read(1, 2), data.read(4)))

    writer_of(write)("name", b"1234")
    name, data, *found = kept[0]
    assert (name, *found) == ("name", 4, b"1234", b"23", b"")
    with pytest.raises(RuntimeError, match="only during its callback"):
        data.read()
    for kind in (compat.OrtEpContextData, compat.OrtEpContextDataBuffer):
        with pytest.raises(TypeError, match="No constructor"):
            kind()


@official_since(32)
@pytest.mark.parametrize("directory", ["made/", b"made/", "made/model.onnx", Path("model.onnx")])
def test_a_place_for_files_of_providers_is_taken_unless_it_is_none(
    onnxruntime, state, squares, directory
):
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    for place, text in (
        (("", "model"), "output_dir or model_name is empty"),
        (("made/", ""), "output_dir or model_name is empty"),
        (("made", "model"), "output_dir is not a valid directory"),
    ):
        with pytest.raises(state.InvalidArgument, match=text):
            compiler.set_ep_context_binary_information(*place)
    compiler.set_ep_context_binary_information(directory, "model")
    assert len(compiler.compile_to_bytes()) > 100
