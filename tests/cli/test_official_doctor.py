# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi doctor`` says of the official package."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ortcffi.cli import doctor, ep_doctor, official_doctor
from ortcffi.official.layout import is_known_release


@pytest.fixture
def package(tmp_path, monkeypatch):
    """``package(text)`` makes that the package onnxruntime of processes that look now."""

    def package(text: str) -> None:
        folder = tmp_path / "onnxruntime"
        (folder / "capi").mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
        (folder / "capi/__init__.py").touch()
        (folder / "capi/onnxruntime_pybind11_state.py").touch()
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    return package


@pytest.fixture(scope="module")
def installed():
    """What is found of the installed release."""
    pytest.importorskip("onnxruntime")
    return official_doctor.examine()


@pytest.fixture
def no_eps(monkeypatch):
    """The command starts no process for each execution provider that is installed."""
    monkeypatch.setattr(ep_doctor, "examine", list)


def test_all_of_the_installed_release_is_reached(installed):
    finding = installed
    assert finding.problems == []
    assert finding.reaches == ["table", "objects", "sessions", "environment"]
    assert (finding.version, finding.is_known) == (version("onnxruntime"), True)
    assert Path(finding.path).name.startswith("onnxruntime_pybind11_state")


@pytest.mark.usefixtures("no_eps", "forks")
def test_the_command_names_the_releases_whose_layout_is_known(capsys, installed, monkeypatch):
    monkeypatch.setattr(official_doctor, "examine", lambda: installed)
    doctor.main([])
    text = capsys.readouterr().out
    assert "releases whose sessions are known to be found: 1.21 to 1.32; this is one of" in text
    assert "ok: ortcffi.attach() reaches its table, objects, sessions and environment" in text


@pytest.mark.usefixtures("no_eps")
def test_json_has_what_is_reached(capsys, package, monkeypatch):
    package("raise ImportError('broken')")
    monkeypatch.setattr(doctor, "examine", doctor.Finding)  # no process for each library
    doctor.main(["--json"])
    report = json.loads(capsys.readouterr().out)["official"]
    assert (report["reaches"], report["problems"], report["is_known"]) == ([], ["broken"], False)


def test_what_hides_the_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "onnxruntime.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (problem,) = official_doctor.examine().problems
    assert f"{str(tmp_path / 'onnxruntime.py')!r} is imported as onnxruntime instead" in problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import os; os._exit(3)", "it ends the process, with exit code 3"),
        ("import os; os.abort()", "it crashes (SIGABRT)"),
        ("raise SystemError", "SystemError"),
        ("__version__ = '1.25.0'\nclass SessionOptions: pass", "has no attribute"),
    ],
)
def test_a_package_that_cannot_be_used_is_reported(package, text, problem):
    package(text)
    finding = official_doctor.examine()
    [report] = finding.problems
    assert problem in report
    assert f"not reached: {report}" in official_doctor.describe(finding)


def test_a_package_that_hangs_is_reported(package):
    package("import time; time.sleep(600)")
    assert official_doctor.examine(seconds=1).problems == ["it does not return within 1 seconds"]


RELEASES = ["1.20.1", "1.19.2", "1.31.1", "1.32.0", "1.33.0", "2.0", "", "unknown", "1", "1.x"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_is_known_or_not(release):
    assert is_known_release(release) is (release in {"1.31.1", "1.32.0"})
