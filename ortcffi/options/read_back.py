# SPDX-License-Identifier: MIT
"""Reads the settings and lists of options of the embedded core, beyond what the API can read.

Options that another library made cannot be read this way. Options of an emulated host are the
core's.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._handle import out_of, owner_of
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import check
from ortcffi.options.settings import Options, file, lock, path, text
from ortcffi.status import KeyValuePairs

__all__ = ["Item", "read_items", "read_pairs", "read_settings"]

Reader = Callable[[Any, Any], Any]


def read_pairs(options: Options, reader: Reader) -> dict[str, str] | None:
    """The pairs that a function of the core reads from options; None for another library's options.

    Parameters
    ----------
    options : Options
        The options, not closed.
    reader : callable
        ``lib.core_describe_session_options``, or another such function of the boundary.
    """
    if not options.api.is_core:
        return None
    api = core_api()
    owner = owner_of("OrtKeyValuePairs*", api, lib.ReleaseKeyValuePairs)
    out = out_of(owner)
    with lock:
        check(api.pointer, reader(options.handle, out), reader.__name__)
    if not out[0]:
        return None
    with KeyValuePairs.from_handle(api, owner) as pairs:
        return pairs.to_dict()


def read_settings(options: Options, reader: Reader) -> dict[str, Any]:
    """The settings that a function of the core reads, by name; {} for another library's options.

    A path that is not set is None.
    """
    found = read_pairs(options, reader)
    if found is None:
        return {}
    values: dict[str, Any] = {}
    for name, setting in options._settings().items():
        if setting.convert in (path, file):
            values[name] = found.get(name)
        elif name in found:
            values[name] = found[name] if setting.convert is text else int(found[name])
    return values


class Item(NamedTuple):
    """An item of a list of session options.

    Attributes
    ----------
    name : str
        The name that it was added with.
    number : int
        The dimension, or how many bytes a file has.
    pointer : cdata of ``const void *``
        The ``OrtValue``, or the bytes of a file, borrowed from the options.
    is_denotation : bool
        Whether `name` is the denotation of a dimension.
    """

    name: str
    number: int
    pointer: Any
    is_denotation: bool


def read_items(options: Options, kind: int) -> list[Item]:
    """The items of a list of session options, in the order in which they were added.

    Parameters
    ----------
    options : SessionOptions
        The options, not closed. Options of another library have no items.
    kind : int
        The list: ``lib.CORE_FREE_DIMENSIONS`` or another member of that C enum.
    """
    items: list[Item] = []
    item = ffi.new("core_session_item*")
    with lock:
        while lib.core_read_session_item(options.handle, kind, len(items), item):
            name = decode(item.key)
            items.append(Item(name, item.number, item.pointer, bool(item.mark)))
    return items
