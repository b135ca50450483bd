# SPDX-License-Identifier: MIT
"""The flags that a C client compiles and links with."""

import os
import shlex
from pathlib import Path

import pytest
from support.processes import run
from support.versions import VERSION_STRING

import ortcffi
from ortcffi.cli import build_flags as config

CLIENT = """
#include <stdio.h>
#include "onnxruntime_c_api.h"
int main(void) {
  puts(OrtGetApiBase()->GetVersionString());
  return 0;
}
"""


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """``ortcffi`` is installed in an empty directory."""
    monkeypatch.setattr(config, "_PACKAGE", str(tmp_path / "ortcffi"))
    monkeypatch.setattr(config, "_CHECKOUT", str(tmp_path))
    return tmp_path


def test_the_directory_of_the_header_has_the_list_of_slots_too():
    assert os.path.isabs(ortcffi.get_include())
    names = os.listdir(ortcffi.get_include())
    assert {"onnxruntime_c_api.h", "ort_slots.def"} <= set(names)


PACKAGE = ["ortcffi/include/onnxruntime_c_api.h", "ortcffi/lib/libortcore.so"]
CHECKOUT = ["core/include/onnxruntime_c_api.h", "core/build/libortcore.so"]


@pytest.mark.parametrize(("files", "more"), [(PACKAGE, []), (CHECKOUT, ["build_ort.py"])])
def test_a_package_or_a_checkout_finds_its_own_header_and_library(installed, files, more):
    for name in [*files, *more]:
        (installed / name).parent.mkdir(parents=True, exist_ok=True)
        (installed / name).touch()
    header, library = (installed / name for name in files)
    assert config.get_include() == str(header.parent)
    assert config.get_library() == str(library)


@pytest.mark.parametrize("built", [[], CHECKOUT])  # a folder core may belong to something else
def test_what_is_missing_is_named_with_what_to_do(installed, built, capsys):
    for name in built:
        (installed / name).parent.mkdir(parents=True, exist_ok=True)
        (installed / name).touch()
    with pytest.raises(FileNotFoundError, match=r"^libortcore\.so is not there .*make -C core"):
        config.get_library()
    with pytest.raises(FileNotFoundError, match=r"^onnxruntime_c_api\.h is not there .*reinstall"):
        config.get_include()
    assert config.main(["--libs"]) == 1
    assert "make -C core" in capsys.readouterr().err


def test_a_client_compiles_links_and_runs_with_the_flags(
    monkeypatch, capsys, core_library, c_compiler, tmp_path
):
    monkeypatch.setattr(config, "get_library", lambda: str(core_library))
    assert config.main(["--cflags", "--libs"]) == 0
    flags = shlex.split(capsys.readouterr().out)
    (tmp_path / "client.c").write_text(CLIENT)
    program = tmp_path / "client"
    command = [*c_compiler, str(tmp_path / "client.c"), "-o", str(program), *flags]
    run(*command)
    assert run(program).stdout == f"{VERSION_STRING}\n"


def test_flags_are_quoted_for_a_shell_and_paths_are_printed_without_them(monkeypatch, capsys):
    include, library = "/a b/include", "/a b/lib/libortcore.so"
    monkeypatch.setattr(config, "get_include", lambda: include)
    monkeypatch.setattr(config, "get_library", lambda: library)
    flags = [f"-I{include}", "-L/a b/lib", "-lortcore", "-Wl,-rpath,/a b/lib"]
    for wanted, printed in [
        (["--cflags", "--libs"], flags),
        (["--include", "--library"], [include, library]),
    ]:
        config.main(wanted)
        assert shlex.split(capsys.readouterr().out) == printed


def test_asking_for_nothing_lists_what_there_is(capsys):
    with pytest.raises(SystemExit) as ended:
        config.main([])
    assert ended.value.code == 2
    assert "--cflags, --libs, --include, --library" in capsys.readouterr().err


def test_a_folder_has_the_core_under_the_names_of_onnxruntimes_library(tmp_path, capsys):
    for _ in range(2):  # links are replaced
        assert config.main(["--as-libonnxruntime", str(tmp_path / "as")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'as'}\n" * 2
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        assert (tmp_path / "as" / name).resolve() == Path(config.get_library()).resolve()
    (tmp_path / "libonnxruntime.so").write_text("of somebody else")
    assert config.main(["--as-libonnxruntime", str(tmp_path)]) == 1
    assert (tmp_path / "libonnxruntime.so").read_text() == "of somebody else"
