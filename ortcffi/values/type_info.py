# SPDX-License-Identifier: MIT
"""Types of values of any kind: ``OrtTypeInfo``."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import known, of_type
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import described, public, quoted
from ortcffi._table import core_api, editor_of
from ortcffi.errors import NotImplemented, check
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.lifecycle import Tensor
from ortcffi.values.tensor_type_info import TensorTypeInfo, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import DTypeLike

    from ortcffi.table.api import Api
    from ortcffi.values.tensor_type_info import Dimension


@public
class TypeInfo(Handle):
    """The type of a value of any kind.

    Made by the methods below, or read from a value. Two are equal if they say the same, also where
    they are of different tables.

    Examples
    --------
    >>> scores = TypeInfo.sequence(TypeInfo.map(ElementType.STRING, TypeInfo.tensor("f4", [])))
    >>> print(scores)
    sequence(map(string, tensor(float[])))
    >>> scores.contained.key_type.name
    'STRING'
    """

    __slots__ = ()

    _pointer, _release = "OrtTypeInfo*", lib.ReleaseTypeInfo

    # --- making -----------------------------------------------------------------------------------

    @classmethod
    def tensor(
        cls,
        element_type: "DTypeLike | int | TensorTypeInfo",
        shape: "Iterable[Dimension] | None" = None,
        api: "Api | None" = None,
    ) -> "TypeInfo":
        """Make the type of a tensor: of elements and a shape, or of a `TensorTypeInfo`, copied.

        Model-editor function: ``CreateTensorTypeInfo``, since version 22.
        """
        return cls._of_tensor("CreateTensorTypeInfo", element_type, shape, api)

    @classmethod
    def sparse_tensor(
        cls,
        element_type: "DTypeLike | int | TensorTypeInfo",
        shape: "Iterable[Dimension] | None" = None,
        api: "Api | None" = None,
    ) -> "TypeInfo":
        """Make the type of a sparse tensor, whose shape is the dense one. As `tensor`.

        Model-editor function: ``CreateSparseTensorTypeInfo``, since version 22.
        """
        return cls._of_tensor("CreateSparseTensorTypeInfo", element_type, shape, api)

    @classmethod
    def map(cls, key_type: "DTypeLike | int", value_type: "TypeInfo") -> "TypeInfo":
        """Make the type of a map. It belongs to the table of `value_type`, which is copied.

        Model-editor function: ``CreateMapTypeInfo``, since version 22.
        """
        inner = of_type("value_type", value_type, TypeInfo)
        key = number_of(key_type, "key_type")
        return cls._made("CreateMapTypeInfo", inner.api, key, inner.handle)

    @classmethod
    def sequence(cls, element: "TypeInfo") -> "TypeInfo":
        """Make the type of a sequence. It belongs to the table of `element`, which is copied.

        Model-editor function: ``CreateSequenceTypeInfo``, since version 22.
        """
        inner = of_type("element", element, TypeInfo)
        return cls._made("CreateSequenceTypeInfo", inner.api, inner.handle)

    @classmethod
    def optional(cls, contained: "TypeInfo") -> "TypeInfo":
        """Make the type of what may be missing. It belongs to the table of `contained`.

        Model-editor function: ``CreateOptionalTypeInfo``, since version 22.
        """
        inner = of_type("contained", contained, TypeInfo)
        return cls._made("CreateOptionalTypeInfo", inner.api, inner.handle)

    @classmethod
    def of_value(cls, value: Any) -> "TypeInfo | None":
        """Describe the type of a value; None for one that holds nothing.

        API function: ``GetTypeInfo``.
        """
        if not isinstance(value, Tensor):
            raise TypeError(f"value must be a Value, not {type(value).__name__}")
        if value._kind == ValueKind.OPTIONAL:
            return None
        return cls._got(value.api, "GetTypeInfo", value.handle)

    @classmethod
    def _got(cls, api: "Api", slot: str, *arguments: Any) -> "TypeInfo | None":
        made = cls.__new__(cls)._create(api, slot, *arguments)
        return made if made._handle_address else None

    @classmethod
    def _of_tensor(cls, slot: str, element_type: Any, shape: Any, api: "Api | None") -> "TypeInfo":
        if not isinstance(element_type, TensorTypeInfo):
            with TensorTypeInfo(element_type, shape, api) as info:
                return cls._made(slot, info.api, info.handle)
        if shape is not None:
            raise TypeError("shape must not be given along with a TensorTypeInfo, which has one")
        if api is not None and not api.same_library(element_type.api):
            raise ValueError(f"element_type belongs to {element_type.api}, not to {api}")
        return cls._made(slot, element_type.api, element_type.handle)

    @classmethod
    def _made(cls, slot: str, api: "Api", *arguments: Any) -> "TypeInfo":
        editor = editor_of(api, slot)
        made, out = cls._blank(api)
        check(api.pointer, getattr(lib, slot)(editor, *arguments, out))
        made._open_handle()
        return made

    # --- reading ----------------------------------------------------------------------------------

    @property
    def kind(self) -> ValueKind | int:
        """What kind of value it is. API function: ``GetOnnxTypeFromTypeInfo``."""
        return known(ValueKind, self._get("GetOnnxTypeFromTypeInfo", "ONNXType*"))

    @property
    def denotation(self) -> str:
        """A word for the meaning, such as ``"IMAGE"``, or "".

        API function: ``GetDenotationFromTypeInfo``, since version 2.
        """
        out, length, _held = ffi.new("const char**"), ffi.new("size_t*"), self.handle
        self._call("GetDenotationFromTypeInfo", out, length)
        return ffi.unpack(out[0], length[0]).decode(errors="replace") if length[0] else ""

    @property
    def tensor_info(self) -> TensorTypeInfo | None:
        """Element type and shape, borrowed from this type; None where it is no tensor.

        API function: ``CastTypeInfoToTensorInfo``.
        """
        part = self._part("CastTypeInfoToTensorInfo", "OrtTensorTypeAndShapeInfo")
        return TensorTypeInfo.from_handle(self.api, part, self) if part else None

    @property
    def key_type(self) -> ElementType | int | None:
        """The type of the keys of a map; None for others.

        API functions: ``CastTypeInfoToMapTypeInfo``, ``GetMapKeyType``, since version 2.
        """
        part = self._part("CastTypeInfoToMapTypeInfo", "OrtMapTypeInfo")
        if not part:
            return None
        out = ffi.new("ONNXTensorElementDataType*")
        self.api._call("GetMapKeyType", part, out)
        return known(ElementType, out[0])

    @property
    def contained(self) -> "TypeInfo | None":
        """The type of a map's values, of a sequence's elements, or of what may be missing.

        None for others. API functions: ``CastTypeInfoToMapTypeInfo``, ``GetMapValueType``,
        ``CastTypeInfoToSequenceTypeInfo``, ``GetSequenceElementType``, since version 2;
        ``CastTypeInfoToOptionalTypeInfo``, ``GetOptionalContainedTypeInfo``, since version 15.
        """
        for cast, kind, get in _CONTAINERS:
            if not self.api.supports(get):
                continue
            if part := self._part(cast, kind):
                return self._got(self.api, get, part)
        return None

    def _part(self, cast: str, kind: str) -> Any:
        out = ffi.new(f"const {kind}**")
        self._call(cast, out)
        return out[0]

    def _copy(self) -> "TypeInfo":
        """Do the same type, of the embedded core, which owes nothing to this one."""
        tensor, contained, core = self.tensor_info, self.contained, core_api()
        match self.kind:
            case ValueKind.TENSOR if tensor:
                return TypeInfo.tensor(tensor.element_type, tensor.shape, core)
            case ValueKind.SPARSE if tensor:
                return TypeInfo.sparse_tensor(tensor.element_type, tensor.shape, core)
            case ValueKind.MAP if contained:
                return TypeInfo.map(self.key_type or 0, contained._copy())
            case ValueKind.SEQUENCE if contained:
                return TypeInfo.sequence(contained._copy())
            case ValueKind.OPTIONAL if contained:
                return TypeInfo.optional(contained._copy())
        raise NotImplemented(f"no type is made of {self}", "CreateTensorTypeInfo")

    # --- the whole --------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeInfo) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple[Any, ...]:
        contained, tensor = self.contained, self.tensor_info
        parts = (tensor, self.key_type, contained and contained._facts())
        return (self.kind, self.denotation, *parts)

    def __str__(self) -> str:
        kind = self.kind
        name = kind.name.lower() if isinstance(kind, ValueKind) else f"kind {kind}"
        key = self.key_type
        key_name = [key.name.lower() if isinstance(key, ElementType) else str(key)]
        parts = [self.tensor_info, self.contained]
        inside = [*(key_name if key is not None else []), *(str(part) for part in parts if part)]
        return f"{name}({', '.join(inside)})" if inside else name

    def __repr__(self) -> str:
        return f"<TypeInfo {'closed' if self.closed else self}>"


_CONTAINERS = (
    ("CastTypeInfoToMapTypeInfo", "OrtMapTypeInfo", "GetMapValueType"),
    ("CastTypeInfoToSequenceTypeInfo", "OrtSequenceTypeInfo", "GetSequenceElementType"),
    ("CastTypeInfoToOptionalTypeInfo", "OrtOptionalTypeInfo", "GetOptionalContainedTypeInfo"),
)


def contained_tensor(info: TypeInfo | None) -> "TensorTypeInfo | None":
    """Get the type of the tensors that a container holds; None if it holds none or is not known."""
    contained = None if info is None else info.contained
    return None if contained is None else contained.tensor_info


def contained_element(info: TypeInfo | None) -> int | None:
    """Return the element type of a container's tensors, or None."""
    tensor = contained_tensor(info)
    return None if tensor is None else int(tensor.element_type)


