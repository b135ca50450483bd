# SPDX-License-Identifier: MIT
"""What options of the embedded core hold, read from the core itself.

The API has functions for little of it. Nothing can be read of options that another library has
made; those of a table that is traced or plays an older host are the core's.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import fail
from ortcffi.options.settings import Options, Setting, file, path, text
from ortcffi.status.key_values import KeyValuePairs

__all__ = ["Item", "read_items", "read_pairs", "read_settings"]

Reader = Callable[[Any, Any], Any]


def read_pairs(options: Options, reader: Reader) -> dict[str, str] | None:
    """What a function of the core tells of options; None for another library's.

    Parameters
    ----------
    options : Options
        The options, not closed.
    reader : callable
        ``lib.ortcffi_describe_session_options`` or one of its kin, which answers pairs.
    """
    api, out = core_api(), ffi.new("OrtKeyValuePairs**")
    if status := reader(options.handle, out):
        fail(api.pointer, status, reader.__name__)
    if not out[0]:
        return None
    with KeyValuePairs.from_handle(api, out[0]) as pairs:
        return pairs.to_dict()


def read_settings(options: Options, reader: Reader) -> dict[str, Any]:
    """The settings that a function of the core tells, by name; {} for another library's.

    A path that the core does not tell is not set: None.
    """
    told = read_pairs(options, reader)
    if told is None:
        return {}
    values: dict[str, Any] = {}
    for name in dir(type(options)):
        setting = getattr(type(options), name)
        if not isinstance(setting, Setting):
            continue
        if setting.convert in (path, file):
            values[name] = told.get(name)
        elif name in told:
            values[name] = told[name] if setting.convert is text else int(told[name])
    return values


class Item(NamedTuple):
    """An item of a list of session options.

    Attributes
    ----------
    name : str
        What it was added under.
    number : int
        The dimension, or how many bytes a file has.
    pointer : cdata of ``const void *``
        The ``OrtValue``, or the bytes of a file; lent as long as the options have it.
    is_denotation : bool
        Whether `name` is the denotation of a dimension.
    """

    name: str
    number: int
    pointer: Any
    is_denotation: bool


def read_items(options: Options, kind: int) -> Iterator[Item]:
    """The items of a list of session options, in the order in which they were added.

    Parameters
    ----------
    options : SessionOptions
        The options, not closed. Those of another library have no items.
    kind : int
        One of ``lib.ORTCFFI_FREE_DIMENSIONS`` and its kin.
    """
    item, i = ffi.new("ortcffi_session_item*"), 0
    while lib.ortcffi_read_session_item(options.handle, kind, i, item):
        yield Item(decode(item.name), item.number, item.pointer, bool(item.is_denotation))
        i += 1
