# SPDX-License-Identifier: MIT
"""What processes that examine a library are told of this one."""

import json
import sys


def search_path() -> str:
    """The entries of ``sys.path`` that another process can use, as JSON."""
    return json.dumps([entry for entry in sys.path if isinstance(entry, str)])
