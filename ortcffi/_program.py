# SPDX-License-Identifier: MIT
"""The name by which the command line was called, for its messages."""

import sys
from pathlib import PurePath

__all__ = ["program_name"]


def program_name(command: str = "") -> str:
    """``ortcffi COMMAND`` for the installed script, otherwise ``python -m ortcffi COMMAND``."""
    is_script = PurePath(next(iter(sys.argv), "")).stem == "ortcffi"
    return " ".join([*([] if is_script else ["python", "-m"]), "ortcffi", command]).rstrip()
