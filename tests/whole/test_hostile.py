# SPDX-License-Identifier: MIT
"""Random calls over all public names, each run in a process of its own, to report crashes.

``--hostile-seconds`` says how long the runs take together; each run takes a new seed then, which a
failure names. `support.hostile_calls` says what is called and what counts as a failure.
"""

import enum
import inspect
import random
import shutil
import sys
from pathlib import Path

import pytest
from support import processes
from support.hostile_calls import makers
from support.paths import CHECKOUT, finds_support

import ortcffi as ort

TESTS = CHECKOUT / "tests"

SECONDS = 1.0  # of each run, unless the option says more
SEEDS = (1, 2)


def run(table: str, seed: int, seconds: float, threads: int, folder: Path) -> None:
    """Make random calls in a process; fail with the last call if it ends badly."""
    log = folder / "last_call"
    command = [sys.executable, "-m", "support.hostile_calls", "--table", table]
    command += ["--seed", str(seed), "--seconds", str(seconds), "--threads", str(threads)]
    command += ["--log", str(log)]
    variables = {**finds_support(TESTS), "PYTHONFAULTHANDLER": "1", "TMPDIR": str(folder)}
    done = processes.run(
        *command, code=None, timeout=seconds + processes.TIME_LIMIT, cwd=folder, env=variables
    )
    last = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else "none"
    report = f"seed {seed}, {threads} threads, last call {last}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, report
    assert int(done.stdout.split()[0]) > 20, report


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("table", ["core", "real"])
@pytest.mark.parametrize("threads", [1, 3])
def test_random_calls_break_nothing(table, threads, seed, tmp_path, request):
    if table == "real":
        request.getfixturevalue("real_api")
    wanted = request.config.getoption("--hostile-seconds")
    if wanted:
        seed = random.randrange(1 << 32)
    share = wanted / (len(SEEDS) * 4) if wanted else SECONDS
    run(table, seed, share, threads, tmp_path)


def test_a_planted_crash_is_reported(tmp_path, monkeypatch):
    shutil.copytree(TESTS / "support", tmp_path / "support")
    module = tmp_path / "support/hostile_calls/surroundings.py"
    text = module.read_text(encoding="utf-8")
    crash = text.replace("gc.collect(self.chance.choice([0, 1, 2]))", "signal.raise_signal(6)")
    assert crash != text
    module.write_text(crash)
    monkeypatch.setitem(globals(), "TESTS", tmp_path)
    with pytest.raises(AssertionError, match=r"last call (.|\n)*Aborted"):
        run("core", 1, 60, 1, tmp_path)


def test_the_calls_begin_with_a_good_object_of_each_public_class():
    classes = {
        name
        for name in ort.__all__
        if inspect.isclass(kind := getattr(ort, name))
        and not issubclass(kind, (enum.Enum, BaseException, dict))  # a TypedDict makes dicts
    }
    made = {name for names in (*makers.MAKERS, *makers.ENGINE) for name in names.split()}
    assert classes <= made


@pytest.mark.usefixtures("c_compiler")
@pytest.mark.parametrize("table", ["core", "real"])
def test_each_of_those_objects_can_be_made(table, tmp_path, request):
    if table == "real":
        request.getfixturevalue("real_api")
    program = f"""if True:
        import os, sys
        sys.path.insert(0, {str(TESTS)!r})
        os.chdir({str(tmp_path)!r})
        import ortcffi as ort
        from support.hostile_calls import makers
        api = ort.core_api() if {table!r} == "core" else ort.load()
        of_core = makers.MAKERS | makers.CORE
        del of_core["Trace"]  # of which a process has two
        for name, make in (of_core if api.is_core else makers.ENGINE).items():
            made = make(api)
            print(name, "is made" if made is not None else "is missing")
    """
    report = processes.run_python(program)
    assert "is made" in report
    assert "is missing" not in report
