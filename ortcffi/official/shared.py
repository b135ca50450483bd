# SPDX-License-Identifier: MIT
"""What this package and the official one share: an environment, values, settings, exceptions."""

import importlib
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ortcffi.env.env import Env
from ortcffi.errors import (
    NotImplemented,
    OrtError,
    RuntimeException,
    code_and_message,
    error_for,
)
from ortcffi.memory.python_allocator import PythonAllocator
from ortcffi.official.layout import UnknownLayoutError
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from types import ModuleType

    from ortcffi.memory.allocator import Allocator
    from ortcffi.official.attached import Official

__all__ = ["Borrowed", "Translation", "environment_of", "make_ortvalue", "share_for_good"]


def environment_of(official: "Official") -> Env:
    """The environment in which the sessions of the official package are.

    Older releases make it without the function that counts its users, so that the API finds none,
    and cannot make a second one.
    """
    try:
        return Env(api=official)
    except RuntimeException as error:
        raise NotImplemented(
            f"the environment of onnxruntime {official.version_string} cannot be reached; that of "
            "1.23 and newer ones can"
        ) from error


def share_for_good(official: "Official", allocator: "Allocator") -> None:
    """Register an allocator that stays until the process ends, also when another replaces it."""
    if isinstance(allocator, PythonAllocator):
        raise TypeError("an allocator in Python cannot outlive the interpreter, as sessions may")
    official.env._register(allocator, for_good=True)


def make_ortvalue(module: "ModuleType", value: Value) -> Any:
    """Make an ``onnxruntime.OrtValue`` over the memory of a tensor; see `Official.ortvalue`."""
    if not isinstance(value, Value):
        raise TypeError(f"value must be a Value, not {type(value).__name__}")
    if value.kind is not ValueKind.TENSOR or value.element_type is ElementType.STRING:
        raise TypeError(f"{value!r} cannot be shared with the official package by DLPack")
    if not hasattr(module.OrtValue, "from_dlpack"):
        raise UnknownLayoutError("this release of onnxruntime has no OrtValue.from_dlpack")
    # Before release 1.32 it refuses DLPack's type for bool, but takes bytes with a flag.
    is_bool = value.element_type is ElementType.BOOL
    shared = Value.from_numpy(value.numpy().view("u1")) if is_bool else value
    try:
        made = module.OrtValue.from_dlpack(shared.__dlpack__(), is_bool)
    except TypeError:
        made = module.OrtValue.from_dlpack(value.__dlpack__())
    return importlib.import_module("onnxruntime").OrtValue(made)


class Borrowed(dict[str, Any]):
    """What official options borrow, by the name of the setting; what is replaced stays.

    A session that was made before still calls the logger that the options had then. Sessions keep
    their official options, and these keep this.
    """

    def __init__(self) -> None:
        self.replaced: list[Any] = []

    def __setitem__(self, name: str, borrowed: Any) -> None:
        if name in self:
            self.replaced.append(self[name])
        super().__setitem__(name, borrowed)

    def pop(self, name: str, *default: Any) -> Any:
        """Clear a setting. Its object stays, since sessions that were made before still use it."""
        if name in self:
            self.replaced.append(self[name])
        return super().pop(name, *default)


def translated(error: BaseException) -> BaseException | None:
    """The exception that the status of an official one stands for; None where it has none."""
    if isinstance(error, OrtError):
        return None
    found = code_and_message(error)
    return error_for(*found, None) if found else None


class Translation:
    """A context manager that raises `ortcffi.errors` for official exceptions."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is not None and (ours := translated(error)) is not None:
            raise ours from error
