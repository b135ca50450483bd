# SPDX-License-Identifier: MIT
"""`Value`: an ``OrtValue``, and the arrays that share its memory.

Its methods call functions of the other modules of this topic. That for sparse tensors is imported
when it is first used.
"""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, Self, TypeVar

from ortcffi._public import public
from ortcffi.values import containers, dlpack, lifecycle, tensors
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.lifecycle import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from ortcffi.memory.allocator import Shape
    from ortcffi.memory.info import MemoryInfo
    from ortcffi.table.api import Api
    from ortcffi.values import sparse
    from ortcffi.values.sparse import SparseFormat
    from ortcffi.values.type_info import TypeInfo

    Array = NDArray[Any]
    P = ParamSpec("P")
    T = TypeVar("T")

    class ClassMethod(Generic[P]):
        """A class method, whose first argument a type checker takes for any class."""

        def __init__(self, function: Callable[Concatenate[Any, P], Any]) -> None: ...
        def __get__(self, value: object, kind: type[T]) -> Callable[P, T]: ...

else:
    ClassMethod = classmethod

    class _Sparse:
        """The module for sparse tensors, which is imported when it is first used."""

        def __getattr__(self, name: str) -> object:
            return getattr(import_module("ortcffi.values.sparse"), name)

    sparse = _Sparse()


