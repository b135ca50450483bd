# SPDX-License-Identifier: MIT
"""The part of session options that concerns one model: free dimensions and initializers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import encode, integer, mapping
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.options.read_back import read_items
from ortcffi.options.settings import Options, lock

if TYPE_CHECKING:
    from ortcffi.values.value import Value

__all__ = ["FreeDimension", "SessionInputs"]

INT64 = (-(2**63), 2**63 - 1)


@public
class FreeDimension(NamedTuple):
    """A free dimension of the model's inputs that is fixed to a value.

    Attributes
    ----------
    name : str
        The name or the denotation of the dimension in the model.
    value : int
        Its value.
    is_denotation : bool
        Whether `name` is the denotation, such as ``"DATA_BATCH"``.
    """

    name: str
    value: int
    is_denotation: bool = False


@public
class SessionInputs(Options):
    """The part of session options that concerns one model."""

    __slots__ = ()

    # --- free dimensions --------------------------------------------------------------------------

    def fix_dimension(self, name: str, value: int, *, is_denotation: bool = False) -> None:
        """Fix the free dimensions with one name, in the inputs of the model, to a value.

        Parameters
        ----------
        name : str
            The name that the model gives the dimension, such as ``"batch"``.
        value : int
            The value. Libraries do not check it here.
        is_denotation : bool, optional
            Whether `name` is the denotation of the dimension, such as ``"DATA_BATCH"``.

        Notes
        -----
        API functions: ``AddFreeDimensionOverrideByName``, since version 3, and
        ``AddFreeDimensionOverride``.
        """
        slot = "AddFreeDimensionOverride" if is_denotation else "AddFreeDimensionOverrideByName"
        fixed = integer("value", value, INT64)
        dimension, text = FreeDimension(name, fixed, bool(is_denotation)), encode("name", name)
        with lock:
            self._call(slot, text, fixed)
            self._values.setdefault("free_dimensions", []).append(dimension)

    @property
    def free_dimensions(self) -> list[FreeDimension]:
        """The dimensions that were fixed, oldest first. Of equal names, a model uses the first."""
        kept = self._kept("free_dimensions", [])
        items = read_items(self, lib.ORTCFFI_FREE_DIMENSIONS)
        found = [FreeDimension(item.name, item.number, item.is_denotation) for item in items]
        return found or list(kept)

    # --- initializers -----------------------------------------------------------------------------

    def add_initializer(self, name: str, value: "Value") -> None:
        """Replace the model's initializer of that name by a tensor, which sessions can share.

        Parameters
        ----------
        name : str
            The name of the initializer.
        value : Value
            A tensor over memory that it does not own, such as one over a borrowed array. It is kept
            alive.

        Raises
        ------
        InvalidArgument
            The value is not a tensor or owns its memory, or that name was added before.

        Notes
        -----
        API function: ``AddInitializer``, since version 6.
        """
        text, handle = encode("name", name), self._value("value", value)
        with lock:
            self._lend("initializers", [value])
            self._call("AddInitializer", text, handle)
            self._values.setdefault("initializers", {})[name] = value

    @property
    def initializers(self) -> "dict[str, Value]":
        """The values of `add_initializer`, by name."""
        return dict(self._kept("initializers", {}))

    def add_external_initializers(self, values: "Mapping[str, Value]") -> None:
        """Replace initializers that the model stores in external files by tensors.

        Parameters
        ----------
        values : mapping of str to Value
            As for `add_initializer`.

        Notes
        -----
        API function: ``AddExternalInitializers``, since version 12.
        """
        values = mapping("values", values)
        names = [ffi.from_buffer(encode("a name", name) + b"\0") for name in values]
        handles = [self._value(f"the value of {name!r}", value) for name, value in values.items()]
        arrays = ffi.new("char*[]", names), ffi.new("OrtValue*[]", handles)
        with lock:
            self._lend("external_initializers", values.values())
            self._call("AddExternalInitializers", *arrays, len(names))
            self._values.setdefault("external_initializers", {}).update(values)

    @property
    def external_initializers(self) -> "dict[str, Value]":
        """The values of `add_external_initializers`, by name."""
        return dict(self._kept("external_initializers", {}))

    def add_external_files(self, files: Mapping[str, Any]) -> None:
        """Give sessions the content of the external files in which a model stores initializers.

        Parameters
        ----------
        files : mapping of str to bytes-like
            The content, by the file name in the model. It is borrowed, not copied, so it is kept
            alive and must not change.

        Raises
        ------
        InvalidArgument
            A file of that name was added before.

        Notes
        -----
        API function: ``AddExternalInitializersFromFilesInMemory``, since version 18.
        """
        files = mapping("files", files)
        names = [ffi.from_buffer(encode("a name", name) + b"\0") for name in files]
        contents = [_bytes(f"the content of {name!r}", files[name]) for name in files]
        sizes = ffi.new("size_t[]", [len(content) for content in contents])
        arrays = ffi.new("char*[]", names), ffi.new("char*[]", contents), sizes
        with lock:
            self._lend("external_files", contents)
            self._call("AddExternalInitializersFromFilesInMemory", *arrays, len(names))
            self._values.setdefault("external_files", {}).update(files)

    @property
    def external_files(self) -> dict[str, Any]:
        """The contents of `add_external_files`, by name."""
        return dict(self._kept("external_files", {}))

    def set_weightless_source(self, model: Any) -> None:
        """Give execution providers the source model of a compiled model without weights.

        Parameters
        ----------
        model : bytes-like
            The bytes of the model, at least one. Borrowed and kept alive.

        Notes
        -----
        API function: ``SessionOptionsSetWeightlessSourceModelBuffer``, since version 29.
        """
        held = _bytes("model", model)
        with lock:
            self._lend("weightless_source", [held])
            self._call("SessionOptionsSetWeightlessSourceModelBuffer", held, len(held))
            self._values["weightless_source"], self._alive["weightless_source"] = model, [held]

    @property
    def weightless_source(self) -> Any:
        """What `set_weightless_source` was given, or None."""
        return self._kept("weightless_source", None)

    def _kept(self, name: str, default: Any) -> Any:
        self.handle  # noqa: B018  # raises if closed
        return self._values.get(name, default)

    def _value(self, argument: str, value: Any) -> Any:
        """The handle of a value, which must be of the same table."""
        handle = getattr(value, "handle", None)
        if not isinstance(handle, ffi.CData) or ffi.typeof(handle) is not ffi.typeof("OrtValue*"):
            raise TypeError(f"{argument} must be a Value, not {type(value).__name__}")
        if value.api != self.api:
            raise ValueError(f"{argument} belongs to {value.api}, and these options to {self.api}")
        value._lend()  # so that close() does not release it while these options keep it
        return handle


def _bytes(argument: str, content: Any) -> Any:
    try:
        return ffi.from_buffer("char[]", content)
    except (TypeError, ValueError, BufferError):
        kind = type(content).__name__
        raise TypeError(f"{argument} must be bytes-like and contiguous, not {kind}") from None
