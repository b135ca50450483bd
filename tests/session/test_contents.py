# SPDX-License-Identifier: MIT
"""Sequences and maps that runs of a `Session` return: Python's own objects."""

import gc
import os
import sys
import weakref

import numpy as np
import pytest
from support.models import model, node, pairs, sequence_type, tensor_type, value, value_info, zipped
from support.paths import CHECKOUT
from support.processes import PYTEST, run

import ortcffi as ort
from ortcffi import ffi, lib

SHAPES = [(3, 2), (2, 0), (0, 2), (), (1, 2, 3), (2000,)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16", "bool"])
def test_tensors_of_a_sequence_are_lists(opened, dtype, shape):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    session = opened(pairs(dtype))
    (found,) = session.run(x=x)
    assert found == [x.tolist()] * 2
    (value,) = session.run_values(x=x)
    assert value.to_python() == found
    value.close()


@pytest.mark.parametrize("shape", [(), (2,), (2, 1), (0,)])
def test_strings_of_a_sequence_are_lists(opened, shape):
    x = np.full(shape, "ä" * 20, object)
    assert opened(pairs("str")).run(x=x) == [[x.tolist()] * 2]


@pytest.mark.parametrize(
    ("dtype", "given", "wanted"),
    [
        ("float32", [[1, 2], [3.5], []], [[1, 2], [3.5], []]),
        ("float32", [np.ones(2, np.float32), 2], [[1, 1], 2]),
        ("str", [["a"], []], [["a"], []]),
    ],
)
def test_lists_of_a_sequence_become_arrays_of_the_models_dtype(opened, dtype, given, wanted):
    kind = sequence_type(tensor_type(dtype))
    ports = [[value_info(name, kind)] for name in "xy"]
    assert opened(model([node("Identity", "x", "y")], *ports)).run(x=given) == [wanted]


def test_maps_are_dicts(opened):
    session = opened(zipped(classlabels_strings=["b", "a"]))
    x = np.array([[0.5, 1.5], [2.5, 3.5]], np.float32)
    rows = [{"a": 1.5, "b": 0.5}, {"a": 3.5, "b": 2.5}]
    assert session.run(x=x) == [rows]
    (value,) = session.run_values(x=x)
    assert value.to_python() == rows
    value.close()


# --- sequences that share the memory of tensors ---------------------------------------------------


def appended():
    """y = the sequence x and then t."""
    kind = sequence_type(tensor_type("float32"))
    nodes = [node("SequenceInsert", "x t", "y")]
    return model(nodes, [value_info("x", kind), value("t")], [value_info("y", kind)])


def test_a_value_keeps_the_tensors_of_a_sequence_that_was_an_input(opened):
    x = [np.ones(1000, np.float32)]
    array = weakref.ref(x[0])
    (found,) = opened(appended()).run_values(x=x, t=np.zeros(2, np.float32))
    del x
    gc.collect()
    assert found.to_python() == [[1.0] * 1000, [0.0] * 2]
    assert array() is not None
    found.close()
    del found
    gc.collect()
    assert array() is None


def test_an_output_of_a_binding_keeps_the_tensors_of_a_sequence(opened):
    x = [np.ones(1000, np.float32)]
    array = weakref.ref(x[0])
    with opened(appended()).bind(x=x, t=np.zeros(2, np.float32)) as bound:
        bound.run()
        (found,) = bound.output_values()
        bound.bind(x=[np.zeros(1, np.float32)])
        del x
        gc.collect()
        assert array() is not None
        found.close()


# --- members that are taken out of the sequence ---------------------------------------------------


class Taking:
    """A session on a real library's table that counts calls of GetValue."""

    def __init__(self, made, real_api, *, shows_layout, fails_at=None):
        self.taken = 0
        table = ffi.new("OrtApi*", real_api.pointer[0])

        def fail(*_arguments):
            return lib.CreateStatus(real_api.pointer, 1, b"as the test wants it")

        def take(value, place, allocator, out):
            self.taken += 1
            if self.taken == fails_at:
                return fail()
            return lib.GetValue(real_api.pointer, value, place, allocator, out)

        self.kept = [ffi.callback(ffi.typeof(table.GetValue), take)]
        table.GetValue = self.kept[0]
        if not shows_layout:
            self.kept.append(ffi.callback(ffi.typeof(table.CreateValue), fail))
            table.CreateValue = self.kept[1]
        facts = {"version": real_api.version, "version_string": "", "library": real_api.library}
        self.session = ort.Session(made, api=ort.Api(table, **facts))

    def run(self, x):
        with self.session:
            return self.session.run(x=x)


@pytest.mark.parametrize(
    ("shows_layout", "wanted", "taken"),
    [(True, "1", (0, 0)), (True, "0", (12, 2)), (False, "1", (12, 2))],
)
def test_members_are_taken_out_where_they_are_not_read_in_place(
    real_api, monkeypatch, shows_layout, wanted, taken
):
    monkeypatch.setenv("ORTCFFI_READ_IN_PLACE", wanted)
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
    maps = Taking(zipped(classlabels_strings=["c", "a", "b"]), real_api, shows_layout=shows_layout)
    assert maps.run(x) == [[{"a": a, "b": b, "c": c} for c, a, b in x.tolist()]]
    tensors = Taking(pairs("float32"), real_api, shows_layout=shows_layout)
    assert tensors.run(x) == [[x.tolist()] * 2]
    if taken != (0, 0) or sys.platform == "linux":
        assert (maps.taken, tensors.taken) == taken


def test_sequences_are_the_same_without_reading_in_place():
    files = ["tests/session/test_contents.py", "tests/values/test_value_containers.py"]
    environment = {**os.environ, "ORTCFFI_READ_IN_PLACE": "0"}
    others = f"not {test_sequences_are_the_same_without_reading_in_place.__name__}"
    run(*PYTEST, "-q", "-k", others, *files, cwd=CHECKOUT, env=environment)


@pytest.mark.parametrize("fails_at", range(1, 7))
def test_a_member_that_cannot_be_taken_out_is_an_error(real_api, fails_at):
    made = zipped(classlabels_int64s=[1, 2])
    maps = Taking(made, real_api, shows_layout=False, fails_at=fails_at)
    with pytest.raises(ort.errors.Fail, match="as the test wants it"):
        maps.run(np.ones((2, 2), np.float32))
    assert maps.taken == fails_at
