# SPDX-License-Identifier: MIT
"""Models written: whole, or with weights in another file, or as a skeleton without them."""

import os
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import byte_count, path_of
from ortcffi._native import address_of_function, ffi, lib
from ortcffi.callbacks.from_c import Context
from ortcffi.errors import OrtError
from ortcffi.kernels.host import call_host, host_function
from ortcffi.models.compile_callbacks import Sink
from ortcffi.platform.new_file import new_files

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["bytes_of", "save", "skeleton_of"]

Take = Callable[[Any], object]


class _External(NamedTuple):
    """Where tensors of so many bytes go."""

    take: Take
    name: bytes
    above: int


def _write(
    model: "Model", take: Take, external: _External | None = None, *, is_skeleton: bool = False
) -> None:
    """Write a model; an exception of one of the functions that take it is raised itself."""
    writing = ffi.new("OrtcoreWriting*")
    writing.version, writing.is_skeleton = lib.ORTCFFI_API_VERSION, is_skeleton
    contexts = [Context(Sink(take, model.api))]
    writing.write, writing.state = address_of_function("ortcffi_write"), contexts[0].pointer
    if external is not None:
        contexts.append(Context(Sink(external.take, model.api)))
        name = ffi.new("char[]", external.name)
        writing.write_external, writing.external_state = writing.write, contexts[1].pointer
        writing.external_name, writing.external_above = name, external.above
    try:
        model._read_handle(_write_to, model.api.pointer, writing)
    except OrtError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise


def _write_to(_table: Any, model: Any, writing: Any) -> None:
    call_host("ortcore_write_model", host_function("OrtcoreWriteModel"), model, writing)


def bytes_of(model: "Model") -> bytes:
    """The model as a file has it, with all weights."""
    content = BytesIO()  # which hands its memory out as bytes
    _write(model, content.write)
    return content.getvalue()


def skeleton_of(model: "Model") -> bytes:
    """The model without large weights."""
    content = BytesIO()
    _write(model, content.write, is_skeleton=True)
    return content.getvalue()


def save(
    model: "Model", path: "str | os.PathLike[str]", external_data: int | str | None = None
) -> None:
    """Write a model to a file, or to two, as `Model.save` describes."""
    given = os.fsdecode(path_of("path", path))
    above = None if external_data is None else byte_count("external_data", external_data)
    names = [given] if above is None else [given, f"{given}.data"]
    with new_files(*names) as files:
        external = None
        if above is not None:
            name = os.path.basename(f"{given}.data")
            external = _External(files[1].take, os.fsencode(name), above)
        _write(model, files[0].take, external)
        for file in files:
            file.finish()
        for file in reversed(files):  # the model last, which names the other file
            if file.is_used:
                file.replace()
