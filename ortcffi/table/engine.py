# SPDX-License-Identifier: MIT
"""Which library runs models: a real one, or the core with execution providers or custom ops."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ortcffi._table import core_api, default_api, registered_devices, table_for

if TYPE_CHECKING:
    from typing import TypeGuard

    from ortcffi.options.session_options import SessionOptions
    from ortcffi.table.api import Api

_RUN_BY_CORE = ("ep_devices", "op_domains")  # what options keep that computes


def engine_for(api: "Api | None", *belongings: Any, on_core: bool | None = None) -> "Api":
    """Return the table whose library is to run a model."""
    if api is not None:
        return table_for(api)
    for belonging in belongings:
        if belonging is not None and _decides(belonging):
            return belonging.api  # type: ignore[no-any-return]
    if on_core is None:
        # Options of a library with an engine have decided before.
        chooses = any(_is_options(each) and each._chooses_devices for each in belongings)
        on_core = chooses and bool(hold_registered(core_api()))
    if on_core:
        return core_api()
    default = default_api()
    return default if has_engine(default) else load_engine()


def has_engine(api: "Api") -> bool:
    """Whether a table runs models without execution providers and custom ops."""
    return not api.is_core


def _decides(belonging: Any) -> bool:
    from ortcffi.env.env import Env

    if has_engine(belonging.api) or isinstance(belonging, Env):
        return True
    return _is_options(belonging) and any(belonging._alive.get(name) for name in _RUN_BY_CORE)


def _is_options(belonging: object) -> "TypeGuard[SessionOptions]":
    from ortcffi.options.session_options import SessionOptions

    return isinstance(belonging, SessionOptions)


def hold_registered(api: "Api") -> "dict[Any, Any]":
    """Return what keeps the execution providers registered that a library has."""
    if api.library not in registered_devices:
        return {}
    from ortcffi.ep import registered

    return registered.hold_registered(api)


# What was found, and for which settings: a search takes longer than a small session. A library
# stays loaded until the process ends.
_found: "tuple[tuple[str | None, list[Any]], Api] | None" = None


def load_engine() -> "Api":
    """Return the library that `load` finds; if it finds none, the error says what to install.

    While the variable ``ORTCFFI_LIBRARY`` and ``sys.path`` stay as they are, it is searched once.
    """
    from ortcffi.table.load import VARIABLE, LibraryNotFound, load

    global _found  # noqa: PLW0603  # there is one process
    settings = os.environ.get(VARIABLE), sys.path
    if _found is None or _found[0] != settings:
        try:
            _found = (settings[0], sys.path.copy()), load()
        except LibraryNotFound as error:
            if error.path is not None:  # ORTCFFI_LIBRARY names it
                raise
            remedy = advice()
            message = f"a Session needs a library that runs models, and none was found: {remedy}"
            missing = LibraryNotFound(message)
            missing.problem, missing.remedy = error.problem, remedy
            raise missing from error
    return _found[1]


def advice(library: str = "pass api=ortcffi.load({})", ep: str = "pass providers=[{!r}]") -> str:
    """Get what can run a model: an installed library or execution provider, or one to install."""
    from ortcffi.ep.installed import installed_eps
    from ortcffi.table.load import VARIABLE, installed_libraries

    is_here = os.environ.get(VARIABLE) or installed_libraries()
    get = "" if is_here else "run 'pip install onnxruntime', set ORTCFFI_LIBRARY, or "
    installed = [each.name for each in installed_eps()]
    names = installed or ["nxrt"]
    install = "" if installed else "run 'pip install nxrt-ep-cpu' and "
    return f"{get}{library.format('' if is_here else 'path')}; or {install}{ep.format(names[0])}"
