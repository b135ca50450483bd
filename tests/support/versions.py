# SPDX-License-Identifier: MIT
"""The API version of the core, which stands in its header alone."""

import re

from support.paths import CHECKOUT

_HEADER = (CHECKOUT / "core/include/onnxruntime_c_api.h").read_text(encoding="utf-8")

API_VERSION = int(re.findall(r"^#define ORT_API_VERSION (\d+)$", _HEADER, re.MULTILINE)[0])
VERSION_STRING = f"1.{API_VERSION}.0"
EACH_VERSION = range(1, API_VERSION + 1)


def release_of(library: str) -> str | None:
    """The release in the name of a library, libonnxruntime.so.1.31.1 for example."""
    found = re.search(r"\d+\.\d+\.\d+$", library)
    return found[0] if found else None
