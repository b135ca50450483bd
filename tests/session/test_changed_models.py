# SPDX-License-Identifier: MIT
"""Options that change a model: initializers, files of weights and free dimensions."""

import gc
import weakref

import numpy as np
import pytest
from support import eps
from support.models import (
    dimension,
    external_tensor,
    field,
    model,
    node,
    tensor,
    value,
    value_info,
)
from support.sessions import options_with

import ortcffi as ort

DOMAIN = "changed.models"
X = np.arange(6, dtype=np.float32).reshape(2, 3)
WEIGHTS = np.array([[1, 2, 3]], np.float32)


@ort.custom_op(DOMAIN, inputs=[np.float32, np.float32], outputs=[np.float32])
def plus(x, y):
    return x + y


def with_op(api: ort.Api) -> ort.SessionOptions:
    return options_with(DOMAIN, plus, api=api)


def adding(weights: bytes, *inputs: bytes) -> bytes:
    ports = [value("x", shape=["n", 3]), *inputs]
    outputs = [value("y", shape=["n", 3])]
    return model([node("plus", "x w", "y", DOMAIN)], ports, outputs, [weights], domains={DOMAIN: 1})


PLAIN = adding(tensor("w", WEIGHTS))
EXTERNAL = adding(external_tensor("w", [1, 3], "w.bin", offset=4, length=12))


def given(api: ort.Api, array: np.ndarray) -> ort.Value:
    return ort.Value.from_numpy(array, api=api)


# --- initializers ---------------------------------------------------------------------------------


def test_an_initializer_is_replaced_in_this_session_only_and_a_run_may_override_it(api, opened):
    source = adding(tensor("w", WEIGHTS), value("w", shape=[1, 3]))
    options = with_op(api)
    options.add_initializer("w", given(api, WEIGHTS * 10))
    changed, plain = (opened(source, each, api=api) for each in (options, with_op(api)))
    np.testing.assert_array_equal(changed.run(x=X)[0], X + WEIGHTS * 10)
    np.testing.assert_array_equal(changed.run(x=X, w=WEIGHTS * 3)[0], X + WEIGHTS * 3)
    np.testing.assert_array_equal(plain.run(x=X)[0], X + WEIGHTS)


@pytest.mark.parametrize("wrong", [WEIGHTS.astype(np.float64), X, WEIGHTS[0]])
def test_another_element_type_or_shape_is_refused(core_api, wrong):
    options = with_op(core_api)
    options.add_initializer("w", given(core_api, wrong))
    words = "initializer 'w' is replaced with a tensor of another element type or shape"
    with pytest.raises(ort.errors.InvalidArgument, match=words):
        ort.Session(PLAIN, options, api=core_api)


def test_the_result_of_a_constant_node_is_an_initializer_as_well(api, opened):
    nodes = [
        node("Constant", "", "w", value=WEIGHTS),
        node("plus", "x w", "y", DOMAIN),
    ]
    ports = [value("x", shape=["n", 3])], [value("y", shape=["n", 3])]
    source = model(nodes, *ports, domains={DOMAIN: 1})
    for array, is_fine in ((WEIGHTS * 10, True), (X, False)):
        options = with_op(api)
        options.add_initializer("w", given(api, array))
        if is_fine:
            session = opened(source, options, api=api)
            np.testing.assert_array_equal(session.run(x=X)[0], X + array)
        elif api.is_core:
            with pytest.raises(ort.errors.InvalidArgument, match="another element type or shape"):
                ort.Session(source, options, api=api)


def test_a_session_keeps_what_replaces_an_initializer(api):
    array = WEIGHTS * 10
    token = weakref.ref(array)
    options = with_op(api)
    with given(api, array) as weights:
        options.add_initializer("w", weights)
    with ort.Session(PLAIN, options, api=api) as session:
        options.close()
        del array, weights, options
        gc.collect()
        np.testing.assert_array_equal(session.run(x=X)[0], X + WEIGHTS * 10)
    del session
    gc.collect()
    assert token() is None


# --- external data --------------------------------------------------------------------------------


def test_external_initializers_and_files_of_weights_may_be_in_memory(api, opened):
    by_value, by_file = with_op(api), with_op(api)
    by_value.add_external_initializers({"w": given(api, WEIGHTS * 10)})
    by_file.add_external_files({"w.bin": np.arange(4, dtype=np.float32), "v.bin": X})
    for options, w in ((by_value, WEIGHTS * 10), (by_file, np.arange(1, 4))):
        np.testing.assert_array_equal(opened(EXTERNAL, options, api=api).run(x=X)[0], X + w)


