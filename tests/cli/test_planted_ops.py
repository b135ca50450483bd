# SPDX-License-Identifier: MIT
"""``ortcffi check`` on ops with one planted bug each, and on one without."""

import json

import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.processes import run_pytest_in_fork

from ortcffi.__main__ import main
from ortcffi.cli import check_ops
from ortcffi.cli.check_report import Report

CLIENTS = CHECKOUT / "tests/c/clients"
# What is said of each op. The host cannot know which attributes an op should read.
SAID = {
    "WritesBeyond": "it wrote beyond output 0 of 24 bytes: bytes 24 to 27",
    "WritesInput": "it wrote to input 0, at element 5",
    "LeavesLastUnwritten": "it did not write element 5 of output 0",
    "WritesDoubles": "it wrote beyond output 0 of 24 bytes: bytes 24 to 47",
    "InfersOtherShape": "its shape inference says [7, 7, 7, 7, 7] for output 0, and it made [2, 3]",
    "KeepsAttributeInStatic": "after kernels with other attributes were made, it computes another",
    "KeepsState": "called again with the same inputs, it computes another output 0",
    "Crashes": "it crashes (SIGSEGV), with inputs float32[2, 3]",
    "CrashesOnEmpty": "it crashes (SIGSEGV), with inputs float32[0]",
    "LoopsOnEmpty": "it does not return within 2 seconds, with inputs float32[0]",
    "HasNoDestroy": "KernelDestroy is NULL, which ONNX Runtime calls",
    "Throws": "with whatever inputs, an exception left the op, which can answer a status: thrown",
    "LeaksInfo": "200 calls of its kernel leave 200 of kind 'tensor type and shape info'",
    "LeaksStatus": "200 kernels that were made and destroyed leave 200 of kind 'status'",
    "LeaksNew": "200 calls of its kernel leave ",
    "DestroysNothing": "200 kernels that were made and destroyed leave ",
    "Races": "on two threads at the same time, with inputs float32[",
    "ReadsBeyond": "where the memory after each block is closed to reads and writes, with inputs",
}
RIGHT = {"Right", "NeverReadsAttribute"}


@pytest.fixture(scope="module")
def planted(cxx_compiler):
    """``planted(*flags)`` is a library of planted_ops.cc."""

    def build(*flags):
        path = build_folder(cxx_compiler, "clients") / f"planted{len(flags)}.so"
        flags = [*flags, "-std=c++17", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
        include, source = f"-I{CHECKOUT / 'core/include'}", CLIENTS / "planted_ops.cc"
        command = *cxx_compiler, *flags, include, source, "-o", path
        return str(compile_shared(path, [CLIENTS], *command))

    return build


@pytest.mark.usefixtures("forks")
def test_each_planted_bug_is_named_and_no_right_op(planted, capfd, monkeypatch):
    monkeypatch.setattr(check_ops, "CALL_SECONDS", 2)
    assert main(["check", "--json", planted()]) == 1
    [report] = json.loads(capfd.readouterr().out)["libraries"]
    found: dict[str, str] = {}
    for finding in report["findings"]:
        name, _, text = finding["text"].partition(": ")
        found[name] = f"{found.get(name, '')} {text}"
    assert set(found) == {f"planted:{name}" for name in SAID}
    for name, text in SAID.items():
        assert text in found[f"planted:{name}"]
    assert report["untried"] == {}
    assert report["summary"][0].startswith("20 of 20 ops were tried")


FORMULAS = """
def Right(x, *, factor=2.0):
    return x * factor

NeverReadsAttribute = CrashesOnEmpty = Right

def KeepsState(x, *, factor):
    return x

def InfersOtherShape(x):
    raise ValueError("not for me")
"""


@pytest.fixture
def compare(planted, tmp_path):
    """``compare(formulas)`` compares planted ops with functions in a file formulas.py."""

    def compare(formulas):
        file = tmp_path / "formulas.py"
        file.write_text(formulas)
        report = Report(planted())
        check_ops._compare_with_functions(report, str(file), "1e-3", "1e-3")
        return report

    return compare


def test_ops_that_differ_from_a_function_are_shrunk_to_a_test_for_pytest(
    compare, planted, tmp_path
):
    report = compare(FORMULAS)
    ignored, crashed = report.findings
    name = "planted:NeverReadsAttribute"
    assert ignored.text.startswith(f"{name}: it differs from formulas.NeverReadsAttribute, with in")
    assert "inputs float32[]: output 0 is 0.1 at [], not 0.2" in ignored.text
    assert "with inputs float32[0]: it fails: planted:CrashesOnEmpty: while it" in crashed.text
    assert report.untried == {
        "planted:KeepsState": "formulas.KeepsState: factor has no default, which is the value of "
        "the attribute",
        "planted:InfersOtherShape": "formulas.InfersOtherShape took no inputs: ValueError: not for "
        "me",
    }
    assert report.summary == [f"3 compared with {tmp_path}/formulas.py"]
    for n, case in enumerate(report.cases):
        (tmp_path / f"test_{n}.py").write_text(case)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nort_library = {planted()}\n")
    printed = run_pytest_in_fork(tmp_path)
    assert "2 failed" in printed
    assert "KernelCrashed: planted:CrashesOnEmpty" in printed
    assert "Mismatched elements: 1 / 1" in printed


def test_functions_that_no_op_is_named_after_are_a_finding(compare):
    [finding] = compare("def right(x): return x").findings
    assert finding.text.endswith("formulas.py has the name of an op")


@pytest.mark.usefixtures("forks")
def test_a_version_that_no_host_has_is_named(planted, capfd):
    assert main(["check", planted("-DASKS=99")]) == 1
    text = "on the core: it crashes (SIGSEGV); it asks for API version 63, which that does not"
    assert f"FINDING (registration): {text}" in capfd.readouterr().out
