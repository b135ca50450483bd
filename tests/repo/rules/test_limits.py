# SPDX-License-Identifier: MIT
"""Every process, thread and wait in the tests has a time limit, so that no test hangs."""

import ast
import subprocess

import pytest
from support import prepared, processes, threads
from support.paths import CHECKOUT

TESTS = sorted((CHECKOUT / "tests").rglob("*.py"))
# These wait without a limit if they get no argument.
WAITS = {"join", "wait", "result", "exception", "acquire", "communicate"}
# These have no limit, or none that reaches the processes which a process starts.
UNLIMITED = {"os.fork", "os.wait", "os.waitpid", "os.system", "asyncio.run"}
UNLIMITED |= {f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call")}
UNLIMITED |= {"subprocess.check_output", "subprocess.getoutput"}
NAMES = {name.rpartition(".")[2] for name in UNLIMITED}
HELPERS = {processes.__file__, threads.__file__, prepared.__file__, str(prepared.SERVER)}


def calls_without_limit(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            waits = node.func.attr in WAITS and not node.args and not node.keywords
            is_named = node.func.attr in NAMES  # asked first: to unparse takes long
            if waits or (is_named and ast.unparse(node.func) in UNLIMITED):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_nothing_waits_without_a_limit():
    waits = {
        str(path.relative_to(CHECKOUT)): calls_without_limit(path.read_text(encoding="utf-8"))
        for path in TESTS
        if str(path) not in HELPERS
    }
    assert {name: calls for name, calls in waits.items() if calls} == {}


@pytest.mark.parametrize("call", ["thread.join()", "os.fork()", "subprocess.run(['x'], timeout=1)"])
def test_a_call_without_a_limit_is_found(call):
    assert calls_without_limit(f"import x\n{call}") == [f"line 2: {call}"]


def test_a_process_that_takes_too_long_is_killed_with_those_that_it_started(tmp_path, monkeypatch):
    note = tmp_path / "child"
    script = f'sleep 1000 & echo $! > "{note}.part"; mv "{note}.part" "{note}"; wait'

    class TakesTooLong(subprocess.Popen):
        def communicate(self, *_arguments):
            threads.wait_until(note.exists)
            raise subprocess.TimeoutExpired(self.args, 0)

    monkeypatch.setattr(subprocess, "Popen", TakesTooLong)
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run("sh", "-c", script)
    child = int(note.read_text())
    threads.wait_until(lambda: processes.has_ended(child))
