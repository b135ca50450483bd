# SPDX-License-Identifier: MIT
"""Sessions: making them, what they are made of, and their end."""

import gc
import mmap

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.releases import needs_release

import ortcffi as ort
from ortcffi import (
    Allocator,
    EpDevice,
    KeyValuePairs,
    MemoryInfo,
    RunOptions,
    Session,
    SessionOptions,
    TensorTypeInfo,
    TypeInfo,
    Value,
    ffi,
)
from ortcffi.env.state import state_of
from ortcffi.session.creation import Source, may_call_python


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


def test_a_tensor_of_any_shape_has_none_and_an_open_dimension_is_minus_one(opened):
    session = opened(models.identity(shape=None))
    assert session.inputs[0].shape is None
    for shape in [(), (3,), (2, 0), (1, 2, 3, 4)]:
        x = np.ones(shape, np.float32)
        assert session.run({"x": x})[0].shape == shape
    (spec,) = opened(models.identity(shape=(None, 4))).inputs
    assert (spec.shape, spec.describe()) == ((-1, 4), "float[?, 4]")


@needs_release(24, "a function that tells scalars")
def test_a_scalar_has_an_empty_shape(opened):
    session = opened(models.identity(shape=()))
    assert session.inputs[0].shape == ()
    assert session.run({"x": np.float32(2)})[0] == 2
    assert session.run({"x": np.ones(2, np.float32)})[0].tolist() == [1, 1]  # as in the library


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
    w = np.zeros((1, 4), np.float32)
    content = graph_of("x f4[1,4]", "y = Add x w", "y f4[1,4]", w=w).to_bytes()
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


# --- the end --------------------------------------------------------------------------------------


def test_options_of_the_official_package_are_distinguished_from_those_of_this_one(x):
    onnxruntime = pytest.importorskip("onnxruntime")
    with pytest.raises(TypeError, match=r"options must be ortcffi\.SessionOptions, not the class"):
        ort.Session(models.add(), onnxruntime.SessionOptions())
    with (
        ort.Session(models.add()) as session,
        pytest.raises(TypeError, match=r"options must be ortcffi\.RunOptions, .* of onnxruntime"),
    ):
        session.run({"x": x}, options=onnxruntime.RunOptions())


# --- how they are made ----------------------------------------------------------------------------


def test_sessions_without_an_environment_share_one_until_the_last_is_closed(real_api, x):
    gc.collect()
    before = len(state_of(real_api).open_envs())
    first, second = (ort.Session(models.add(), api=real_api) for _ in range(2))
    assert len(state_of(real_api).open_envs()) == before + 1
    first.close()
    assert second.run({"x": x})[0].shape == (1, 4)
    second.close()
    assert len(state_of(real_api).open_envs()) == before
    with (
        ort.Env(api=real_api) as env,  # is not shared
        ort.Session(models.add(), env=env),
        ort.Session(models.add(), api=real_api),
    ):
        assert len(state_of(real_api).open_envs()) == before + 2


def test_a_closed_type_does_not_take_that_of_the_session_away(opened):
    session = opened(models.add())
    session.inputs[0].type_info.close()
    assert session.inputs[0].describe() == "float[1, 4]"
    assert str(session.outputs[0].type_info) == "tensor(float[1, 4])"


def test_an_old_table_does_not_tell_a_scalar_from_any_shape(real_api):
    facts = {"path": real_api.path, "library": real_api.library, "version_string": "1.16"}
    old = ort.Api(real_api.pointer, version=16, **facts)
    with ort.Session(models.identity(shape=()), api=old) as session:
        assert session.inputs[0].shape is session.outputs[0].shape is None


# --- bytes that a session reads also after it was made ------------------------------------------

DIRECTLY = "session.use_ort_model_bytes_directly"


@pytest.fixture
def content(real_api, tmp_path):
    """A model in ONNX Runtime's own format."""
    config = {"session.save_model_format": "ORT"}
    path = tmp_path / "model.ort"
    with ort.SessionOptions(real_api, optimized_model_path=path, config=config) as options:
        options.log_severity = ort.LogSeverity.ERROR
        ort.Session(models.scaled(), options).close()
    return bytearray(path.read_bytes())


def assert_is_held(content, session):
    """As long as the session."""
    with pytest.raises(BufferError):
        content.append(0)
    session.close()
    content.append(0)


def test_the_bytes_that_a_session_uses_directly_are_held(real_api, content):
    with ort.SessionOptions(real_api, config={DIRECTLY: "1"}) as options:
        assert_is_held(content, ort.Session(content, options))


# --- used, or closed, while the library makes them ------------------------------------------------


class Shown(ort.Session):
    """Shows itself to others before it is made."""

    shown: "list[ort.Session]" = []  # noqa: RUF012  # shared by all

    def __init__(self, *arguments, **keywords):
        self.shown.append(self)
        super().__init__(*arguments, **keywords)


def test_a_session_that_the_library_has_not_made_is_refused(real_api):
    session = ort.Session.__new__(ort.Session)
    with pytest.raises(ValueError, match="the library has made no session"):
        session._open(real_api, Source(lambda _env, _options, _out: None))
    with pytest.raises(ValueError, match="no library has made this Session yet"):
        _ = session.inputs
    assert session.closed


