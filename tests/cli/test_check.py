# SPDX-License-Identifier: MIT
"""The command ``ortcffi check``, on libraries of tests/c/clients/checked_ops.c."""

import json
import sys

import pytest
from support.paths import CHECKOUT
from support.processes import run


@pytest.fixture
def check(compile_c):
    """``check(*flags)`` is the exit code and the report of the command on such a library."""

    def check(*flags):
        source = CHECKOUT / "tests/c/clients/checked_ops.c"
        library = compile_c(source, "-shared", "-fPIC", "-fvisibility=hidden", *flags)
        command = [sys.executable, "-m", "ortcffi", "check", "--json", str(library)]
        done = run(*command, code=None)
        assert done.stderr == ""
        [report] = json.loads(done.stdout)["libraries"]
        return done.returncode, [finding["text"] for finding in report["findings"]], report

    return check


def test_a_good_library_has_no_findings(check):
    code, findings, report = check()
    assert (code, findings) == (0, [])
    assert "registers 1 ops on the core" in report["notes"]


def test_a_kernel_that_crashes_is_a_finding(check):
    code, findings, _ = check("-DCRASHES")
    assert code == 1
    assert findings == ["checked:Nothing: while a kernel is made, it crashes (SIGABRT)"]


def test_what_kernels_leave_is_a_finding_with_the_slot_that_made_it(check):
    code, findings, _ = check("-DLEAKS")
    assert code == 1
    [found] = findings
    assert "kernels leaves 3 of kind 'status'" in found
    assert "made by KernelInfoGetAttribute_int64 (3)" in found


def test_a_missing_function_is_a_finding(check):
    code, findings, _ = check("-DLACKS")
    assert code == 1
    assert any("GetExecutionProviderType is NULL" in text for text in findings)


def test_a_host_found_by_name_is_a_finding(check):
    _, findings, _ = check("-DBY_NAME")
    assert any("finds OrtGetApiBase by name" in text for text in findings)


def test_what_is_no_library_is_a_finding(tmp_path, capsys):
    from ortcffi.__main__ import main

    (tmp_path / "text.so").write_text("text")
    assert main(["check", str(tmp_path / "text.so")]) == 1
    assert "FINDING (file): is no ELF file" in capsys.readouterr().out
