# SPDX-License-Identifier: MIT
"""How sessions are made: the environment that they share, interrupts, and types read later."""

import gc
import weakref

import pytest
from support import models
from support.releases import needs_release

import ortcffi as ort
from ortcffi.env.state import state_of
from ortcffi.session import creation

NEEDS_REPLACEMENT = needs_release(23, "allocators that replace others")


def test_sessions_without_an_environment_share_one_until_the_last_is_closed(real_api, x):
    gc.collect()
    before = len(state_of(real_api).open_envs())
    first, second = (ort.Session(models.add(), api=real_api) for _ in range(2))
    assert len(state_of(real_api).open_envs()) == before + 1
    first.close()
    assert second.run({"x": x})[0].shape == (1, 4)
    second.close()
    assert len(state_of(real_api).open_envs()) == before


def test_an_environment_of_ones_own_is_not_shared(real_api):
    with ort.Env(api=real_api) as env, ort.Session(models.add(), env=env):
        before = len(state_of(real_api).open_envs())
        with ort.Session(models.add(), api=real_api):
            assert len(state_of(real_api).open_envs()) == before + 1


def test_a_closed_session_still_tells_what_its_model_wants():
    session = ort.Session(models.scaled())
    session.close()
    assert [spec.name for spec in session.inputs]
    assert session.outputs[0].describe().startswith("float[")
    assert session.inputs is session.inputs


def test_a_type_outlives_its_session():
    session = ort.Session(models.add())
    info = session.inputs[0].type_info
    session.close()
    del session
    gc.collect()
    assert str(info) == "tensor(float[1, 4])"


def test_a_closed_type_does_not_take_that_of_the_session_away(opened):
    session = opened(models.add())
    session.inputs[0].type_info.close()
    assert session.inputs[0].describe() == "float[1, 4]"
    assert str(session.outputs[0].type_info) == "tensor(float[1, 4])"


def test_an_old_table_does_not_tell_a_scalar_from_any_shape(real_api):
    old = ort.Api(
        real_api.pointer,
        version=16,
        version_string="1.16",
        path=real_api.path,
        library=real_api.library,
    )
    with ort.Session(models.identity(shape=()), api=old) as session:
        assert session.inputs[0].shape is None
        assert session.outputs[0].shape is None


@NEEDS_REPLACEMENT
def test_a_session_keeps_allocators_that_are_replaced_while_it_is_made(monkeypatch, real_api, x):
    replaced = []

    def source_of(*arguments):
        source = creation.source_of(*arguments)

        def create_meanwhile(*handles):
            for _ in range(2):
                env.register_allocator(ort.Tracking(ort.core_api().default_allocator))
                replaced.append(weakref.ref(env._registered()[0].translated))
            source.create(*handles)

        return creation.Source(create_meanwhile, source.keep, source.content)

    monkeypatch.setattr("ortcffi.session.session.source_of", source_of)
    with ort.Env("app", real_api) as env, ort.Session(models.add(), env=env) as session:
        gc.collect()
        assert replaced[0]() is not None
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
    del session
    gc.collect()
    assert replaced[0]() is None


@NEEDS_REPLACEMENT
def test_a_session_whose_creation_was_interrupted_is_not_kept(real_api):
    with ort.Env("app", real_api) as env:
        begun = env._state.shared  # and it never ends
        replaced = ort.Tracking(ort.core_api().default_allocator)
        gone = weakref.ref(replaced)
        env.register_allocator(replaced)
        del replaced
        env.register_allocator(ort.Tracking(ort.core_api().default_allocator))
        assert gone() is not None
        del begun
        assert gone() is None


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


def test_the_bytes_are_held_where_the_options_change_at_the_last_moment(
    monkeypatch, real_api, content
):
    def source_of(*arguments):
        source = creation.source_of(*arguments)
        options.config[DIRECTLY] = "1"  # as another thread may
        return source

    monkeypatch.setattr("ortcffi.session.session.source_of", source_of)
    with ort.SessionOptions(real_api) as options:
        assert_is_held(content, ort.Session(content, options))


def test_sessions_made_one_after_another_return_unused_memory_once(real_api, monkeypatch):
    returned = []
    monkeypatch.setattr(creation, "return_unused", lambda: returned.append(1))
    monkeypatch.setattr(creation, "_LARGE", 1)
    monkeypatch.setattr(creation, "_PAUSE", 1e9)
    monkeypatch.setattr(creation, "_next_return", 0.0)
    for _ in range(3):
        ort.Session(models.add(), api=real_api).close()
    assert returned == [1]
