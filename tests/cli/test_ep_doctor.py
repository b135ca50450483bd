# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi doctor`` says of installed execution providers."""

import json
import sys

import pytest
from support import eps

from ortcffi.cli import doctor
from ortcffi.ep import installed
from ortcffi.table.find import Runtime

BROKEN = """
#include <stdlib.h>
void CreateEpFactories(void) { abort(); }
void ReleaseEpFactory(void) {}
"""


pytestmark = pytest.mark.usefixtures("forks")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """``install(library)`` has it be that of the package onnxruntime-ggml, the only one."""

    def install(library):
        folder = tmp_path / "onnxruntime_ggml"
        (folder / "lib").mkdir(parents=True)
        (folder / "__init__.py").touch()
        path = installed._library(str(folder / "lib"), "onnxruntime_ggml")
        with open(path, "wb") as copy, open(library, "rb") as file:
            copy.write(file.read())
        monkeypatch.setattr(installed, "_PACKAGES", {"ggml": installed._PACKAGES["ggml"]})
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return path

    return install


def examined():
    return [doctor.examine_ep(each) for each in installed.installed_eps()]


def test_the_devices_of_one_that_loads_are_listed(c_compiler, install):
    path = install(eps.build(c_compiler, eps.ADDING))
    (finding,) = examined()
    assert (finding.provider, finding.source, finding.path) == (
        "ggml",
        "package onnxruntime-ggml",
        path,
    )
    assert [each.partition(" on ")[0] for each in finding.devices] == ["ggml"]
    assert "ok: ortcffi.Session(model, providers=['ggml'])" in doctor.describe(finding)


def test_one_that_ends_the_process_is_a_finding(compile_c, install):
    install(compile_c(BROKEN, "-shared", "-fPIC"))
    (finding,) = examined()
    assert "SIGABRT" in finding.problem
    assert "BROKEN: crashes" in doctor.describe(finding)


def test_one_that_is_no_library_says_so(tmp_path, install):
    text = tmp_path / "text"
    text.write_text("no library")
    install(text)
    (finding,) = examined()
    assert finding.problem
    assert not finding.devices


def test_json_has_them(c_compiler, install, monkeypatch, capsys):
    install(eps.build(c_compiler, eps.ADDING))
    monkeypatch.setattr(doctor, "find_runtimes", lambda: [Runtime("core", "embedded core")])
    assert doctor.main(["--json"]) == 0
    _, found = json.loads(capsys.readouterr().out)["libraries"]
    assert found["source"] == "package onnxruntime-ggml"


def test_nothing_is_said_where_none_is_installed(monkeypatch):
    monkeypatch.setattr(installed, "_PACKAGES", {})
    assert installed.installed_eps() == []
