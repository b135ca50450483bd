# SPDX-License-Identifier: MIT
"""`TensorTypeInfo`: the element type and shape of a tensor, ``OrtTensorTypeAndShapeInfo``."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import SIZE, UINT32, decode, encode, integer, known
from ortcffi._handle import Array, FromHandle
from ortcffi._native import ffi, lib
from ortcffi._public import dimensions, public
from ortcffi._table import table_for
from ortcffi.errors import check
from ortcffi.values.element_types import ElementType, as_element

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ortcffi.table.api import Api

    Dimension = int | str | None


def number_of(element_type: Any, argument: str = "element_type") -> int:
    """Return the number of an element type or a dtype; any other number unchanged."""
    if isinstance(element_type, int):
        return integer(argument, element_type, UINT32)
    return as_element(element_type, argument)


def array_of_infos(api: "Api", count: int) -> Array:
    """Room for objects that a function of C is about to make."""
    return Array("OrtTensorTypeAndShapeInfo*", api, lib.ReleaseTensorTypeAndShapeInfo, count)


def moved(api: "Api", array: Array, place: int) -> "TensorTypeInfo | None":
    """One of the objects of an array as an object of its own; None where there is none."""
    if not array.items[place]:
        return None
    made, out = TensorTypeInfo._blank(api)
    array.move(out, place)
    made._open_handle()
    return made


@public
class TensorTypeInfo(FromHandle):
    """The element type and the shape of a tensor.

    API functions: ``CreateTensorTypeAndShapeInfo``, ``ReleaseTensorTypeAndShapeInfo``.

    Parameters
    ----------
    element_type : ElementType or dtype-like, optional
        The type of the elements. The library does not check a number.
    shape : iterable of int, str or None, optional
        The dimensions: a number, the name of an unknown one, or None for one without a name. By
        default the shape is unknown.

    Examples
    --------
    >>> images = TensorTypeInfo(ElementType.FLOAT, ["batch", 3, None])
    >>> images.shape
    ('batch', 3, None)
    >>> print(images)
    float[batch, 3, ?]
    """

    __slots__ = ()

    _pointer, _release = "OrtTensorTypeAndShapeInfo*", lib.ReleaseTensorTypeAndShapeInfo

    def __init__(
        self,
        element_type: "DTypeLike | int" = ElementType.UNDEFINED,
        shape: "Iterable[Dimension] | None" = None,
        api: "Api | None" = None,
    ) -> None:
        self._create(table_for(api), "CreateTensorTypeAndShapeInfo")
        self._call("SetTensorElementType", number_of(element_type))
        if shape is not None:
            self._set_dimensions(shape)

    @property
    def element_type(self) -> ElementType | int:
        """The type of the elements.

        API functions: ``GetTensorElementType``, ``SetTensorElementType``.
        """
        return known(ElementType, self._get("GetTensorElementType", "ONNXTensorElementDataType*"))

    @property
    def shape(self) -> "tuple[Dimension, ...] | None":
        """The dimensions, as the class describes them, or None.

        Before version 24 an unknown shape reads as that of a scalar. API functions:
        ``GetDimensionsCount``, ``GetDimensions``, ``GetSymbolicDimensions``,
        ``TensorTypeAndShape_HasShape``, ``SetDimensions``, ``SetSymbolicDimensions``.
        """
        handle, api = self.handle, self.api
        has_shape = api.supports("TensorTypeAndShape_HasShape")
        if has_shape and not lib.TensorTypeAndShape_HasShape(api.pointer, handle):
            return None
        rank = self._get("GetDimensionsCount", "size_t*")
        lengths, names = ffi.new("int64_t[]", rank), ffi.new("const char*[]", rank)
        check(api.pointer, lib.GetDimensions(api.pointer, handle, lengths, rank))
        check(api.pointer, lib.GetSymbolicDimensions(api.pointer, handle, names, rank))
        pairs = zip(lengths, map(decode, names), strict=True)
        return tuple(length if length >= 0 else name or None for length, name in pairs)

    def _set_dimensions(self, shape: "Iterable[Dimension]") -> None:
        if isinstance(shape, str) or not isinstance(shape, Iterable):
            raise TypeError(f"shape must be an iterable of int, str and None, not {shape!r}")
        lengths, names = [], []
        for i, dimension in enumerate(shape):
            if dimension is None or isinstance(dimension, str):
                lengths.append(-1)
                names.append(ffi.new("char[]", encode(f"shape[{i}]", dimension or "")))
            else:
                lengths.append(integer(f"shape[{i}]", dimension, SIZE))
                names.append(ffi.new("char[]", b""))
        self._call("SetDimensions", ffi.new("int64_t[]", lengths), len(lengths))
        if any(len(name) > 1 for name in names):
            self._call("SetSymbolicDimensions", ffi.new("char*[]", names), len(names))

    @property
    def size(self) -> int:
        """The number of elements of such a tensor; 1 for a scalar.

        API function: ``GetTensorShapeElementCount``.

        Raises
        ------
        Fail
            A dimension is unknown, or the number is too large to count.
        """
        return self._get("GetTensorShapeElementCount", "size_t*")  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorTypeInfo):
            return False
        return self.element_type == other.element_type and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.element_type, self.shape))

    def __str__(self) -> str:
        element, shape = self.element_type, self.shape
        name = element.name.lower() if isinstance(element, ElementType) else str(element)
        if shape is None:
            return name
        return f"{name}[{dimensions(shape)}]"

    def __repr__(self) -> str:
        return f"<TensorTypeInfo {'closed' if self.closed else self}>"
