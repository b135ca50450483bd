# SPDX-License-Identifier: MIT
"""Models written: whole, or with weights in another file, or as a skeleton without them."""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ortcffi._callback import subject_context
from ortcffi._convert import SIZE
from ortcffi._native import ffi, lib
from ortcffi.kernels.host import call_host, host_function
from ortcffi.models import compile_callbacks  # noqa: F401  # defines what C calls

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["bytes_of", "save", "skeleton_of"]

_VERSION = lib.ORTCFFI_API_VERSION
Take = Callable[[Any], object]


def _write(
    model: "Model", take: Take, take_external: Take | None = None, name: bytes = b"", above: int = 0,
    *, is_skeleton: bool = False,
) -> None:
    writing = ffi.new("OrtcoreWriting*")
    writing.version = _VERSION
    writing.is_skeleton = is_skeleton
    context = subject_context(take, model.api)
    writing.write = writing.write_external = ffi.addressof(lib, "ortcffi_write")
    writing.state = context.pointer
    if take_external is None:
        writing.write_external = ffi.NULL
    else:
        external, text = subject_context(take_external, model.api), ffi.new("char[]", name)
        writing.external_state, writing.external_name = external.pointer, text
        writing.external_above = above
    model._read_handle(_call, model.api.pointer, writing)


def _call(_table: Any, model: Any, writing: Any) -> None:
    call_host("ortcore_write_model", host_function("OrtcoreWriteModel"), model, writing)


def _collected(model: "Model", *, is_skeleton: bool) -> bytes:
    content = bytearray()
    _write(model, content.extend, is_skeleton=is_skeleton)
    return bytes(content)


def bytes_of(model: "Model") -> bytes:
    """The model as a file has it, with all weights."""
    return _collected(model, is_skeleton=False)


def skeleton_of(model: "Model") -> bytes:
    """The model without large weights."""
    return _collected(model, is_skeleton=True)
