# SPDX-License-Identifier: MIT
"""Random calls over all public names, each run in a process of its own, so that a crash is told.

``--hostile-seconds`` says how long the runs take together; each run takes a new seed then, which a
failure names. `support.hostile` says what is called and what counts as a failure.
"""

import os
import random
import sys
from pathlib import Path

import pytest
from support import hostile, processes
from support.paths import CHECKOUT

SECONDS = 1.0  # of each run, unless the option says more
SEEDS = (1, 2)


def run(table: str, seed: int, seconds: float, threads: int, folder: Path) -> None:
    """Make random calls in a process; fail with the last call if it ends badly."""
    log = folder / "last_call"
    command = [sys.executable, str(CHECKOUT / "tests/support/hostile.py"), "--table", table]
    command += ["--seed", str(seed), "--seconds", str(seconds), "--threads", str(threads)]
    command += ["--log", str(log)]
    variables = {**os.environ, "PYTHONFAULTHANDLER": "1", "TMPDIR": str(folder)}
    done = processes.run(
        *command, code=None, timeout=seconds + processes.TIME_LIMIT, cwd=folder, env=variables
    )
    last = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else "none"
    told = f"seed {seed}, {threads} threads, last call {last}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, told
    assert int(done.stdout.split()[0]) > 20, told


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


def test_a_planted_crash_is_told(tmp_path, monkeypatch):
    folder = tmp_path / "tests/support"
    folder.mkdir(parents=True)
    text = Path(hostile.__file__).read_text(encoding="utf-8")
    crash = text.replace("gc.collect(self.chance.choice([0, 1, 2]))", "os.abort()")
    assert crash != text
    (folder / "hostile.py").write_text(crash)
    monkeypatch.setitem(globals(), "CHECKOUT", tmp_path)
    with pytest.raises(AssertionError, match=r"last call (.|\n)*Aborted"):
        run("core", 1, 60, 1, tmp_path)
