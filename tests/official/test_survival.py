# SPDX-License-Identifier: MIT
"""Attached sessions beside threads, forks, other processes and libraries, and at the end."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from support.official import python
from support.releases import needs_release

NEEDS_OBJECTS = needs_release(21, "objects whose contents are reached")
NEEDS_ENVIRONMENT = needs_release(23, "an environment that is reached")

IN_ONE_PROCESS = pytest.mark.xdist_group("objects of other libraries")

# --- other libraries ------------------------------------------------------------------------------

# What takes an object of the attached library, given one of another library.
MIXED = {
    "options of a session": "ort.Session(MODEL, ort.SessionOptions(other), api=official)",
    "an environment": "ort.Session(MODEL, api=official, env=ort.Env(api=other))",
    "options of a run": "ours.run({'x': X}, options=ort.RunOptions(other))",
    "options of a bound binding": "ours.bind({'x': X}).run(options=ort.RunOptions(other))",
    "a description of memory": "ours.allocator(other.cpu_memory_info())",
    "memory of the environment": "official.env.shared_allocator(other.cpu_memory_info())",
    "measures of an arena": "official.env.create_arena(cfg=ort.ArenaCfg(other, max_bytes=1 << 20))",
    "an initializer": "options.add_initializer('w', ort.Value.from_numpy(X, api=other))",
}
ASK_OTHERS = """
    import json

    official = ort.attach()
    session = onnxruntime.InferenceSession(MODEL)
    ours, options = official.session(session), official.options(onnxruntime.SessionOptions())
    others = [ort.load(path) for path in PATHS]
    answers = {}
    for name, call in MIXED.items():
        answers[name] = []
        for other in others:
            try:
                eval(call)
                answers[name].append("accepted")
            except ValueError as error:
                answers[name].append(str(error))
    answers["values"] = [
        float(ours.run({"x": ort.Value.from_numpy(X, api=other)})[0].sum()) for other in others
    ]
    answers["own"] = float(ours.run({"x": X})[0].sum())
    print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def two_libraries(
    real_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """The library of the package, and that of another release or, without one, a copy."""
    found = [
        library
        for entry in sys.path
        for library in sorted(Path(entry).glob("onnxruntime/capi/libonnxruntime.so.*"))
        if not library.samefile(real_library)
    ]
    copy = tmp_path_factory.mktemp("library") / "libother.so"
    other = found[0] if found else Path(shutil.copyfile(real_library, copy))
    return real_library, other


@pytest.fixture(scope="module")
def mixed(two_libraries: tuple[Path, Path]) -> Any:
    """What the attached library says of objects of the two, in one process."""
    return json.loads(python(ASK_OTHERS, MIXED=MIXED, PATHS=[str(path) for path in two_libraries]))


@IN_ONE_PROCESS
@NEEDS_ENVIRONMENT
@pytest.mark.parametrize("what", MIXED)
def test_an_object_of_another_library_is_refused_by_name(mixed, two_libraries, what):
    for answer, path in zip(mixed[what], two_libraries, strict=True):
        assert str(path) in answer
        assert "of the official package" in answer


@IN_ONE_PROCESS
@NEEDS_ENVIRONMENT
def test_tensors_of_other_libraries_are_inputs_as_any_memory(mixed):
    assert mixed["values"] == [mixed["own"]] * 2


# --- threads --------------------------------------------------------------------------------------


@NEEDS_OBJECTS
def test_figures_are_read_while_threads_make_and_drop_sessions():
    code = """
        import threading, time, weakref
        official = ort.attach()
        sessions, peaks, errors = weakref.WeakSet(), [], []

        def look():
            for session in list(sessions):
                peaks.append(official.session(session).allocator().stats.max_memory)

        def make_and_drop():
            try:
                for _ in range(8):
                    session = onnxruntime.InferenceSession(MODEL, official.session_options())
                    sessions.add(session)
                    official.session(session).run({"x": X})
                    session.run(None, {"x": X})
            except Exception as error:
                errors.append(repr(error))

        threads = [threading.Thread(target=make_and_drop) for _ in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            look()
            time.sleep(0.001)
        gc.collect()
        print(errors, all(peak >= 0 for peak in peaks), len(sessions))
    """
    assert python(code) == "[] True 0\n"