@pytest.fixture
def make(real_api):
    """``make(act, env=env)`` makes a session; while the library does, its logger calls ``act``."""
    messages = []

    def make(act, env=None):
        def log(message):
            messages.append(message)
            if len(messages) == 1:
                act(Shown.shown[-1])

        severity = ort.LogSeverity.VERBOSE
        config = {"session.use_env_allocators": "1"}
        options = ort.SessionOptions(real_api, log_severity=severity, logger=log, config=config)
        return Shown(models.matmul(), options, env=env)

    yield make
    assert messages
    Shown.shown.clear()


def test_a_session_that_its_logger_closes_is_released_as_soon_as_it_is_made(make, real_api):
    with ort.Env(api=real_api) as env, ort.Tracking(ort.core_api().default_allocator) as tracking:
        env.register_allocator(tracking)
        with pytest.raises(ValueError, match="this Shown is closed"):
            make(ort.Session.close, env)
        assert Shown.shown[-1].closed
        assert tracking.num_allocations > 0
        assert tracking.bytes_allocated == 0
        env.unregister_allocator(tracking)


@pytest.mark.parametrize(
    "use",
    [
        lambda session: session.inputs,
        lambda session: session.run({"x": [[1]]}),
        lambda session: session.bind(),
        lambda session: session.handle,
    ],
    ids=["inputs", "run", "bind", "handle"],
)
def test_a_session_cannot_be_used_before_it_is_made(make, use):
    errors = []

    def act(session):
        assert session.closed
        try:
            use(session)
        except ValueError as error:
            errors.append(str(error))

    with make(act) as session:
        assert errors == ["no library has made this Shown yet"]
        assert [spec.name for spec in session.inputs] == ["x"]


def test_a_session_of_no_model_is_closed():
    with pytest.raises(ort.OrtError):
        Shown(b"no model")
    (session,) = Shown.shown
    Shown.shown.clear()
    session.close()
    assert session.closed
    with pytest.raises(ValueError, match="this Shown is closed"):
        session.run()


# --- what may call Python, for which a release must not keep the GIL -----------------------------


def add_ops(options):
    with ort.CustomOpDomain("test", options.api) as domain:
        options.add_custom_op_domain(domain)


def add_library(options):
    options.register_custom_ops(ort.custom_op_library("a set without ops"))


def add_weights(options):
    options.add_initializer("w", ort.Value.from_numpy(np.ones(3, np.float32), api=options.api))


def add_named(name):  # which of them a library has differs
    return lambda options: options._values.update(providers=[(name, {})])


CALLS = {
    "settings": (False, lambda options: options.config.update({"session.a": "1"})),
    "data": (False, add_weights),
    "the provider of the CPU": (False, add_named("CPUExecutionProvider")),
    "another provider": (True, add_named("XNNPACK")),
    "a logger": (True, lambda options: setattr(options, "logger", print)),
    "shared threads": (True, lambda options: setattr(options, "per_session_threads", False)),
    "custom ops": (True, add_ops),
    "a library of ops": (True, add_library),
}


@pytest.mark.parametrize("case", CALLS)
def test_what_is_not_known_to_call_no_python_may_call_it(real_api, case):
    expected, change = CALLS[case]
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    change(options)
    with ort.Env(api=real_api) as env:
        assert may_call_python(env._state, options) is expected
        assert not may_call_python(env._state, None)
        env.register_allocator(ort.Tracking(real_api.default_allocator))
        assert may_call_python(env._state, None)


# --- made from a foreign pointer ------------------------------------------------------------------


MADE_FROM = {
    "OrtAllocator*": Allocator,
    "OrtEpDevice*": EpDevice,
    "OrtKeyValuePairs*": KeyValuePairs.from_handle,
    "OrtMemoryInfo*": MemoryInfo,
    "OrtRunOptions*": RunOptions.from_handle,
    "OrtSession*": lambda api, handle: Session.from_handle(api, handle, None),
    "OrtSessionOptions*": SessionOptions.from_handle,
    "OrtTensorTypeAndShapeInfo*": TensorTypeInfo.from_handle,
    "OrtTypeInfo*": TypeInfo,
    "OrtValue*": Value.from_handle,
}


@pytest.mark.parametrize("kind", MADE_FROM)
def test_a_handle_that_is_null_is_refused(api, kind):
    with pytest.raises(ValueError, match=r"^handle must not be NULL$"):
        MADE_FROM[kind](api, ffi.cast(kind, 0))


@pytest.mark.parametrize("given", [5, 0, None, "x", ffi.NULL, ffi.new("OrtApi**")], ids=str)
@pytest.mark.parametrize("kind", MADE_FROM)
def test_a_handle_that_is_no_pointer_of_the_type_is_refused(api, kind, given):
    with pytest.raises(TypeError, match=rf"^handle must be a cdata of {kind[:-1]}\*, not "):
        MADE_FROM[kind](api, given)
