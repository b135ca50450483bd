# SPDX-License-Identifier: MIT
"""Sessions: making them, what they tell of the model, and their end."""

import gc
import mmap
import weakref
from textwrap import dedent

import numpy as np
import pytest
from support import models
from support.prepared import printed_by
from support.releases import needs_release
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi._native import lib


@pytest.mark.parametrize(
    "kind", ["path", "str", "bytes", "bytearray", "memoryview", "array", "closed map"]
)
def test_a_model_runs_from_a_path_or_what_holds_its_bytes(tmp_path, opened, x, kind):
    path, content = tmp_path / "add.onnx", models.add()
    path.write_bytes(content)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        given = {"path": path, "str": str(path), "closed map": mapped, "bytes": content}
        given |= {"bytearray": bytearray(content), "memoryview": memoryview(content)}
        session = opened((given | {"array": np.frombuffer(content, np.uint8)})[kind])
    assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


def test_a_session_tells_names_and_types(opened):
    session = opened(models.two_inputs())
    assert [spec.name for spec in session.inputs] == ["a", "b"]
    assert [spec.name for spec in session.outputs] == ["s", "d"]
    spec = session.inputs[0]
    assert spec.kind is ort.ValueKind.TENSOR
    assert spec.element_type is ort.ElementType.INT64
    assert spec.dtype == np.int64
    assert spec.shape == ("n",)
    assert spec.describe() == "int64[n]"
    assert spec.type_info == ort.TypeInfo.tensor("int64", ["n"])
    assert session.overridable_initializers == ()
    assert repr(spec) == "<ValueSpec 'a' int64[n]>"


def test_an_open_dimension_without_a_name_is_minus_one(opened):
    session = opened(models.identity(shape=(None, 4)))
    assert session.inputs[0].shape == (-1, 4)
    assert session.inputs[0].describe() == "float[?, 4]"


def test_a_tensor_of_any_shape_has_none_and_runs_with_each(opened):
    session = opened(models.identity(shape=None))
    assert session.inputs[0].shape is None
    for shape in [(), (3,), (2, 0), (1, 2, 3, 4)]:
        x = np.ones(shape, np.float32)
        assert session.run({"x": x})[0].shape == shape


@needs_release(24, "a function that tells scalars")
def test_a_scalar_has_an_empty_shape(opened):
    session = opened(models.identity(shape=()))
    assert session.inputs[0].shape == ()
    assert session.run({"x": np.float32(2)})[0] == 2
    assert session.run({"x": np.ones(2, np.float32)})[0].tolist() == [1, 1]  # as in the library


def test_an_initializer_that_is_an_input_can_be_overridden(opened, x):
    inputs = [models.value("x", shape=(1, 4)), models.value("w", shape=(1, 4))]
    weights = models.tensor("w", np.full((1, 4), 10, np.float32))
    node = models.node("Add", "x w", "y")
    session = opened(models.model([node], inputs, [models.value("y", shape=(1, 4))], [weights]))
    assert [spec.name for spec in session.inputs] == ["x"]
    assert [spec.name for spec in session.overridable_initializers] == ["w"]
    assert session.run({"x": x})[0].tolist() == [[11, 12, 13, 14]]
    assert session.run({"x": x, "w": x})[0].tolist() == [[2, 4, 6, 8]]
    with pytest.raises(ort.errors.InvalidArgument, match="input 'w' is complex128"):
        session.run({"x": x, "w": x.astype(complex)})


# --- which library --------------------------------------------------------------------------------


def test_the_core_has_no_engine_and_names_the_installed_library(core_api):
    with pytest.raises(
        ort.errors.NotImplemented, match=r"no execution provider.*pass api=ortcffi\.load\(\)"
    ):
        ort.Session(models.add(), api=core_api)


def test_the_default_table_is_taken_if_it_has_an_engine(real_api, opened):
    before = ort.default_api()
    try:
        ort.init_api(real_api)
        assert opened(models.add()).api == real_api
    finally:
        ort.init_api(before)


def test_without_a_library_the_error_says_what_to_install_or_what_is_no_model():
    code = """
        import importlib.util, os, sys
        import ortcffi as ort
        from ortcffi.table import load
        load.installed_libraries = lambda: []
        load.SYSTEM_NAMES = ["libno-such-library.so"]
        try:
            ort.Session("model.onnx")
        except ort.LibraryNotFound as error:
            assert "pip install onnxruntime" in str(error), error
            assert error.remedy
        else:
            sys.exit("no error")
        for make in (ort.Session, ort.compile_model):
            try:
                make(None)
            except TypeError as error:
                assert "model must be a path or bytes-like" in str(error), error
            else:
                sys.exit(f"{make}: no error")
    """
    printed_by(dedent(code))


