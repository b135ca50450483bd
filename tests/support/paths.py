# SPDX-License-Identifier: MIT
"""Where the checkout and its parts are."""

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def finds_support(tests: Path = CHECKOUT / "tests") -> dict[str, str]:
    """The environment of a child that imports `support` from a folder of tests."""
    found = [str(tests), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, found))}
