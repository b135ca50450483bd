# SPDX-License-Identifier: MIT
"""The command line as a whole."""

import os
import sys
from contextlib import redirect_stdout
from subprocess import CompletedProcess

import pytest
from support import processes

from ortcffi import __main__ as command_line
from ortcffi.cli.info import package_version

COMMAND = [sys.executable, "-m", "ortcffi"]


def run(*arguments: str) -> CompletedProcess[str]:
    return processes.run(*COMMAND, *arguments, code=None)


def test_help_lists_every_command():
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n  {name} " in done.stdout for name in ["bench", "doctor", "info", "config"])


def test_without_arguments_it_helps(run_here):
    assert run_here().stdout == run_here("--help").stdout


@pytest.mark.parametrize("name", command_line.COMMANDS)
def test_every_command_has_help(run_here, name):
    done = run_here(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: python -m ortcffi {name} ")


@pytest.mark.parametrize("script", ["/usr/bin/ortcffi", "ortcffi.exe"])
def test_the_installed_script_calls_itself_by_its_name(run_here, monkeypatch, script):
    monkeypatch.setattr(sys, "argv", [script])
    assert run_here().stdout.startswith("usage: ortcffi COMMAND ")
    assert run_here("info", "--frobnicate").stderr.startswith("usage: ortcffi info ")
    assert run_here("run", "no such file.onnx").stderr.startswith("ortcffi run: ")


def test_the_version_is_printed(run_here):
    assert run_here("--version").stdout == f"ortcffi {package_version()}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["info", "--frobnicate"], "--frobnicate"),
        (["edit", "a.onnx", "--batch", "8"], "required: -o"),
        (
            ["edit", "a.onnx", "-o", "a.onnx", "--rename", "x"],
            "argument --rename: must be OLD=NEW, not",
        ),
        (["edit", "a.onnx", "-o", "a.onnx", "--dim", "=y"], "argument --dim: must be OLD=NEW, not"),
        *(
            (["bench", "--seconds", given], f"{given} is not above 0 and at most 86400")
            for given in ("nan", "inf", "0", "-1", "1e9")
        ),
    ],
)
def test_a_wrong_option_is_named(run_here, words, says):
    done = run_here(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize("argument", ["frobnicate", "--frobnicate", ""])
def test_an_unknown_command_is_named_with_what_was_expected(run_here, argument):
    done = run_here(argument)
    assert (done.returncode, done.stdout) == (2, "")
    names = "run, info, edit, diff, bench, doctor, check, conform, config"
    expected = f"no such command: {argument!r}; expected one of {names}\n"
    assert done.stderr.endswith(expected)


def test_a_reader_that_goes_away_is_no_traceback():
    reader, writer = os.pipe()
    os.close(reader)
    done = processes.run(*COMMAND, "info", code=141, stdout=writer)
    os.close(writer)
    assert done.stderr == ""


def test_a_path_that_is_no_text_is_printed_escaped_and_the_exit_code_is_the_commands():
    path = os.fsdecode(b"/no/such/\xff.so")
    variables = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    done = processes.run(*COMMAND, "check", path, code=1, text=False, env=variables)
    assert rb"/no/such/\udcff.so" in done.stdout


def test_an_interrupt_is_no_traceback(monkeypatch, capsys):
    class Interrupted:
        @staticmethod
        def main(_: object) -> int:
            raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "import_module", lambda _: Interrupted)
    assert command_line.main(["info"]) == 130
    assert capsys.readouterr().err == ""


# --- what the system does to it -------------------------------------------------------------------


def in_a_shell(script: str) -> CompletedProcess[str]:
    """A script in which "$@" is the command."""
    return processes.run("sh", "-c", script, "sh", *COMMAND, code=None)


WRITING = [  # a call, and how errors name it
    ("info", "ortcffi info"),
    ("--version", "ortcffi"),
]


@pytest.mark.parametrize(("command", "name"), WRITING)
def test_a_closed_stdout_is_an_error_without_a_traceback(command, name):
    done = in_a_shell(f'"$@" {command} >&-')
    assert (done.returncode, done.stderr) == (1, f"python -m {name}: stdout is closed\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize(("command", "name"), WRITING)
def test_a_full_disk_is_an_error_without_a_traceback(command, name):
    done = in_a_shell(f'"$@" {command} >/dev/full')
    assert done.returncode == 1
    assert done.stderr == f"python -m {name}: [Errno 28] No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="the system does not list files")
def test_an_output_without_a_reader_leaves_no_file_open():
    before = os.listdir("/proc/self/fd")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="utf-8") as output, redirect_stdout(output):
        assert command_line.main(["--version"]) == 128 + 13
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("command", ["doctor", "check"])
def test_a_relative_path_in_a_deleted_directory_is_an_error_without_a_traceback(
    run_here, tmp_path, monkeypatch, command
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = run_here(command, "lib.so")
    assert done.returncode == 1
    assert "'lib.so' is a relative path, and the current directory was deleted" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("forks")
def test_entries_of_the_search_path_that_are_not_text_are_ignored(monkeypatch):
    import ortcffi
    from ortcffi.cli import doctor

    monkeypatch.setattr(sys, "path", [None, b"/nowhere", *sys.path])
    assert ortcffi.find_runtimes()[0].source == "embedded core"
    assert all(not finding.chosen or finding.used_version for finding in doctor.diagnose())
