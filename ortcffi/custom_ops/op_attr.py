# SPDX-License-Identifier: MIT
"""Attributes of nodes: ``OrtOpAttr``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ortcffi._convert import INT64, encode, float32, integer, known
from ortcffi._handle import FromHandle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import OrtError

if TYPE_CHECKING:
    from ortcffi.table.api import Api

    Value = int | float | str | Sequence[int] | Sequence[float] | Sequence[str]


@public
class OpAttrType(IntEnum):
    """The type of an attribute (``OrtOpAttrType``)."""

    UNDEFINED = lib.ORT_OP_ATTR_UNDEFINED
    INT = lib.ORT_OP_ATTR_INT
    INTS = lib.ORT_OP_ATTR_INTS
    FLOAT = lib.ORT_OP_ATTR_FLOAT
    FLOATS = lib.ORT_OP_ATTR_FLOATS
    STRING = lib.ORT_OP_ATTR_STRING
    STRINGS = lib.ORT_OP_ATTR_STRINGS
    GRAPH = lib.ORT_OP_ATTR_GRAPH
    TENSOR = lib.ORT_OP_ATTR_TENSOR


PLURALS = {
    OpAttrType.INT: OpAttrType.INTS,
    OpAttrType.FLOAT: OpAttrType.FLOATS,
    OpAttrType.STRING: OpAttrType.STRINGS,
}
_PLURAL = {plural: single for single, plural in PLURALS.items()}


@public
class OpAttr(FromHandle):
    """A named attribute of a node: an int, a float, a str, or a list of one of them.

    API functions: ``CreateOpAttr``, ``ReleaseOpAttr``, since version 12.

    Parameters
    ----------
    name : str
        The name, which may be "".
    value : int, float, str, or iterable of one of them
        Ints have 64 bits, floats 32. NumPy's scalars and arrays of one dimension are taken, too.
    type : OpAttrType, optional
        The type; by default that of `value`. An empty list needs it.

    Raises
    ------
    TypeError, ValueError
        The value is not of one of these types, or cannot be passed to C.

    Examples
    --------
    >>> with OpAttr("axes", [0, -1]) as attr:
    ...     attr.name, attr.type.name, attr.value
    ('axes', 'INTS', [0, -1])
    """

    __slots__ = ()

    _pointer, _release = "OrtOpAttr*", lib.ReleaseOpAttr

    def __init__(
        self,
        name: str,
        value: "Value",
        type: OpAttrType | None = None,  # noqa: A002
        api: "Api | None" = None,
    ) -> None:
        api = table_for(api)
        value = plain(value)
        kind = kind_of(value) if type is None else _type(type)
        data, length, _kept = _data(kind, value)
        self._create(api, "CreateOpAttr", encode("name", name), data, length, kind)

    @property
    def name(self) -> str:
        """The name. API function: ``OpAttr_GetName``, since version 23."""
        return self._text("OpAttr_GetName")

    @property
    def type(self) -> OpAttrType | int:
        """The type. API function: ``OpAttr_GetType``, since version 23."""
        return known(OpAttrType, self._get("OpAttr_GetType", "OrtOpAttrType*"))

    @property
    def value(self) -> "Value":
        """A copy of the value. API function: ``ReadOpAttr``, since version 17."""
        kind, size = self.type, ffi.new("size_t*")
        # A buffer that is too small is an error, but the call still writes the size.
        with suppress(OrtError):
            self._call("ReadOpAttr", kind, ffi.NULL, 0, size)
        data = ffi.new("char[]", max(size[0], 8))
        self._call("ReadOpAttr", kind, data, size[0], size)
        value: Value = read_value(kind, data, size[0])
        return value

    def __repr__(self) -> str:
        if self.closed or not self.api.supports("OpAttr_GetName"):
            return f"<OpAttr{' closed' if self.closed else ''}>"
        return f"<OpAttr {self.name!r} {self.value!r}>"


def plain(value: Any) -> Any:
    """Return a value without NumPy's types; of a list or a tuple, a copy."""
    if hasattr(type(value), "dtype") and hasattr(type(value), "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):  # once: a subclass may iterate differently each time
        return [plain(each) for each in list(value)]
    return value


def kind_of(value: Any) -> OpAttrType:
    """Return the type of a value; of a list of ints and floats, FLOATS."""
    if isinstance(value, (list, tuple)):
        kinds = {kind_of(each) for each in value}
        if kinds == {OpAttrType.INT, OpAttrType.FLOAT}:
            return OpAttrType.FLOATS
        if len(kinds) == 1 and (single := kinds.pop()) in PLURALS:
            return PLURALS[single]
        raise TypeError(f"value must have elements of one type, int, float or str, not {value!r}")
    for kind, found in ((str, OpAttrType.STRING), (int, OpAttrType.INT), (float, OpAttrType.FLOAT)):
        if isinstance(value, kind):
            return found
    raise TypeError(f"value must be an int, a float, a str or a list, not {value!r}")


def _type(given: Any) -> OpAttrType:
    known_types = [*PLURALS, *_PLURAL]
    if not isinstance(given, int) or given not in known_types:
        names = ", ".join(kind.name for kind in known_types)
        raise ValueError(f"type must be one of OpAttrType's {names}, not {given!r}")
    return OpAttrType(given)


def _float(each: Any) -> float:
    try:
        number = float(None if isinstance(each, (str, bytes)) else each)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"value must have numbers for the type FLOATS or FLOAT, not {each!r}"
        ) from None
    return float32("value", number)


