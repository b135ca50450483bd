# SPDX-License-Identifier: MIT
"""What tests need of the installed onnxruntime: tools/run_on_releases.py runs older releases."""

import re
from importlib import metadata

import pytest

NEWER_SLOT = re.compile(r"\w+ came with API version \d+; this table has \d+")
REACHABLE = (1, 21)  # the first release whose objects hand out what they hold


def installed_release() -> tuple[int, int]:
    """The major and minor version of the installed package; a high one if there is none."""
    try:
        major, minor = metadata.version("onnxruntime").split(".")[:2]
    except metadata.PackageNotFoundError:
        return (99, 0)
    return (int(major), int(minor))


def needs_release(minor: int, what: str) -> pytest.MarkDecorator:
    """Skips a test on releases before 1.`minor`, which lack something."""
    reason = f"onnxruntime has {what} since 1.{minor}"
    return pytest.mark.skipif(installed_release() < (1, minor), reason=reason)


def official_since(minor: int) -> pytest.MarkDecorator:
    """Takes the official package beside the drop-in only from release 1.`minor` on."""
    packages = ["official", "compat"] if installed_release() >= (1, minor) else ["compat"]
    return pytest.mark.parametrize("onnxruntime", packages, indirect=True)


def missing_in(error: BaseException) -> str | None:
    """What an older release lacks that an error tells of; None for other errors."""
    text = f"{type(error).__name__}: {error}"
    if installed_release() < REACHABLE and "UnknownLayoutError" in text:
        return "objects of the official package are reached since onnxruntime 1.21"
    found = NEWER_SLOT.search(text)
    return found[0] if found else None
