# SPDX-License-Identifier: MIT
"""Which library runs models: the embedded core has no inference engine."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ortcffi._table import default_api, table_for
from ortcffi.errors import NotImplemented
from ortcffi.table.load import VARIABLE, LibraryNotFound, load

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["engine_for", "load_engine"]

ADVICE = "run 'pip install onnxruntime', set ORTCFFI_LIBRARY, or pass api=ortcffi.load(path)"


def engine_for(api: "Api | None", *belongings: Any) -> "Api":
    """The table whose library runs models.

    Parameters
    ----------
    api : Api or None
        The one that was asked for.
    *belongings : object
        What the session is made with and belongs to a table: one that is not of the core decides
        if `api` is None.

    Raises
    ------
    NotImplemented
        `api` is the embedded core's, which has no engine.
    LoadError
        No library was found, or it cannot be loaded.
    """
    if api is not None:
        if not table_for(api).supports("CreateSession"):
            raise NotImplemented(
                f"api is {api}, which has no engine to run models with: {ADVICE}", "CreateSession"
            )
        return api
    for belonging in belongings:
        if belonging is not None and belonging.api.supports("CreateSession"):
            return belonging.api  # type: ignore[no-any-return]
    default = default_api()
    return default if default.supports("CreateSession") else load_engine()


# What was found, and for which settings: a search takes longer than a small session. A library
# stays loaded until the process ends.
_found: "tuple[tuple[str | None, list[Any]], Api] | None" = None


def load_engine() -> "Api":
    """The library that `load` finds; if it finds none, the error says what to install.

    While the variable ``ORTCFFI_LIBRARY`` and ``sys.path`` stay as they are, it is searched once.
    """
    global _found  # noqa: PLW0603  # there is one process
    settings = os.environ.get(VARIABLE), sys.path
    if _found is None or _found[0] != settings:
        _found = (settings[0], sys.path.copy()), _search()
    return _found[1]


def _search() -> "Api":
    try:
        return load()
    except LibraryNotFound as error:
        if error.path is not None:  # ORTCFFI_LIBRARY names it
            raise
        told = f"a Session needs a library that runs models, and none was found: {ADVICE}"
        missing = LibraryNotFound(told)
        missing.problem, missing.remedy = error.problem, ADVICE
        raise missing from error
