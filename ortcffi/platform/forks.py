# SPDX-License-Identifier: MIT
"""A fork waits until no other thread imports what this package needs.

Modules are imported when they are first used, and Python holds a lock for each meanwhile. In the
child of a fork no thread would release the lock of a module that another thread was importing.
"""

import importlib
import os
import time
from _thread import get_ident  # see `ortcffi._native.main_thread`
from typing import Any

_NEEDED = {"ortcffi", "numpy", "cffi", "_cffi_backend", "ml_dtypes"}
_LONGEST = 10.0  # seconds: an import that itself waits for the forking thread would not end

# Python's own, which has no public name: a weak reference to the lock of each module.
_locks: dict[str, Any] = getattr(getattr(importlib, "_bootstrap", None), "_module_locks", {})


def _is_imported_elsewhere(name: str, lock: Any) -> bool:
    is_needed = name.partition(".")[0] in _NEEDED
    return is_needed and getattr(lock, "owner", None) not in (None, get_ident())


def _wait_for_imports() -> None:
    end = time.monotonic() + _LONGEST
    while any(_is_imported_elsewhere(name, lock()) for name, lock in _locks.copy().items()):
        if time.monotonic() > end:
            return
        time.sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports)
