# SPDX-License-Identifier: MIT
"""Memory that official sessions share, until the process ends."""

import json

import pytest
from support import models
from support.official import python
from support.releases import needs_release

import ortcffi as ort

NEEDS_ENVIRONMENT = needs_release(23, "an environment that is reached")
SHARES = {
    "an arena of the library": "official.share_arena(max_bytes=1 << 26)",
    "an allocator": "official.share_allocator(ort.Arena(ort.core_api().default_allocator))",
    "nothing": "pass",
}


@NEEDS_ENVIRONMENT
def test_sessions_share_memory():
    """One process tells of both ways to share, the latter of which replaces the former."""
    code = """
        import json
        answers = {}
        official = ort.attach()
        official.share_arena(max_bytes=16 << 20)
        sessions = [onnxruntime.InferenceSession(MODEL, official.session_options()) for _ in "ab"]
        sessions[0].run(None, {"x": X})
        figures = [official.session(each).allocator().stats for each in sessions]
        answers["arena"] = [figures[0].raw == figures[1].raw, figures[0].limit]
        large = np.ones((24 << 20) // 4, np.float32)
        session = onnxruntime.InferenceSession(FOUR_NODES, official.session_options())
        answers["exhausted"] = []
        for call in (
            lambda: session.run(None, {"x": large}),
            lambda: official.session(session).run({"x": large}),
        ):
            try:
                with official.errors():
                    call()
            except ort.OrtError as error:
                answers["exhausted"].append(type(error).__name__)
        answers["after"] = float(session.run(None, {"x": np.ones(3, np.float32)})[0][0])

        pool = ort.Tracking(ort.Arena(ort.core_api().default_allocator))
        official.share_allocator(pool)
        session = onnxruntime.InferenceSession(MODEL, official.session_options())
        session.run(None, {"x": X})
        answers["ours"] = pool.num_allocations > 0
        del pool; gc.collect()
        official.share_allocator(ort.Arena(ort.core_api().default_allocator))
        gc.collect()
        answers["kept"] = session.run(None, {"x": X})[0].shape == X.shape

        pool = ort.Tracking(ort.Arena(ort.core_api().default_allocator))
        official.share_allocator(pool)
        session = onnxruntime.InferenceSession(MODEL, official.session_options())
        session.run(None, {"x": X})
        official.env.unregister_allocator(pool)
        for each in (pool.inner, pool, official.env):
            each.close()
        del pool; gc.collect()
        answers["closed early"] = session.run(None, {"x": X})[0].shape == X.shape
        official.share_arena(max_bytes=8 << 20)
        session = onnxruntime.InferenceSession(MODEL, official.session_options())
        answers["shared again"] = official.session(session).allocator().stats.limit
        print(json.dumps(answers))
    """
    assert json.loads(python(code, FOUR_NODES=models.increments(4))) == {
        "arena": [True, 16 << 20],  # all sessions have one, which is bounded
        "exhausted": ["OutOfMemory"] * 2,
        "after": 5.0,
        "ours": True,
        "kept": True,  # where another was shared
        "closed early": True,
        "shared again": 8 << 20,
    }


def test_an_allocator_in_python_is_refused():
    with pytest.raises(TypeError, match="cannot outlive the interpreter"):
        ort.attach().share_allocator(ort.PythonAllocator())


@NEEDS_ENVIRONMENT
@pytest.mark.parametrize("what", SHARES.values(), ids=SHARES)
def test_the_interpreter_ends_with_sessions_and_loggers_alive(what):
    code = f"""
        official = ort.attach()
        {what}
        options = official.session_options(logger=lambda message: None, log_severity=0)
        session = onnxruntime.InferenceSession(MODEL, options)
        ours = official.session(session)
        bound = ours.run({{"x": X}})
        sys.modules["kept"] = [session, ours, options]
        print(bound[0].shape == X.shape)
    """
    assert python(code) == "True\n"


@NEEDS_ENVIRONMENT
@pytest.mark.parametrize("environment", ["official.env", "ort.Env(api=official)"])
def test_a_registered_allocator_stays_when_the_environment_is_closed(environment):
    code = f"""
        from ortcffi.testing.live_objects import live_objects
        official = ort.attach()
        before = live_objects()["adaptor"]

        def register_in_block():
            with {environment} as env:
                env.register_allocator(ort.Tracking(ort.Arena(ort.core_api().default_allocator)))
            gc.collect()
            options = official.session_options(config={{"session.use_env_allocators": "1"}})
            session = onnxruntime.InferenceSession(MODEL, options)
            session.run(None, {{"x": X}})
            return session, official.env.shared_allocator()

        session, pool = register_in_block()
        print(type(pool).__name__, pool.num_allocations > 0, live_objects()["adaptor"] > before)
        del session
        official.env.unregister_allocator(pool)
        del pool
        gc.collect()
        print(live_objects()["adaptor"] - before)
        session, _ = register_in_block()
        sys.modules["kept"] = session  # it uses the allocator at the end of the process
    """
    assert python(code) == "Tracking True True\n0\n"
