# SPDX-License-Identifier: MIT
"""Where a process that examines a library finds what this process can import."""

import json
import sys


def search_path() -> str:
    """The entries of ``sys.path`` that another process can use, as JSON."""
    return json.dumps([entry for entry in sys.path if isinstance(entry, str)])