def _data(kind: OpAttrType, value: Any) -> tuple[Any, int, Any]:
    """Return the cdata for a value, its length, and the objects that must outlive the call."""
    if kind in PLURALS:
        array, _, kept = _data(PLURALS[kind], [value])
        if kind == OpAttrType.STRING:
            return kept[0], len(kept[0]) - 1, kept
        return array, 1, kept
    values = list(value) if isinstance(value, Iterable) else [value]
    if kind == OpAttrType.INTS:
        numbers = [integer("value", each, INT64) for each in values]
        return ffi.new("int64_t[]", numbers), len(numbers), None
    if kind == OpAttrType.FLOATS:
        return ffi.new("float[]", [_float(each) for each in values]), len(values), None
    texts = [ffi.new("char[]", encode("value", each)) for each in values]
    return ffi.new("char*[]", texts), len(texts), texts


_text: Callable[[bytes], str] = partial(bytes.decode, errors="replace")


def read_value(kind: int, data: Any, size: int, text: Callable[[bytes], Any] = _text) -> Any:
    """Return what `ReadOpAttr` has written, of which `text` converts strings."""
    if kind in (OpAttrType.INT, OpAttrType.INTS):
        numbers: list[int] = list(ffi.unpack(ffi.cast("int64_t*", data), size // 8))
        return numbers[0] if kind == OpAttrType.INT else numbers
    if kind in (OpAttrType.FLOAT, OpAttrType.FLOATS):
        floats: list[float] = list(ffi.unpack(ffi.cast("float*", data), size // 4))
        return floats[0] if kind == OpAttrType.FLOAT else floats
    content = ffi.unpack(data, size).removesuffix(b"\0")
    if kind == OpAttrType.STRING:
        return text(content)
    return [text(each) for each in content.split(b"\0")] if size else []


_MOST = 8
_UNSAID: dict[str, Any] = {"INT": 2, "FLOAT": 1.5}  # for an attribute that the node does not have


def other_attributes(
    attributes: Mapping[str, Any], given: list[OpAttr], asked: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Return the attributes of nodes which differ from a node in one number that the op reads.

    `given` is `attributes` made, and `asked` the types in which the op asked for each.
    """
    kinds = {each.name: getattr(each.type, "name", "") for each in given}
    read = {name for name, kind in kinds.items() if kind in asked.get(name, ())}
    kept = {name: value for name, value in attributes.items() if name in read}
    others = {each.name: _other(kinds[each.name], each) for each in given if each.name in read}
    for name, types in asked.items():
        if name not in kinds:
            others[name] = _UNSAID.get(types[0])
    changed = ({**kept, name: value} for name, value in others.items() if value is not None)
    return list(islice(changed, _MOST))


def _other(kind: str, given: OpAttr) -> Any:
    value: Any = given.value
    if kind in ("INT", "INTS"):
        return value ^ 1 if kind == "INT" else [n ^ 1 for n in value] or None
    if kind in ("FLOAT", "FLOATS"):
        return value + 1.0 if kind == "FLOAT" else [x + 1.0 for x in value] or None
    return None