def test_options_of_the_core_are_copied_for_the_library(opened, x):
    options = ort.SessionOptions(
        intra_op_threads=1, log_id="mine", config={"session.disable_prepacking": "1"}
    )
    assert options.api.is_core
    options.fix_dimension("n", 4)
    session = opened(models.identity(shape=(1, "n")), options)
    assert session.inputs[0].shape == (1, 4)
    assert session.run({"x": x})[0].tolist() == x.tolist()


def test_initializers_of_the_core_are_shared_with_the_library(opened, x):
    weights = np.full((1, 4), 5, np.float32)
    inputs, outputs = [models.value("x", shape=(1, 4))], [models.value("y", shape=(1, 4))]
    initial = models.tensor("w", np.zeros((1, 4), np.float32))
    content = models.model([models.node("Add", "x w", "y")], inputs, outputs, [initial])
    options = ort.SessionOptions(config={"session.disable_prepacking": "1"})
    options.add_initializer("w", ort.Value.from_numpy(weights))
    session = opened(content, options)
    del options
    gc.collect()
    assert session.run({"x": x})[0].tolist() == [[6, 7, 8, 9]]


def test_arguments_of_wrong_types_are_named():
    with pytest.raises(TypeError, match="model must be a path or bytes-like, not int"):
        ort.Session(5)
    proto = pytest.importorskip("onnx").ModelProto()
    for opens in (ort.Session, ort.Model.load):
        with pytest.raises(TypeError, match=r"not ModelProto; its SerializeToString\(\) gives"):
            opens(proto)
    with pytest.raises(TypeError, match="options must be SessionOptions, not dict"):
        ort.Session(models.add(), {})
    with pytest.raises(TypeError, match="env must be Env, not int"):
        ort.Session(models.add(), env=5)
    with pytest.raises(TypeError, match="prepacked_weights must be PrepackedWeights, not int"):
        ort.Session(models.add(), prepacked_weights=5)
    with pytest.raises(ValueError, match="null character"):
        ort.Session("model\0.onnx")


def test_a_session_runs_where_its_environment_is():
    with (
        ort.Env("core", ort.core_api()) as env,
        pytest.raises(NotImplementedError, match=r"no execution provider .* runs node"),
    ):
        ort.Session(models.add(), env=env)


def test_what_belongs_to_the_core_is_refused_by_name():
    with ort.Env() as env, pytest.raises(ValueError, match="env belongs to"):
        ort.Session(models.add(), api=ort.load(), env=env)
    with ort.PrepackedWeights() as weights, pytest.raises(ValueError, match="prepacked_weights"):
        ort.Session(models.add(), prepacked_weights=weights)


# --- errors of loading ----------------------------------------------------------------------------


def test_what_is_no_model_has_a_typed_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.onnx"):
        ort.Session(tmp_path / "no.onnx")
    for content in (b"", b"\0" * 64, b"not a model", models.add()[:-7]):
        with pytest.raises(ort.OrtError):
            ort.Session(content)


# --- the end --------------------------------------------------------------------------------------


def test_a_session_that_was_never_made_says_so(x):
    session = ort.Session.__new__(ort.Session)
    assert session.closed
    with pytest.raises(ValueError, match="no library has made this Session yet"):
        session.run({"x": x})
    with pytest.raises(ValueError, match="never made"):
        session.api  # noqa: B018
    session.close()


def test_a_session_goes_with_its_last_reference(x):
    before = lib.ortcffi_live_sessions()
    session = ort.Session(models.add())
    reference = weakref.ref(session)
    assert lib.ortcffi_live_sessions() == before + 1
    (y,) = session.run({"x": x})
    del session
    assert reference() is None
    assert lib.ortcffi_live_sessions() == before
    assert y.tolist() == [[2, 4, 6, 8]]


def test_a_session_outlives_the_close_of_what_it_was_made_with(real_api, x):
    env, options = ort.Env(api=real_api), ort.SessionOptions(real_api, logger=lambda _: None)
    with ort.Session(models.add(), options, env=env) as session:
        env.close()
        options.close()
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


def test_close_in_the_middle_of_runs_lets_them_end():
    session = ort.Session(models.loop(2000, 32))
    big = np.eye(32, dtype=np.float32)
    results = []
    threads = start(*[lambda: results.append(session.run({"x": big}))] * 4)
    wait_until(lambda: session.running == 4 or not any(thread.is_alive() for thread in threads))
    session.close()
    join(*threads)
    assert len(results) == 4
    assert session.closed


def test_options_of_the_official_package_are_distinguished_from_those_of_this_one(x):
    onnxruntime = pytest.importorskip("onnxruntime")
    with pytest.raises(TypeError, match=r"options must be ortcffi\.SessionOptions, not the class"):
        ort.Session(models.add(), onnxruntime.SessionOptions())
    with (
        ort.Session(models.add()) as session,
        pytest.raises(TypeError, match=r"options must be ortcffi\.RunOptions, .* of onnxruntime"),
    ):
        session.run({"x": x}, options=onnxruntime.RunOptions())
