# SPDX-License-Identifier: MIT
"""The official package's rules for inputs and outputs, where a `Session`'s are stricter."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ortcffi.compat._environment import api, env
from ortcffi.compat._tensors import tensor_over
from ortcffi.compat._types import onnx_of
from ortcffi.compat._values import OrtValue
from ortcffi.errors import InvalidArgument, OrtError
from ortcffi.session.given import of_library
from ortcffi.session.rules import Rules, spec_of_input
from ortcffi.session.series import attach
from ortcffi.session.session import Session, source_for
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.lifecycle import has_value
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import TypeInfo, ValueSpec


class EncodedName(TypeError):
    """A run was given a name as bytes, which are to be decoded before the next try."""


class OfficialRules(Rules):
    """The official package's rules: wrong types and shapes are refused by the library."""

    wrapper = OrtValue

    def feed(self, _session: Session, feed: Any) -> Iterable[tuple[str, Any]]:
        """Return the names and inputs of a feed."""
        return list(feed.items())

    def outputs(self, _session: Session, outputs: Any) -> tuple[str, ...]:
        """Return the names of outputs, of which there may be none."""
        if isinstance(outputs, (str, bytes)):
            raise TypeError("run(): incompatible function arguments: the names must be a list")
        return tuple(outputs)

    def refuse(self, session: Session, why: str, what: Any) -> NoReturn:
        """Raise the official error for a name that the model does not have."""
        if isinstance(what, (bytes, bytearray)):
            raise EncodedName(f"run(): incompatible function arguments: {what!r} is not a str")
        if why in ("input", "output"):
            _check_name(what)
            raise InvalidArgument(f"Invalid {why} name: {what}", "Run")
        super().refuse(session, why, what)

    def missing(self, _session: Session, _place: int) -> None:
        """Leave missing inputs to the library: some may be optional."""

    def convert(self, session: Session, place: int, x: Any) -> Value | None:
        """Make a value of `x`, by the official package's rules or else by those of a `Session`."""
        spec = spec_of_input(session, place)
        if x is None:
            if spec.kind is ValueKind.MAP:  # kernels of ONNX Runtime read a map that is not there
                raise RuntimeError(_refusal(spec.name, x))
            return None
        if isinstance(x, np.ndarray):
            return array_value(session.api, x)
        if isinstance(x, Value):
            return of_library(session.api, x)
        value = x._value if isinstance(x, OrtValue) else _of_python(session.api, spec, x)
        if value is not None:
            return value
        try:
            return super().convert(session, place, x)
        except (TypeError, ValueError, OrtError):
            raise RuntimeError(_refusal(spec.name, x)) from None

    def result(self, value: Value, is_input: bool) -> Any:
        """Return what the official package returns; it shares no memory of inputs."""
        return content_of(value.copy() if is_input else value)


class Engine(Session):
    """A session with the official package's rules."""

    __slots__ = ()

    _rules = OfficialRules()

    def __init__(self, model: Any, options: "SessionOptions | None") -> None:
        """Load a model with options of its own, or with the library's defaults."""
        library = api()
        self._open(library, source_for(library, model, options), options, env=env(), is_own=True)
        self._source = model
        attach(self)
        self._remakes()


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"run(): incompatible function arguments: {name!r} is not a str")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise TypeError(
            f"run(): incompatible function arguments: {name!r} has a lone surrogate"
        ) from None


# --- inputs ---------------------------------------------------------------------------------------


def _of_python(api: "Api", spec: "ValueSpec", x: Any) -> Value | None:
    name, info = spec.name, spec.type_info
    if info.kind == ValueKind.OPTIONAL and info.contained is not None:
        info = info.contained
    if info.kind == ValueKind.SEQUENCE and isinstance(x, list):
        return _sequence(api, info, name, x)
    if isinstance(x, Mapping):  # of which the library says what it is, where it wants no map
        return _map(api, info, name, x)
    if isinstance(x, list) and info.kind == ValueKind.TENSOR:
        return _of_list(api, info, x)
    from ortcffi.compat._sparse import CSparseTensor  # which few programs use

    return x._value if isinstance(x, CSparseTensor) else None


def _refusal(name: str, x: Any) -> str:
    if isinstance(x, (list, tuple, str, bytes, Mapping)):
        return f"Input must be a list of dictionaries or a single numpy array for input '{name}'."
    return f"Unable to handle object of type {type(x)}"


