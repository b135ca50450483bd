# SPDX-License-Identifier: MIT
"""`LoraAdapter`: weights that a run uses instead of a model's."""

import os
import stat
from typing import TYPE_CHECKING, Any

from ortcffi._convert import bytes_like, input_path, native, of_type_or_none
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.memory.allocator import Allocator
from ortcffi.table.engine import engine_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class LoraAdapter(Handle):
    """Tensors that replace initializers of a model in the runs whose options have this adapter.

    A model that was fine-tuned by low-rank adaptation (LoRA) has an adapter for each task. The
    initializers must be overridable: see `Session.overridable_initializers`. API functions:
    ``CreateLoraAdapter``, ``CreateLoraAdapterFromArray``, ``ReleaseLoraAdapter``, since version 20.

    Parameters
    ----------
    source : str, os.PathLike or bytes-like
        The path of an adapter, or its bytes, which the library copies. A file is read as well,
        because the library would map it: with a file that became shorter, runs would end the
        process with SIGBUS.
    api : Api, optional
        The library whose runs use it, by default the one that a `Session` would choose.
    allocator : Allocator, optional
        Of the memory of a device, to which the library copies the tensors. By default they stay in
        the CPU's memory. The core takes none.

    Examples
    --------
    >>> with LoraAdapter("task.onnx_adapter") as adapter:  # doctest: +SKIP
    ...     options = RunOptions(adapters=[adapter])
    ...     session.run({"x": x}, options=options)
    """

    __slots__ = ()

    _pointer, _release = "OrtLoraAdapter*", lib.ReleaseLoraAdapter

    def __init__(
        self,
        source: Any,
        api: "Api | None" = None,
        *,
        allocator: "Allocator | None" = None,
    ) -> None:
        of_type_or_none("allocator", allocator, Allocator)
        api = engine_for(api, allocator)
        if allocator is not None and not api.same_library(allocator.api):
            raise ValueError(f"allocator belongs to {allocator.api}, and the adapter to {api}")
        memory = ffi.NULL if allocator is None else allocator.handle
        arguments: tuple[Any, ...]
        if isinstance(source, (str, os.PathLike)):
            path = input_path("source", source)
            content = _content_of(path)
            # The library says what is wrong with what cannot be read.
            slot, arguments = "CreateLoraAdapter", (native(path),)
        else:
            content = bytes_like("source", source)
            if len(content) == 0:
                raise ValueError("source must not be empty")
        if content:
            slot, arguments = "CreateLoraAdapterFromArray", (content, len(content))
        self._create(api, slot, *arguments, memory, parents=(allocator,))

    def __repr__(self) -> str:
        return f"<LoraAdapter {'closed' if self.closed else f'of {self.api}'}>"


def _content_of(path: bytes) -> bytes:
    """Return the content of a file; empty for what is no file or cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
