# SPDX-License-Identifier: MIT
"""Tensors of strings."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._table import table_for
from ortcffi.errors import InvalidArgument
from ortcffi.values.checks import count_of, dimensions
from ortcffi.values.compiled import Tensor, V

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ortcffi.memory.allocator import Shape
    from ortcffi.table.api import Api


def from_strings(
    cls: type[V],
    strings: "Iterable[str | bytes | None]",
    shape: "Shape | None",
    fill: str | bytes | None,
    api: "Api | None",
) -> V:
    """Do the work of `Value.from_strings`."""
    given, found = _list(strings), table_for(api)
    if fill is not None:
        if not isinstance(fill, str | bytes):
            raise TypeError(f"fill must be str or bytes, not {type(fill).__name__}")
        given = [fill if _is_missing(each) else each for each in given]
    lengths = (len(given),) if shape is None else dimensions(shape)
    _check_count(given, lengths)
    return cls._from_strings(found._maker, given, lengths)


def set_strings(value: Tensor, strings: "Sequence[str | bytes]") -> None:
    """Do the work of `Value.set_strings`."""
    given = _list(strings)
    _check_count(given, value.shape)
    value._fill_strings(given)


def _check_count(strings: list[Any], shape: tuple[int, ...]) -> None:
    count = count_of(shape)
    if len(strings) != count:
        text = f"strings must be {count} for this tensor, not {len(strings)}"
        raise InvalidArgument(text, "FillStringTensor")


def _list(strings: Any) -> list[Any]:
    if isinstance(strings, (str, bytes)) or not isinstance(strings, Iterable):
        raise TypeError(f"strings must be a sequence of str or bytes, not {type(strings).__name__}")
    if hasattr(strings, "null_count") and hasattr(strings, "__array__"):  # Arrow's
        strings = np.asarray(strings, object).tolist()
    return strings if type(strings) is list else list(strings)


def _is_missing(each: object) -> bool:
    """Whether it is None, or differs from itself, as NaN; the NA of pandas has no truth value."""
    if each is None or isinstance(each, str | bytes):
        return each is None
    try:
        return bool(each != each)  # noqa: PLR0124
    except TypeError:
        return True
