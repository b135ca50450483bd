# SPDX-License-Identifier: MIT
"""Settings that callers of the backend may choose."""

from collections.abc import Mapping
from typing import Any

__all__ = ["set_allowed"]


def set_allowed(options: Any, settings: Mapping[str, Any], allowed: frozenset[str]) -> None:
    """Set those that are allowed; another one of the options is an error, the rest is ignored."""
    for name, value in settings.items():
        if name in allowed:
            setattr(options, name, value)
        elif hasattr(options, name):
            kind, names = type(options).__name__, ", ".join(sorted(allowed))
            raise RuntimeError(
                f"{kind}.{name} is not permitted through the backend, which allows {names}"
            )