@pytest.mark.parametrize(
    ("source", "name", "array"),
    [
        (PLAIN, "w", WEIGHTS),
        (EXTERNAL, "v", WEIGHTS),
        (EXTERNAL, "x", WEIGHTS),
        (EXTERNAL, "w", X),
        (EXTERNAL, "w", WEIGHTS.astype(np.float64)),
    ],
    ids=["not external", "no such name", "an input", "shape", "type"],
)
def test_what_is_no_external_initializer_is_refused(api, source, name, array):
    options = with_op(api)
    options.add_external_initializers({name: given(api, array)})
    with pytest.raises(ort.OrtError, match=f"{name}|does not match|do not match|non-external"):
        ort.Session(source, options, api=api)


@pytest.mark.parametrize(
    ("name", "count"), [("w.bin", 3), ("w.bin", 0), ("v.bin", 4)], ids=["short", "empty", "other"]
)
def test_files_in_memory_that_lack_the_weights_are_refused(api, tmp_path, name, count):
    # Also beside a file that has them: options that give files give all of them.
    (tmp_path / "w.bin").write_bytes(bytes(16))
    (tmp_path / "model.onnx").write_bytes(EXTERNAL)
    options = with_op(api)
    options.add_external_files({name: np.arange(count, dtype=np.float32)})
    with pytest.raises(ort.OrtError, match=r"w\.bin|'w'|: w "):
        ort.Session(tmp_path / "model.onnx", options, api=api)


# --- free dimensions ------------------------------------------------------------------------------


def test_a_fixed_dimension_is_that_of_the_inputs(api, opened):
    options = with_op(api)
    options.fix_dimension("n", 2)
    options.fix_dimension("n", 5)  # the first one counts
    options.fix_dimension("other", 7)
    session = opened(PLAIN, options, api=api)
    assert session.inputs[0].shape == (2, 3)
    np.testing.assert_array_equal(session.run(x=X)[0], X + WEIGHTS)
    with pytest.raises(ort.errors.InvalidArgument):
        session.run(x=np.ones((1, 3), np.float32))
    options = with_op(api)
    options.fix_dimension("n", -5)  # leaves it free
    session = opened(PLAIN, options, api=api)
    for rows in (X, X[:1]):
        np.testing.assert_array_equal(session.run(x=rows)[0], rows + WEIGHTS)


def test_a_denotation_fixes_the_dimension_that_has_it(api, opened):
    free = dimension("n") + field(3, "DATA_BATCH")
    shape = field(1, free) + field(1, dimension(3))
    kind = field(1, field(1, 1) + field(2, shape))
    outputs = [value("y", shape=["m", 3])]
    nodes, weights = [node("plus", "x w", "y", DOMAIN)], [tensor("w", WEIGHTS)]
    source = model(nodes, [value_info("x", kind)], outputs, weights, domains={DOMAIN: 1})
    options = with_op(api)
    options.fix_dimension("n", 9, is_denotation=True)
    options.fix_dimension("DATA_BATCH", 2, is_denotation=True)
    assert opened(source, options, api=api).inputs[0].shape == (2, 3)
    assert opened(source, with_op(api), api=api).inputs[0].shape == ("n", 3)


# --- what providers see ---------------------------------------------------------------------------


def test_providers_see_what_the_options_change(core_api, opened):
    source = model(
        [node("Add", "x w", "a"), node("Add", "a w", "y")],
        [value("x", shape=["n"])],
        [value("y", shape=["n"])],
        [external_tensor("w", [3], "w.bin", offset=0, length=12)],
    )
    for change in ("value", "file"):
        options = ort.SessionOptions(core_api)
        options.add_devices(eps.adding_devices())
        options.fix_dimension("n", 3)
        if change == "value":
            options.add_external_initializers({"w": given(core_api, WEIGHTS[0])})
        else:
            options.add_external_files({"w.bin": WEIGHTS})
        session = opened(source, options, api=core_api)
        (y,) = session.run(x=WEIGHTS[0])
        np.testing.assert_array_equal(y, 3 * WEIGHTS[0])
        assert session.inputs[0].shape == (3,)
