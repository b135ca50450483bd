# SPDX-License-Identifier: MIT
"""`Value`: an ``OrtValue``, and the arrays that share its memory.

Its methods call functions of the other modules of this topic, which have their documentation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi._public import described_by, public
from ortcffi.values import (
    containers,
    copies,
    dlpack,
    give_away,
    lifecycle,
    sparse,
    sparse_reading,
    sparse_scipy,
    string_tensors,
    tensors,
)
from ortcffi.values.compiled import Tensor
from ortcffi.values.element_types import ElementType, SparseFormat, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import CapsuleType

    from ortcffi._ort import Cdata, OrtValue
    from ortcffi.memory.allocator import Allocator, Shape
    from ortcffi.memory.info import MemoryInfo
    from ortcffi.table.api import Api

    Array = NDArray[Any]

__all__ = ["Value"]


@public
class Value(Tensor):
    """An ``OrtValue``: a tensor, a sequence, a map, or a sparse tensor.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed.
    Arrays and buffers over its memory keep the memory until the last of them is destroyed.
    """

    __slots__ = ()

    # --- making; `from_numpy` is compiled ---------------------------------------------------------

    @classmethod
    @described_by(tensors.empty)
    def empty(
        cls,
        shape: "Shape",
        dtype: "DTypeLike | ElementType" = np.float32,
        allocator: "Allocator | None" = None,
        *,
        api: "Api | None" = None,
    ) -> Self:
        return tensors.empty(cls, shape, dtype, allocator, api)

    @classmethod
    @described_by(tensors.from_buffer)
    def from_buffer(
        cls,
        buffer: Any,
        shape: "Shape",
        dtype: "DTypeLike | ElementType",
        *,
        api: "Api | None" = None,
        copy: bool | None = False,
    ) -> Self:
        return tensors.from_buffer(cls, buffer, shape, dtype, api, copy)

    @classmethod
    @described_by(string_tensors.from_strings)
    def from_strings(
        cls,
        strings: Iterable[str | bytes | None],
        shape: "Shape | None" = None,
        *,
        fill: str | bytes | None = None,
        api: "Api | None" = None,
    ) -> Self:
        return string_tensors.from_strings(cls, strings, shape, fill, api)

    @classmethod
    @described_by(dlpack.from_dlpack)
    def from_dlpack(cls, x: Any, *, api: "Api | None" = None, copy: bool = False) -> Self:
        return dlpack.from_dlpack(cls, x, api, copy)

    @classmethod
    @described_by(containers.sequence)
    def sequence(cls, values: Iterable[Any], *, api: "Api | None" = None) -> Self:
        return containers.sequence(cls, values, api)

    @classmethod
    @described_by(containers.map_from)
    def map(
        cls,
        mapping: Mapping[Any, Any],
        dtype: "DTypeLike | None" = None,
        *,
        api: "Api | None" = None,
    ) -> Self:
        return containers.map_from(cls, mapping, dtype, api)

    @classmethod
    @described_by(containers.map_of)
    def map_of(cls, keys: Any, values: Any, *, api: "Api | None" = None) -> Self:
        return containers.map_of(cls, keys, values, api)

    @classmethod
    @described_by(sparse.sparse_coo)
    def sparse_coo(
        cls,
        values: "Array",
        indices: "Array",
        shape: "Shape",
        *,
        api: "Api | None" = None,
        copy: bool = False,
    ) -> Self:
        return sparse.sparse_coo(cls, values, indices, shape, api, copy)

    @classmethod
    @described_by(sparse.sparse_csr)
    def sparse_csr(  # noqa: PLR0913  # as many as the format has
        cls,
        values: "Array",
        inner: "Array",
        outer: "Array",
        shape: "Shape",
        *,
        api: "Api | None" = None,
        copy: bool = False,
    ) -> Self:
        return sparse.sparse_csr(cls, values, inner, outer, shape, api, copy)

    @classmethod
    @described_by(sparse.block_sparse)
    def block_sparse(
        cls,
        values: "Array",
        indices: "Array",
        shape: "Shape",
        *,
        api: "Api | None" = None,
        copy: bool = False,
    ) -> Self:
        return sparse.block_sparse(cls, values, indices, shape, api, copy)

    @classmethod
    @described_by(sparse_scipy.from_scipy)
    def from_scipy(cls, x: Any, *, api: "Api | None" = None, copy: bool = False) -> Self:
        return sparse_scipy.from_scipy(cls, x, api, copy)

    @classmethod
    @described_by(lifecycle.from_handle)
    def from_handle(
        cls,
        api: "Api",
        handle: "Cdata",
        parent: object = None,
        *,
        owned: bool | None = None,
        readonly: bool = False,
    ) -> Self:
        return lifecycle.from_handle(cls, api, handle, parent, owned=owned, readonly=readonly)

    # --- facts; `api`, `closed`, `readonly` and `shape` are compiled ------------------------------

    @property
    def kind(self) -> ValueKind:
        """What it is. API function: ``GetValueType``."""
        return ValueKind(self._kind)

    @property
    def element_type(self) -> ElementType:
        """The type of a tensor's elements. API function: the one that `shape` names."""
        return ElementType(self._element)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The dtype of the array that `numpy` returns; `object` for strings."""
        return dtype_of(self._element)

    @property
    def type_info(self) -> TypeInfo | None:
        """Its whole type, down to the types of a map. API function: ``GetTypeInfo``."""
        return TypeInfo.of_value(self)

    @property
    @described_by(lifecycle.memory_info)
    def memory_info(self) -> "MemoryInfo":
        return lifecycle.memory_info(self)

    # --- tensors; `numpy`, `strings`, `raw_strings` and `nbytes` are compiled ---------------------

    @described_by(string_tensors.set_strings)
    def set_strings(self, strings: Sequence[str | bytes]) -> None:
        string_tensors.set_strings(self, strings)

    def __array__(self, dtype: "DTypeLike | None" = None, copy: bool | None = None) -> "Array":
        return dlpack.array(self, dtype, copy)

    @described_by(dlpack.device)
    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.device(self)

    @described_by(dlpack.capsule)
    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> "CapsuleType":
        return dlpack.capsule(self, stream, max_version, dl_device, copy)

    # --- sequences and maps -----------------------------------------------------------------------

    @described_by(containers.keys)
    def keys(self) -> Self:
        return containers.keys(self)

    @described_by(containers.values)
    def values(self) -> Self:
        return containers.values(self)

    def __len__(self) -> int:
        return containers.length(self)

    def __getitem__(self, key: Any) -> Any:
        return containers.item(self, key)

    def __iter__(self) -> Iterator[Any]:
        return containers.iterate(self)

    def __contains__(self, key: object) -> bool:
        return containers.contains(self, key)

    def __bool__(self) -> bool:
        return True  # whatever the length, which tensors do not have

    # --- sparse tensors ---------------------------------------------------------------------------

    @property
    @described_by(sparse_reading.sparse_format)
    def sparse_format(self) -> SparseFormat:
        return sparse_reading.sparse_format(self)

    @property
    @described_by(sparse_reading.sparse_values)
    def sparse_values(self) -> "Array":
        return sparse_reading.sparse_values(self)

    @property
    @described_by(sparse_reading.sparse_indices)
    def sparse_indices(self) -> "tuple[Array, ...]":
        return sparse_reading.sparse_indices(self)

    @described_by(sparse_scipy.to_scipy)
    def to_scipy(self) -> Any:
        return sparse_scipy.to_scipy(self)

    # --- any value; `close` and `handle` are compiled ---------------------------------------------

    @described_by(copies.to_python)
    def to_python(self) -> Any:
        return copies.to_python(self)

    @described_by(copies.copy)
    def copy(self) -> Self:
        return copies.copy(self)  # type: ignore[no-any-return]

    __copy__ = copy

    def __deepcopy__(self, _memo: object) -> Self:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return copies.parts_of(self, protocol)

    @described_by(give_away.give_away)
    def give_away(self) -> "OrtValue":
        return give_away.give_away(self)

    def __repr__(self) -> str:
        return lifecycle.description(self)
