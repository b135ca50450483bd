# SPDX-License-Identifier: MIT
"""Help for tests of custom ops and execution providers: comparisons, failures, a pytest plugin.

Imported as ``ortcffi.testing``.
"""

from typing import Any

_MODULES = {
    "compare_ep": "ep_compare",
    "compare_with_session": "compare",
    "sweep_allocation_failures": "allocation_failures",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module 'ortcffi.testing' has no attribute {name!r}")
    return getattr(import_module(f"ortcffi.testing.{_MODULES[name]}"), name)
