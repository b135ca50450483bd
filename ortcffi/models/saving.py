# SPDX-License-Identifier: MIT
"""Models written: whole, or with weights in another file."""

import errno
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from ortcffi._convert import byte_count, path_of
from ortcffi._native import address_of_function, ffi, lib
from ortcffi._new_file import NewFile, new_file
from ortcffi.callbacks.from_c import Context
from ortcffi.errors import OrtError
from ortcffi.kernels.host import call_host_on
from ortcffi.models.compile_callbacks import Sink
from ortcffi.models.contents import external_files_of

if TYPE_CHECKING:
    from ortcffi.models.model import Model

Take = Callable[[Any], object]


def _write(
    model: "Model", take: Take, take_external: Take | None = None, name: str = "", above: int = 0
) -> None:
    """Write a model; an exception of one of the functions that take it is raised itself.

    Tensors of so many bytes go to another function, and have the name of a file in the model.
    """
    writing = ffi.new("OrtcoreWriting*")
    writing.version = lib.ORTCFFI_API_VERSION
    contexts = [Context(Sink(take, model.api))]
    writing.write, writing.state = address_of_function("ortcffi_write"), contexts[0].pointer
    text = ffi.new("char[]", os.fsencode(name))
    if take_external is not None:
        contexts.append(Context(Sink(take_external, model.api)))
        writing.write_external, writing.external_state = writing.write, contexts[1].pointer
        writing.external_name, writing.external_above = text, above
    try:
        call_host_on(model, "OrtcoreWriteModel", writing)
    except OrtError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise


def bytes_of(model: "Model") -> bytes:
    """Return the model as a file has it, with all weights."""
    content = BytesIO()  # which hands its memory out as bytes
    _write(model, content.write)
    return content.getvalue()


def save(
    model: "Model", path: "str | os.PathLike[str]", external_data: int | str | None = None
) -> None:
    """Write a model to a file, or to two, as `Model.save` describes."""
    given = os.fsdecode(path_of("path", path))
    if external_data is None:
        with new_file(given) as file:
            _write(model, file.take)
        return
    above, target = byte_count("external_data", external_data), os.path.realpath(given)
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(f"external_data needs a file at path, which {given!r} is not")
    old = _data_files_of(target, type(model).load)
    with new_file(given) as file, _DataFile(target, file, is_next=bool(old)) as data:
        _write(model, file.take, data.take, data.name, above)
        data.finish()
        file.finish()
        file.replace()
    for name in old:  # no model names these files any more
        with suppress(OSError):
            os.unlink(name)


class _DataFile:
    """A new file for weights, beside a model.

    No other file has its name, and it is not the next that has the plain one: whatever ends the
    process, and who has the model at the path open, a model has its own weights or none.
    """

    def __init__(self, model: str, file: NewFile, *, is_next: bool) -> None:
        self.is_used, self._model = False, file
        names = [f"{model}.{os.urandom(4).hex()}.data" for _ in range(100)]
        for path in names if is_next else (f"{model}.data", *names):
            with suppress(FileExistsError):
                self._file: BinaryIO = open(path, "xb", opener=file.open_like)  # noqa: SIM115
                break
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), f"{model}.data")
        self._path, self.name = path, os.path.basename(path)

    def take(self, content: Any) -> None:
        """Write the next bytes."""
        self.is_used = True
        self._file.write(content)

    def finish(self) -> None:
        """Close it; all is written then."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):
            self._file.close()
        if not (self.is_used and self._model.is_in_place):
            os.unlink(self._path)


def _data_files_of(path: str, load: "Callable[[str], Model]") -> list[str]:
    """List the files of weights that `save` made for the model at a path."""
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(name) + r"(\.[0-9a-f]{8})?\.data")
    found = [each for each in os.listdir(folder) if pattern.fullmatch(each)]
    named: Iterable[str] = ()
    with suppress(OSError, OrtError):  # what is no model has no weights
        if found:
            with load(path) as old:
                named = external_files_of(old)
    return [os.path.join(folder, each) for each in found if each in named]
