# SPDX-License-Identifier: MIT
"""``ortcffi check`` on ops with one planted bug each, and on one without."""

import json

import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.planted import SAID

from ortcffi.__main__ import main
from ortcffi.testing import op_bench, op_rules

CLIENTS = CHECKOUT / "tests/c/clients"
# In a session alone, where there is one.
IN_SESSIONS = {"ReleasesTwice"}
RIGHT = {"Doubles", "IgnoresAlpha", "UsesFirstAlpha"}


@pytest.fixture(scope="module")
def planted(c_compiler):
    """``planted(*flags)`` is a library of buggy_ops.c."""

    def build(*flags):
        path = build_folder(c_compiler, "clients") / f"buggy{len(flags)}.so"
        flags = [*flags, "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Werror"]
        include, source = f"-I{CHECKOUT / 'core/include'}", CLIENTS / "buggy_ops.c"
        command = *c_compiler, *flags, include, source, "-o", path
        return str(compile_shared(path, [CLIENTS], *command))

    return build


@pytest.mark.slow
@pytest.mark.usefixtures("forks")
def test_each_planted_bug_is_named_and_no_right_op(planted, capfd, monkeypatch):
    monkeypatch.setattr(op_bench, "CALL_SECONDS", 2)
    monkeypatch.setattr(op_rules, "CALL_SECONDS", 2)
    assert main(["check", "--json", planted()]) == 1
    [report] = json.loads(capfd.readouterr().out)["libraries"]
    found: dict[str, str] = {}
    for finding in (each for each in report["findings"] if each["kind"] == "must"):
        name, _, text = finding["text"].partition(": ")
        found[name] = f"{found.get(name, '')} {text}"
    assert set(found) - {f"buggy:{name}" for name in IN_SESSIONS} == {f"buggy:{n}" for n in SAID}
    for name, text in SAID.items():
        assert text in found[f"buggy:{name}"]
    assert report["untried"] == {}
    count = len(SAID) + len(IN_SESSIONS) + len(RIGHT)
    assert report["summary"][0].startswith(f"{count} of {count} ops were tried")


@pytest.mark.usefixtures("forks")
def test_a_version_that_no_host_has_is_named(planted, capfd):
    assert main(["check", planted("-DASKS=99")]) == 1
    text = "on core: it crashes (SIGSEGV); it asks for API version 63, which that does not"
    assert f"FINDING (registers-its-ops): {text}" in capfd.readouterr().out
