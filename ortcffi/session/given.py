# SPDX-License-Identifier: MIT
"""What runs are given as inputs: made Values, and checked by what the model wants."""

import reprlib
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import mapping
from ortcffi._public import described, quoted
from ortcffi.errors import InvalidArgument
from ortcffi.values import tensors, type_info
from ortcffi.values.checks import array_of, element_of_array, not_held, unfit
from ortcffi.values.element_types import PACKED, ElementType, ValueKind, dtype_of, element_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import ValueSpec


def place_of(places: dict[str, int], name: Any) -> int | None:
    """Return the place of an input or an output; None if none has that name."""
    return places.get(name) if isinstance(name, str) else None


def input_value(api: "Api", spec: "ValueSpec", x: Any) -> Value | None:
    """Return a Value of a library for an input, or None for no input."""
    holds_none = isinstance(x, Value) and not x.closed and x.kind is ValueKind.OPTIONAL
    if spec.kind is ValueKind.OPTIONAL and (x is None or holds_none):
        return None
    subject, kind = f"input {quoted(spec.name)}", _kind_inside(spec)
    value = _as_value(api, subject, spec, kind, x)
    _check(subject, spec, kind, value)
    return value


def target_value(api: "Api", spec: "ValueSpec", x: Any) -> Value:
    """Return a Value that an output is written to."""
    subject = f"out[{quoted(spec.name)}]"
    if isinstance(x, Value):
        if not api.same_library(x.api):
            raise ValueError(f"{subject} belongs to {x.api}, and the session to {api}")
        _check_open(subject, x)
        _check(subject, spec, _kind_inside(spec), x)
        return x
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{subject} must be an ndarray or a Value, not {type(x).__name__}")
    element = element_of_array(x, subject)
    _check_element(subject, spec, element, x.shape)
    _check_shape(subject, spec, x.shape)
    if not x.flags.writeable:
        raise ValueError(f"{subject} is read-only")
    if element is ElementType.STRING:
        raise ValueError(f"{subject}: the library cannot write strings to an array: use a Value")
    if reason := unfit(x, element, subject):
        raise ValueError(f"{reason}, so that a run cannot write to it")
    return Value.from_numpy(x, api=api)


def _as_value(api: "Api", subject: str, spec: "ValueSpec", kind: ValueKind, x: Any) -> Value:
    if isinstance(x, Value):
        _check_open(subject, x)
        return of_library(api, x)
    inside = spec.type_info.contained if spec.kind is ValueKind.OPTIONAL else spec.type_info
    if kind is ValueKind.SEQUENCE:
        return _as_sequence(api, subject, type_info.contained_element(inside), x)
    if kind is ValueKind.MAP:
        return Value.map(mapping(subject, x), type_info.contained_dtype(inside), api=api)
    if kind is ValueKind.SPARSE:
        if not hasattr(x, "tocoo"):
            given = type(x).__name__
            raise TypeError(f"{subject} must be a sparse Value or one of scipy.sparse, not {given}")
        return Value.from_scipy(x, api=api)
    return _as_tensor(api, subject, spec, x)


def of_library(api: "Api", value: Value) -> Value:
    """Return a value as one of a session's library."""
    if api.same_library(value.api):
        return value
    from ortcffi.options.for_library import value_for

    mine: Value = value_for(api, value)
    return mine


def _as_sequence(api: "Api", subject: str, element: int | None, x: Any) -> Value:
    from ortcffi.values import containers

    items = containers.sequence_items(subject, x, element)
    if not items and element is not None:
        from ortcffi.session.empty import empty_sequence

        return empty_sequence(api, element)
    values = [of_library(api, i) if isinstance(i, Value) else i for i in items]
    return Value.sequence(values, api=api)


def _kind_inside(spec: "ValueSpec") -> ValueKind:
    contained = spec.type_info.contained if spec.kind is ValueKind.OPTIONAL else None
    return spec.kind if contained is None else ValueKind(contained.kind)


def _as_tensor(api: "Api", subject: str, spec: "ValueSpec", x: Any) -> Value:
    if isinstance(x, type):
        raise TypeError(f"{subject} must be an array, not the class {x.__name__}")
    if isinstance(x, np.ndarray):
        if isinstance(x, np.ma.MaskedArray):
            text = "must not be masked, since values have no mask: use filled()"
            raise TypeError(f"{subject} {text}")
        if x.dtype == object and spec.element_type not in (None, ElementType.STRING):
            raise _of_objects(subject, spec, x)
    elif hasattr(x, "__dlpack__") and not isinstance(x, np.generic) and not _is_for_numpy(x):
        value = Value.from_dlpack(x, api=api)
        if spec.element_type in (None, value.element_type):
            return value
        x = value.numpy()
    array = array_for(subject, spec, x)
    try:
        element = element_of(array.dtype)
    except TypeError as error:
        raise TypeError(f"{subject}: {error}") from None
    _check_element(subject, spec, element, array.shape)
    array = np.asarray(array)
    if element is not ElementType.STRING and unfit(array, element):
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        array = np.require(array, requirements=["C", "A"])
    _check_shape(subject, spec, array.shape)
    if element is ElementType.STRING or unfit(array, element):
        return tensors.copy_of(Value, array, element, api, subject)
    return Value.from_numpy(array, api=api)


def _is_for_numpy(x: Any) -> bool:
    """Whether DLPack cannot have an array of Arrow: one with missing elements, or of strings."""
    return bool(getattr(x, "null_count", 0)) or "string" in str(getattr(x, "type", ""))


# --- checks ---------------------------------------------------------------------------------------


