# SPDX-License-Identifier: MIT
"""The name by which the command line was called, for its messages."""

import os
import sys

__all__ = ["program_name"]


def program_name(command: str = "") -> str:
    """``ortcffi COMMAND`` for the installed script, otherwise ``python -m ortcffi COMMAND``."""
    is_script = os.path.splitext(os.path.basename(next(iter(sys.argv), "")))[0] == "ortcffi"
    return " ".join([*([] if is_script else ["python", "-m"]), "ortcffi", command]).rstrip()
