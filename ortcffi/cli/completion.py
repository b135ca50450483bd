# SPDX-License-Identifier: MIT
"""``ortcffi completion``: how a shell completes the command line.

The script has the names of commands, and reads a command's options from that command's help, so
that those stay right when the package is upgraded.
"""

import argparse
import sys
from collections.abc import Sequence

from ortcffi.cli.program import program_name

__all__ = ["main"]

SCRIPT = """\
_ortcffi() {
  local word=${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then words="COMMANDS --help --version"
  elif [ "${word#-}" != "$word" ]; then
    words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*')
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _ortcffi ortcffi
"""
ZSH = "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n"


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    from ortcffi.__main__ import COMMANDS

    parser = argparse.ArgumentParser(
        prog=program_name("completion"),
        description="Print a script that completes commands, options and files of ortcffi.",
        epilog='In ~/.bashrc or ~/.zshrc: eval "$(ortcffi completion bash)", or zsh.',
    )
    parser.add_argument("shell", choices=["bash", "zsh"])
    given = parser.parse_args(arguments)
    script = SCRIPT.replace("COMMANDS", " ".join(sorted(COMMANDS)))
    sys.stdout.write((ZSH if given.shell == "zsh" else "") + script)
    return 0