def array_value(api: "Api", x: np.ndarray[Any, Any]) -> Value:
    """Make a tensor of an array: over its memory where that can be, without a mask."""
    value = Value._plain(api._maker, x)
    if value is not None:
        return value
    x = np.asarray(x)
    if x.dtype.kind == "V" and x.dtype.type is np.void:
        return Value.from_strings([each.tobytes() for each in x.ravel()], x.shape, api=api)
    if x.dtype.kind == "O":
        texts = [each if isinstance(each, str) else str(each) for each in x.ravel().tolist()]
        return Value.from_strings(texts, x.shape, api=api)
    if x.dtype.kind in "UST":
        return Value.from_numpy(x, api=api)
    native = x.astype(x.dtype.newbyteorder("="), copy=False)
    return tensor_over(native, api)


def _of_list(api: "Api", info: "TypeInfo", x: list[Any]) -> Value:
    tensor = info.tensor_info
    element = ElementType(tensor.element_type) if tensor is not None else ElementType.FLOAT
    if element is ElementType.STRING:
        return array_value(api, np.array(x, object))
    try:
        return array_value(api, np.array(x, dtype_of(element)))
    except (TypeError, ValueError, OverflowError) as error:
        raise RuntimeError("Could not create tensor from given input list") from error


def _sequence(api: "Api", info: "TypeInfo", name: Any, x: list[Any]) -> Value:
    contained = info.contained
    if contained is not None and contained.kind == ValueKind.MAP:
        return Value.sequence([_map(api, contained, name, each) for each in x], api=api)
    if not x:  # which the API makes only by running SequenceEmpty
        from ortcffi.session.empty import empty_sequence

        tensor = None if contained is None else contained.tensor_info
        return empty_sequence(api, onnx_of(tensor.element_type if tensor else ElementType.FLOAT))
    values = []
    for each in x:
        if isinstance(each, OrtValue):
            values.append(each._value)
        elif isinstance(each, np.ndarray):
            values.append(array_value(api, each))
        elif contained is not None and isinstance(each, list):
            values.append(_of_list(api, contained, each))
        else:
            raise RuntimeError(f"Unable to handle object of type {type(each)} in '{name}'")
    return Value.sequence(values, api=api)


def _map(api: "Api", info: "TypeInfo", name: Any, x: Any) -> Value:
    if not isinstance(x, Mapping):
        raise RuntimeError("Input is not of the type dict")
    if not x:
        raise RuntimeError("Size of dictionary is empty, unable to run the prediction.")
    from ortcffi.values import type_info

    try:
        return Value.map(x, type_info.contained_dtype(info), api=api)
    except (TypeError, ValueError) as error:
        with suppress(TypeError, ValueError):  # the official map, which the library refuses
            return Value.map(x, np.dtype(np.float32), api=api)
        if isinstance(error, TypeError):
            raise RuntimeError(f"{_map_problem(x)} for input '{name}'.") from None
        raise RuntimeError(f"input '{name}': {error}") from None


def _map_problem(x: Mapping[Any, Any]) -> str:
    """Why a dict is no map, in the official package's words: the first key decides."""
    first = next(iter(x))
    kinds, c_type = ((str,), "string") if isinstance(first, str) else (_INTEGERS, "int64_t")
    if not isinstance(first, (*kinds, float)):
        return f"Key type must be int or string (not {type(first)})"
    wrong = [key for key in x if not isinstance(key, kinds)]
    what, one = ("key", wrong[0]) if wrong else ("value", _unfit(x.values()))
    return f"Unexpected {what} type  {type(one)}, it cannot be linked to C type {c_type}"


_INTEGERS = (int, np.integer)


def _unfit(values: Iterable[Any]) -> Any:
    """Get the first value that is no number; else the first that is no integer; else the first."""
    for kinds in ((int, float, np.number), _INTEGERS, ()):
        for each in values:
            if not isinstance(each, kinds):
                return each
    return None


# --- outputs --------------------------------------------------------------------------------------


def content_of(value: Value) -> Any:
    """Return what the official package returns for an output."""
    if not has_value(value):  # an empty value has no kind that could be asked for
        return None
    kind = value.kind
    if kind is ValueKind.TENSOR:
        return OrtValue._of(value).numpy()
    if kind is ValueKind.SPARSE:
        from ortcffi.compat._sparse import CSparseTensor

        return CSparseTensor._of(value)
    return value._contents(content_of)


OfficialRules.contents = staticmethod(content_of)
