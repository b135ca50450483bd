# SPDX-License-Identifier: MIT
"""Python functions that read and write the data of compiled models, which models name."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode
from ortcffi._native import ffi
from ortcffi.callbacks.from_c import Subject, called_from_c, find, make_status_of_subject

if TYPE_CHECKING:
    from ortcffi._ort import Cdata, OrtAllocator

NamedWriter = Callable[[str, bytes], object]


def _subject_of(context: "Cdata") -> Subject:
    subject: Subject | None = find(context)
    if subject is None:
        raise RuntimeError("the options with the function for the data of models were deleted")
    return subject


@called_from_c("ortcffi_python_read_named", make_status_of_subject)
def _read(
    context: "Cdata", name: "Cdata", allocator: "OrtAllocator", buffer: "Cdata", size: "Cdata"
) -> Any:
    """Copy the data into a block of the library's allocator."""
    subject = _subject_of(context)
    answer = subject.function(decode(name))
    try:
        content = ffi.from_buffer("char[]", answer)
    except (TypeError, ValueError, BufferError):
        kind = type(answer).__name__
        raise TypeError(f"the function must return bytes-like, not {kind}") from None
    block = ffi.new("void**")
    if len(content):
        subject.api._call("AllocatorAlloc", allocator, len(content), block)
        ffi.memmove(block[0], content, len(content))
    buffer[0], size[0] = block[0], len(content)
    return ffi.NULL


@called_from_c("ortcffi_python_write_named", make_status_of_subject)
def _write(context: "Cdata", name: "Cdata", content: "Cdata", size: int) -> Any:
    """Pass the data on."""
    data = bytes(ffi.buffer(ffi.cast("char*", content), size)) if size else b""
    _subject_of(context).function(decode(name), data)
    return ffi.NULL
