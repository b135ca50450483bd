# SPDX-License-Identifier: MIT
"""The facts of the build, in the official package's module for them."""

from typing import Any

from ortcffi.compat import _package
from ortcffi.compat._package import package_name

__all__ = ["__version__", "package_name"]  # noqa: F822  # the first is made when it is asked for


def __getattr__(name: str) -> Any:
    if name == "__version__":  # of the library, which is loaded for it
        return _package.version
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