def contained_dtype(info: TypeInfo | None) -> "np.dtype[Any] | None":
    """Return the dtype of the tensors that a container holds, or None."""
    element = contained_element(info)
    return None if element is None else dtype_of(element)


Shape = tuple[int | str, ...]


@public
class ValueSpec(NamedTuple):
    """An input, an output or an overridable initializer of a model.

    Attributes
    ----------
    name : str
        Its name, by which runs are given it.
    type_info : TypeInfo
        Its type in full.
    kind : ValueKind
        What it is: a tensor, a sequence, a map, a sparse tensor or an optional of one of them.
    element_type : ElementType or None
        The type of a tensor's elements; None for other kinds.
    shape : tuple of int and str, or None
        The dimensions of a tensor: a number, the name of one that the model leaves open, or -1 for
        one without a name. None where the model does not say, and for other kinds.
    """

    name: str
    type_info: TypeInfo
    kind: ValueKind
    element_type: ElementType | None
    shape: Shape | None

    @property
    def dtype(self) -> "np.dtype[Any] | None":
        """The dtype of arrays for it, `object` for strings; None where it is no tensor."""
        return None if self.element_type is None else dtype_of(self.element_type)

    def describe(self) -> str:
        """Return what it is in a few words, such as ``float[batch, 4]``."""
        if self.element_type is None or self.kind not in (ValueKind.TENSOR, ValueKind.SPARSE):
            return str(self.type_info)
        kind = "sparse " if self.kind is ValueKind.SPARSE else ""
        return f"{kind}{described(self.element_type.name.lower(), self.shape)}"

    def __repr__(self) -> str:
        return f"<ValueSpec {quoted(self.name)} {self.describe()}>"
