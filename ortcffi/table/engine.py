# SPDX-License-Identifier: MIT
"""Which table to use where an inference engine is needed: the embedded core has none."""

from functools import cache
from typing import TYPE_CHECKING

from ortcffi._table import default_api, table_for
from ortcffi.table.load import LibraryNotFound, load

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["engine_for"]


def engine_for(api: "Api | None" = None) -> "Api":
    """The table that an argument names; the default if it is not the core's; what `load` finds.

    Raises
    ------
    LibraryNotFound
        Nothing was given or chosen, and no library is installed.
    """
    if api is not None:
        return table_for(api)
    default = default_api()
    return _installed() if default.is_core else default


@cache
def _installed() -> "Api":
    try:
        return load()
    except LibraryNotFound as error:
        raise LibraryNotFound(
            f"this needs an inference engine, which the embedded core is not: pip install "
            f"onnxruntime, or pass api=ortcffi.load(path) ({error})"
        ) from None