@public
class Value(Tensor):
    """An ``OrtValue``: a tensor, a sequence, a map, or a sparse tensor.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed.
    Arrays and buffers over its memory keep the memory until the last of them is destroyed.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows that there is no constructor

        def __new__(cls, *_arguments: object, **_named: object) -> NoReturn:
            """Say which functions make values."""
            raise TypeError(
                "Value has no constructor: Value.from_numpy(x) makes a tensor, and Value.empty, "
                "sequence, map and others what their names say"
            )

    # --- making; `from_numpy` is compiled ---------------------------------------------------------

    empty = ClassMethod(tensors.empty)
    from_buffer = ClassMethod(tensors.from_buffer)
    from_strings = ClassMethod(tensors.from_strings)
    from_dlpack = ClassMethod(dlpack.from_dlpack)
    sequence = ClassMethod(containers.sequence)
    map = ClassMethod(containers.map)
    map_of = ClassMethod(containers.map_of)
    from_handle = ClassMethod(lifecycle.from_handle)

    @classmethod
    def sparse_coo(
        cls,
        values: "Array",
        indices: "Array",
        shape: "Shape",
        *,
        api: "Api | None" = None,
        copy: bool = False,
    ) -> Self:
        """Make a sparse tensor of values and their indices.

        API functions: ``CreateSparseTensorWithValuesAsOrtValue`` and ``UseCooIndices``; for a copy
        ``CreateSparseTensorAsOrtValue`` and ``FillSparseTensorCoo``. Since version 9.

        Parameters
        ----------
        values : ndarray, shape (n,)
            As `from_numpy` takes them.
        indices : ndarray of int64, shape (n, 2) or (n,)
            Row and column of each value; or its place in the flattened tensor.
        shape : sequence of int
            The dimensions of the tensor.
        copy : bool, optional
            Whether the value gets memory of its own. Otherwise it borrows and keeps both arrays,
            which must be C-contiguous and aligned. Strings are always copied.

        Raises
        ------
        TypeError
            `values` or `indices` are not what they should be.
        ValueError
            An array cannot be borrowed.
        InvalidArgument
            An index is out of bounds, or there are too few or too many.
        """
        return sparse.make(cls, "Coo", values, {"indices": indices}, shape, api, copy)

    @classmethod
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
        """Make a sparse matrix in compressed rows. Otherwise like `sparse_coo`.

        API functions: ``UseCsrIndices``, ``FillSparseTensorCsr``.

        Parameters
        ----------
        values : ndarray, shape (n,)
            Row after row.
        inner : ndarray of int64, shape (n,)
            The column of each value.
        outer : ndarray of int64, shape (rows + 1,)
            Where each row begins in `values`, and the last ends.
        """
        where = {"inner": inner, "outer": outer}
        return sparse.make(cls, "Csr", values, where, shape, api, copy)

    @classmethod
    def block_sparse(
        cls,
        values: "Array",
        indices: "Array",
        shape: "Shape",
        *,
        api: "Api | None" = None,
        copy: bool = False,
    ) -> Self:
        """Make a sparse matrix of blocks. Otherwise like `sparse_coo`.

        API functions: ``UseBlockSparseIndices``, ``FillSparseTensorBlockSparse``.

        Parameters
        ----------
        values : ndarray, shape (height, width, n)
            The blocks, along the last dimension.
        indices : ndarray of int32, shape (2, n)
            The row and the column of each block, counted in blocks.
        """
        return sparse.make(cls, "BlockSparse", values, {"indices": indices}, shape, api, copy)

    @classmethod
    def from_scipy(cls, x: Any, *, api: "Api | None" = None, copy: bool = False) -> Self:
        """Make a sparse tensor of a sparse array or matrix of SciPy.

        Parameters
        ----------
        x : scipy.sparse array or matrix
            In CSR, COO or BSR. SciPy converts others: ``x.tocsr()``.
        copy : bool, optional
            Whether the value gets memory of its own. Only CSR with indices of int64 can be
            borrowed; SciPy's are int32 by default, and its other formats are laid out differently.

        Raises
        ------
        TypeError
            `x` is in no such format.
        ValueError
            `x` cannot be borrowed.
        """
        return sparse.from_scipy(cls, x, api, copy)

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
    def type_info(self) -> "TypeInfo | None":
        """Its whole type, down to the types of a map. API function: ``GetTypeInfo``."""
        from ortcffi.values.type_info import TypeInfo

        return TypeInfo.of_value(self)

    @property
    def memory_info(self) -> "MemoryInfo":
        """Where a tensor's memory is; borrowed from this value.

        API function: ``GetTensorMemoryInfo``.
        """
        return lifecycle.memory_info(self)

    # --- tensors; `numpy`, `strings`, `raw_strings` and `nbytes` are compiled ---------------------

    set_strings = tensors.set_strings
    __array__ = dlpack.array
    __dlpack_device__ = dlpack.device
    __dlpack__ = dlpack.capsule

    # --- sequences and maps -----------------------------------------------------------------------

    keys = containers.keys
    values = containers.values
    __len__ = containers.length
    __getitem__ = containers.item
    __iter__ = containers.iterate
    __contains__ = containers.contains

    def __bool__(self) -> bool:
        return True  # whatever the length, which tensors do not have

    # --- sparse tensors ---------------------------------------------------------------------------

    @property
    def sparse_format(self) -> "SparseFormat":
        """How a sparse tensor is laid out. API function: ``GetSparseTensorFormat``."""
        return sparse.sparse_format(self)

    @property
    def sparse_values(self) -> "Array":
        """The stored values, as a view that keeps this value; of strings a copy.

        API functions: ``GetSparseTensorValuesTypeAndShape``, ``GetSparseTensorValues``.
        """
        return sparse.sparse_values(self)

    @property
    def sparse_indices(self) -> "tuple[Array, ...]":
        """The indices, as views that keep this value, in the order of the makers' parameters.

        API functions: ``GetSparseTensorIndicesTypeShape``, ``GetSparseTensorIndices``.
        """
        return sparse.sparse_indices(self)

    def to_scipy(self) -> Any:
        """Return a sparse array of SciPy: in COO, CSR or BSR, as the tensor is.

        The values of COO and CSR are views that keep this value, as are the indices of CSR.

        Raises
        ------
        ImportError
            SciPy is not installed.
        TypeError
            The value is no sparse matrix.
        """
        return sparse.to_scipy(self)

    # --- any value; `close` and `handle` are compiled ---------------------------------------------

    def to_python(self) -> Any:
        """Return the content as Python's own objects.

        Returns
        -------
        object
            Of a tensor nested lists, or one element if it has no dimensions: int, float, bool and
            str. Of a sequence a list, of a map a dict. Of a sparse tensor a dict of the stored
            values by their indices, which are tuples. None of an optional that holds nothing.
        """
        kind = self._kind
        if kind == ValueKind.OPTIONAL:
            return None
        if kind in (ValueKind.SEQUENCE, ValueKind.MAP):
            return self._contents(None)
        if kind == ValueKind.SPARSE:
            return sparse.to_dict(self)
        return tensors.to_lists(self)

    def copy(self) -> Self:
        """Return a value of the same table, with memory of its own."""
        if self.kind is ValueKind.TENSOR:
            return tensors.twin_of(self)
        make, arguments = _parts_of(self, 4)
        return make(*arguments, api=self.api)  # type: ignore[no-any-return]

    __copy__ = copy

    def __deepcopy__(self, _memo: object) -> Self:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _parts_of(self, protocol)

    __repr__ = lifecycle.description


def _parts_of(value: Value, protocol: int) -> "tuple[Callable[..., Any], tuple[Any, ...]]":
    """Return the maker that makes the value again, and its arguments.

    The makers are public methods of `Value`, so that a pickle names nothing private.
    """
    kind, cls = value.kind, type(value)
    if kind is ValueKind.SEQUENCE:
        return cls.sequence, (list(value),)
    if kind is ValueKind.MAP:
        return cls.map_of, (value.keys(), value.values())
    if kind is ValueKind.SPARSE:
        return _sparse_parts_of(value)
    if kind is not ValueKind.TENSOR:
        raise TypeError(f"a value of kind {kind.name} cannot be pickled")
    if value.element_type is ElementType.STRING:
        return cls.from_strings, (value.raw_strings(), value.shape)
    import pickle

    memory = tensors.bytes_of(value)
    buffer = pickle.PickleBuffer(memory.data) if protocol >= 5 else bytearray(memory)
    # A buffer on its way may lose its alignment; only then the tensor is a copy.
    return partial(cls.from_buffer, copy=None), (buffer, value.shape, value.element_type)


def _sparse_parts_of(value: Value) -> "tuple[Callable[..., Any], tuple[Any, ...]]":
    makers: dict[SparseFormat, Callable[..., Value]] = {
        sparse.SparseFormat.COO: value.sparse_coo,
        sparse.SparseFormat.CSR: value.sparse_csr,
        sparse.SparseFormat.BLOCK_SPARSE: value.block_sparse,
    }
    layout = value.sparse_format
    if layout not in makers:
        raise TypeError("a sparse tensor that was not filled cannot be pickled")
    content = (value.sparse_values, *value.sparse_indices, value.shape)
    return partial(makers[layout], copy=True), content
