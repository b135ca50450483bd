# SPDX-License-Identifier: MIT
"""Sessions that are used, or closed, while the library still makes them."""

import pytest
from support import models
from support.threads import run_threads

import ortcffi as ort
from ortcffi.session.creation import Source


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


def test_a_session_that_another_thread_closes_while_it_is_made_is_closed_or_refused(real_api):
    content, quiet = models.sines(20), ort.SessionOptions(real_api, intra_op_threads=1)
    is_over = False

    def close_all():
        while not is_over:
            if Shown.shown:
                Shown.shown.pop().close()

    def make_some():
        nonlocal is_over
        try:
            for _ in range(15):
                try:
                    session = Shown(content, quiet)
                except ValueError as error:
                    assert "closed" in str(error)  # noqa: PT017
                else:
                    session.close()
        finally:
            is_over = True

    run_threads(close_all, make_some)
    Shown.shown.clear()
