# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi doctor`` finds out about libraries, and that none of them harms it."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from support.versions import API_VERSION, VERSION_STRING

from ortcffi.cli import doctor
from ortcffi.kernels import child
from ortcffi.table import find as runtimes
from ortcffi.table import load as loading
from ortcffi.table.find import Runtime

TOY = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "onnxruntime_c_api.h"
static const char* ORT_API_CALL get_build(void) NO_EXCEPTION { return "a toy"; }
static const OrtApi table = {.GetBuildInfoString = get_build};
static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  (void)version;
  return &table;
}
static const char* ORT_API_CALL get_version(void) NO_EXCEPTION { return "1.21.0"; }
static const OrtApiBase base = {get_api, get_version};
const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION {
  BEHAVIOUR;
  return &base;
}
"""


@pytest.fixture
def toy(compile_c, tmp_path, request):
    """``toy("abort()")`` is a library that does so in OrtGetApiBase and has API version 21."""

    request.getfixturevalue("forks")

    def toy(behaviour: str = "") -> Path:
        library = compile_c(TOY, "-shared", "-fPIC", f"-DBEHAVIOUR={behaviour}")
        return library.rename(tmp_path / "libtoy.so")

    return toy


@pytest.fixture(autouse=True)
def no_packages(monkeypatch):
    """Packages are the subject of test_ep_doctor.py, and take long."""
    monkeypatch.setattr(doctor, "installed_eps", list)


@pytest.fixture
def alone(monkeypatch):
    """There is no library but those that the test names."""
    monkeypatch.delenv("ORTCFFI_LIBRARY", raising=False)
    monkeypatch.setattr(loading, "installed_libraries", list)
    monkeypatch.setattr(runtimes, "_places", list)
    return monkeypatch


def examine(path: Path, **options: float) -> doctor.Finding:
    return doctor.examine(Runtime(str(path), "given"), **options)


# --- one library ----------------------------------------------------------------------------------


def test_a_sound_library_is_opened_and_says_what_it_is(core_library):
    finding = examine(core_library)
    assert (finding.path, finding.source) == (str(core_library), "given")
    assert (finding.version, finding.used_version) == (VERSION_STRING, API_VERSION)
    assert finding.build_info.startswith("ORT Build Info: ortcffi core")
    assert finding.printed == ""


def test_an_older_library_is_used_at_its_own_version(toy):
    finding = examine(toy())
    assert (finding.version, finding.used_version) == ("1.21.0", 21)
    assert finding.build_info == "a toy"


ENDS = "ends the process, with exit code 7"


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("abort()", "crashes (SIGABRT)"),
        ("*(volatile int*)0 = 0", "crashes (SIGSEGV)"),
        ("for (;;) pause()", "does not return within 1 seconds"),
        ("_exit(7)", ENDS),
        *((f'puts("{text}"); fflush(stdout); _exit(7)', ENDS) for text in ("1", "[]", "{}")),
    ],
)
def test_a_library_that_ends_its_process_is_a_finding(toy, behaviour, problem):
    seconds = 1 if "pause" in behaviour else 60
    finding = examine(toy(behaviour), seconds=seconds)
    assert finding.problem == problem
    assert finding.remedy == "get another build of it"


def test_a_library_that_writes_or_asks_for_too_much_is_a_finding(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(child, "FILE", 1 << 20)
    endless = 'FILE* f = fopen("full", "w"); for (;;) fputs("a line of a log", f)'
    assert examine(toy(endless)).problem == "crashes (SIGXFSZ)"
    assert (tmp_path / "full").stat().st_size <= child.FILE
    greedy = "if (malloc((size_t)1 << 40) == NULL) _exit(9)"
    problem = "ends the process, with exit code 9"
    assert examine(toy(greedy)).problem == problem


def test_what_a_library_prints_is_kept_apart_from_what_is_found(toy):
    finding = examine(toy('puts("{}"); fflush(stdout); fputs("hello\\n", stderr)'))
    assert finding.problem is None
    assert finding.printed == "hello"


@pytest.mark.usefixtures("forks")
def test_the_reason_of_the_loader_comes_back(compile_c):
    source = "void nowhere(void); void* OrtGetApiBase(void) { nowhere(); return 0; }"
    finding = examine(compile_c(source, "-shared", "-fPIC"))
    assert "undefined symbol: nowhere" in finding.problem
    assert finding.remedy == "a library that it depends on is missing or of another version"


# --- the command ----------------------------------------------------------------------------------


def run(capsys, *arguments: str) -> tuple[int, str]:
    code = doctor.main(arguments)
    return code, capsys.readouterr().out


@pytest.mark.usefixtures("alone")
def test_without_any_library_nothing_is_broken_and_the_ways_to_one_are_named(capsys):
    code, text = run(capsys)
    assert code == 0
    assert "ok: ortcffi.default_api() is this one; it needs no library" in text
    assert text.splitlines()[-1] == (
        "ortcffi.load() finds no library. The embedded core needs none; for another, run "
        "'pip install onnxruntime', set ORTCFFI_LIBRARY, or give load() a path."
    )


@pytest.mark.usefixtures("real_api", "forks")
def test_the_installed_library_is_chosen_and_the_reason_given(capsys, monkeypatch):
    monkeypatch.delenv("ORTCFFI_LIBRARY", raising=False)
    code, text = run(capsys)
    assert code == 0
    assert f"onnxruntime wheel: version {version('onnxruntime')}\n" in text
    assert (
        f"ok: ortcffi.load() opens it, at API version {loading.load().version}, because "
        "ORTCFFI_LIBRARY is not set and the package onnxruntime has it"
    ) in text
    assert text.splitlines()[-1].startswith("ortcffi.load() opens ")


@pytest.mark.usefixtures("alone")
def test_a_broken_library_that_was_given_is_an_error(capsys, tmp_path):
    (tmp_path / "library.so").write_text("text")
    code, text = run(capsys, str(tmp_path / "library.so"))
    assert code == 1
    assert "BROKEN: is no ELF file: it begins with b'text'" in text
    assert "what to do: expected the path of a shared library" in text


@pytest.mark.usefixtures("forks")
def test_a_broken_library_in_the_variable_is_an_error(capsys, monkeypatch):
    monkeypatch.setenv("ORTCFFI_LIBRARY", "/no/such/library.so")
    code, text = run(capsys)
    assert code == 1
    assert text.splitlines()[-1] == (
        "ortcffi.load() fails: /no/such/library.so does not exist. "
        "Set ORTCFFI_LIBRARY to another library, or unset it."
    )


def test_a_broken_library_that_nobody_asked_for_is_no_error(alone, capsys, tmp_path):
    (tmp_path / "library.so").write_text("text")
    places = [(str(tmp_path / "library.so"), "system")]
    alone.setattr(runtimes, "_places", lambda: places)
    code, text = run(capsys)
    assert code == 0
    assert "BROKEN" in text


@pytest.mark.usefixtures("alone", "forks")
def test_json_tells_the_same(capsys, core_library, tmp_path):
    code, text = run(capsys, "--json", str(core_library), str(tmp_path))
    report = json.loads(text)
    assert (code, report["ok"]) == (1, False)
    core, sound, broken = report["libraries"]
    assert core["source"] == "embedded core"
    assert (sound["path"], sound["used_version"]) == (str(core_library), API_VERSION)
    assert (sound["version"], sound["problem"]) == (VERSION_STRING, None)
    assert (broken["problem"], broken["used_version"]) == ("is a directory", None)


@pytest.mark.usefixtures("alone")
def test_a_library_is_opened_with_the_search_path_of_this_process(monkeypatch, core_library):
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path] + [Path("/no/such")])
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.chdir("/")
    assert examine(core_library).problem is None


@pytest.mark.usefixtures("alone")
def test_a_path_that_cannot_be_one_is_a_mistake_in_the_arguments(capsys):
    with pytest.raises(SystemExit) as ended:
        doctor.main([""])
    assert ended.value.code == 2
    assert "path is empty" in capsys.readouterr().err
