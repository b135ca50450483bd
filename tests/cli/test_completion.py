# SPDX-License-Identifier: MIT
"""``ortcffi completion``, in a real bash."""

import io
import shlex
import shutil
import sys
from contextlib import redirect_stdout

import pytest
from support.processes import run

from ortcffi.__main__ import COMMANDS, main


def script_for(shell: str) -> str:
    """What the command prints."""
    output = io.StringIO()
    with redirect_stdout(output):
        assert main(["completion", shell]) == 0
    return output.getvalue()


@pytest.fixture(scope="module")
def complete():
    """What bash offers for a line."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    program = f"{shlex.quote(sys.executable)} -m ortcffi"
    script = script_for("bash")

    def offered(*words: str) -> list[str]:
        line = " ".join(map(shlex.quote, ["ortcffi", *words]))
        setup = f'ortcffi() {{ {program} "$@"; }}\n{script}'
        ask = f"COMP_WORDS=({line}) COMP_CWORD={len(words)}; _ortcffi"
        printed = run("bash", "-c", f'{setup}{ask}; printf "%s\\n" "${{COMPREPLY[@]}}"').stdout
        return printed.split()

    return offered


def test_a_shell_completes_every_command(complete):
    assert set(complete("")) == {*COMMANDS, "--help", "--version"}
    assert complete("do") == ["doctor"]


def test_a_shell_completes_the_options_of_a_command(complete):
    assert {"--json", "--help"} <= set(complete("info", "--"))
    assert set(complete("check", "library.so", "--j")) == {"--json", "--junit"}


def test_what_is_no_option_is_left_to_the_shell(complete):
    assert complete("run", "mod") == []
    assert "complete -o default" in script_for("zsh")