def array_for(subject: str, spec: "ValueSpec", x: Any) -> "np.ndarray[Any, Any]":
    """Get an array of a list, a number or an array, in the model's dtype where that only rounds."""
    dtype = spec.dtype
    if spec.kind is ValueKind.OPTIONAL:
        dtype = type_info.contained_dtype(spec.type_info)
    try:
        array = array_of(x, dtype)
    except TypeError as error:
        raise TypeError(f"{subject} cannot be made an array: {error}") from None
    except ValueError as error:
        raise InvalidArgument(f"{subject} cannot be made an array: {error}") from None
    if isinstance(x, (list, tuple, int, float, np.ndarray)):
        _check_held(subject, spec, array)
    if array.dtype == object and (dtype is None or dtype.kind != "O"):
        from ortcffi.session.frames import column_names, matrix_of

        if (names := column_names(x)) is not None:  # of columns that have dtypes of their own
            return array_for(subject, spec, matrix_of(x, names, spec))
        if array.ndim > 0:  # of a list, or such as a pandas.Series
            raise _of_objects(subject, spec, array)
        raise TypeError(f"{subject} must be an array of {spec.describe()}, not {type(x).__name__}")
    return array


def _of_objects(subject: str, spec: "ValueSpec", array: "np.ndarray[Any, Any]") -> InvalidArgument:
    """Return the error for objects where the model wants numbers, and name one that is none."""
    wanted = "" if spec.element_type is None else _cast(ElementType.UNDEFINED, spec.element_type)
    for place, each in np.ndenumerate(array):
        if not isinstance(each, (Number, np.bool_)):
            wanted = f"; element {list(place)} is {reprlib.repr(each)}, which is no number"
            break
    return InvalidArgument(
        f"{subject} is an array of Python objects; the model wants {spec.describe()}{wanted}"
    )


def _check_held(subject: str, spec: "ValueSpec", array: "np.ndarray[Any, Any]") -> None:
    """Refuse numbers of a list that the model's dtype cannot hold, and name one."""
    dtype = spec.dtype
    if dtype is None or array.dtype == dtype or array.dtype.kind not in "biuf":
        return
    if first := not_held(array, dtype):
        raise InvalidArgument(
            f"{subject} has {first[0]!r}, which {dtype} cannot hold; "
            f"the model wants {spec.describe()}"
        )


def _check_open(subject: str, value: Value) -> None:
    if value.closed:
        raise ValueError(f"{subject} is a Value that is closed")


def _check(subject: str, spec: "ValueSpec", wanted: ValueKind, value: Value) -> None:
    kind = value.kind
    if kind is not wanted:
        article = "an" if kind is ValueKind.OPTIONAL else "a"
        raise InvalidArgument(
            f"{subject} is {article} {kind.name.lower()}; the model wants {spec.describe()}"
        )
    if spec.kind in (ValueKind.TENSOR, ValueKind.SPARSE):
        _check_element(subject, spec, value.element_type, value.shape)
        _check_shape(subject, spec, value.shape)


def check_borrowed(subject: str, x: Any, value: Value) -> None:
    """Refuse an array of which later runs would read a copy."""
    if not isinstance(x, np.ndarray):
        return
    element = value.element_type
    if element is ElementType.STRING or element in PACKED:
        return
    if (has := element_of(x.dtype)) is not element:
        raise InvalidArgument(
            f"{subject} is {described(has.name.lower(), x.shape)}; the model wants "
            f"{element.name.lower()}, so that later runs would read a copy{_cast(has, element)}"
        )
    if reason := unfit(x, element, subject):
        raise ValueError(
            f"{reason}: later runs would read a copy, and not what is written to the array; "
            "bind a C-contiguous array, or pass copy=True"
        )


def _check_element(
    subject: str, spec: "ValueSpec", element: ElementType, shape: tuple[int, ...]
) -> None:
    wanted = spec.element_type
    if wanted is None or element == wanted:
        return
    has = described(element.name.lower(), shape)
    raise InvalidArgument(
        f"{subject} is {has}; the model wants {spec.describe()}{_cast(element, wanted)}"
    )


def _cast(element: ElementType, wanted: ElementType) -> str:
    """How an array gets the dtype that is wanted, if there is a way."""
    if ElementType.STRING in (element, wanted):
        return ""
    try:
        name = dtype_of(wanted).name
    except ImportError:
        return ""
    module = "ml_dtypes" if dtype_of(wanted).type.__module__ == "ml_dtypes" else "numpy"
    return f": cast it with .astype({module}.{name})"


def _check_shape(subject: str, spec: "ValueSpec", shape: tuple[int, ...]) -> None:
    wanted = spec.shape
    if not wanted or spec.element_type is None:  # no dimensions mean any shape
        return
    if len(shape) != len(wanted):
        has = described(spec.element_type.name.lower(), shape)
        is_column = len(shape) == 1 and len(wanted) == 2 and wanted[1] == 1
        hint = ": x[:, None] has, and df[['name']] of a DataFrame" if is_column else ""
        raise InvalidArgument(
            f"{subject} is {has} with {len(shape)} dimensions; "
            f"the model wants {spec.describe()} with {len(wanted)}{hint}"
        )
    for place, (length, expected) in enumerate(zip(shape, wanted, strict=True)):
        if isinstance(expected, int) and expected not in (-1, length):
            has = described(spec.element_type.name.lower(), shape)
            raise InvalidArgument(
                f"{subject} is {has}, whose dimension {place} is {length}; "
                f"the model wants {spec.describe()}, where it is {expected}"
            )
