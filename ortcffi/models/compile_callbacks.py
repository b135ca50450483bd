# SPDX-License-Identifier: MIT
"""Python functions that a library calls while it compiles a model."""

from collections.abc import Callable
from os import fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import SIZE, decode, decode_path, encode, integer, native
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import Subject, called_from_c, find, make_status_of_subject
from ortcffi.errors import check
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi._ort import Cdata
    from ortcffi.table.api import Api


@public
class StoredAt(NamedTuple):
    """Where the data of an initializer is kept outside a model.

    Parameters
    ----------
    path : str
        The file, absolute or relative to the model's directory.
    offset : int
        Where in the file the data begins.
    size : int
        How many bytes it has.
    """

    path: str
    offset: int
    size: int


Write = Callable[[bytes], object]
Locate = Callable[[str, Value, StoredAt | None], StoredAt | None]


class Sink(Subject):
    """A function that takes memory, which is there for the time of the call, in place of bytes."""

    __slots__ = ()


@called_from_c("ortcffi_python_write", make_status_of_subject)
def _write(context: "Cdata", content: "Cdata", size: int) -> Any:
    """Pass a part of a model on."""
    subject: Subject = find(context)
    memory = ffi.buffer(ffi.cast("char*", content), size) if size else b""
    subject.function(memory if isinstance(subject, Sink) else bytes(memory))
    return ffi.NULL


@called_from_c("ortcffi_python_locate", make_status_of_subject)
def _locate(context: "Cdata", name: "Cdata", value: "Cdata", stored: "Cdata", out: "Cdata") -> Any:
    """Ask where an initializer is kept."""
    subject: Subject = find(context)
    api = subject.api
    parent = object()  # the library: the value is valid for the time of the call
    # A copy: the function may keep it, or an array of it, for longer.
    copy = Value.from_handle(api, ffi.cast("OrtValue*", value), parent).copy()
    tensor = Value.from_handle(api, copy.handle, copy, readonly=True)
    answer = subject.function(decode(name), tensor, stored_at(api, stored))
    if answer is not None:
        _make_info(api, answer, out)
    return ffi.NULL


def stored_at(api: "Api", info: Any) -> StoredAt | None:
    """Return what an ``OrtExternalInitializerInfo`` says."""
    if not info:
        return None
    path = decode_path(lib.ExternalInitializerInfo_GetFilePath(api.pointer, info))
    offset = lib.ExternalInitializerInfo_GetFileOffset(api.pointer, info)
    return StoredAt(path, offset, lib.ExternalInitializerInfo_GetByteSize(api.pointer, info))


def _make_info(api: "Api", answer: Any, out: Any) -> None:
    try:
        path, offset, size = answer
    except (TypeError, ValueError):
        raise TypeError(
            f"the function must return a StoredAt or None, not {type(answer).__name__}"
        ) from None
    name = native(encode("path", fspath(path)))
    where = integer("offset", offset, SIZE)
    length = integer("size", size, SIZE)
    create = lib.CreateExternalInitializerInfo
    check(api.pointer, create(api.pointer, name, where, length, out))
