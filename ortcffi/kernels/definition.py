# SPDX-License-Identifier: MIT
"""What C calls of an op written in Python; ``boundary/kernels/python_op.h`` lists the methods."""

import inspect
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import named
from ortcffi._native import address_of, ffi
from ortcffi._table import table_at
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import code_and_text
from ortcffi.kernels.attributes import read_attributes, read_inferred_attributes
from ortcffi.values.checks import array_as
from ortcffi.values.element_types import PACKED, ElementType, ValueKind, dtype_of
from ortcffi.values.tensor_type_info import TensorTypeInfo
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.custom_ops.describe import Operand
    from ortcffi.kernels.operands import Attribute
    from ortcffi.table.api import Api

_tables: "dict[int, Api]" = {}  # by address: what C calls with


def remember_table(api: "Api") -> int:
    """Return the address of a table, by which `Definition` finds the object again."""
    address = address_of(api.pointer)
    _tables.setdefault(address, api)
    return address


def table_of(address: int, version: int) -> "Api":
    """Return the table that C calls with, by its address."""
    api = _tables.get(address)
    if api is None:  # a table of a trace, or of a host that was not registered
        api = _tables[address] = table_at(ffi.cast("OrtApi*", address), version)
    return api


@dataclass(eq=False, repr=False)
class Definition:
    """An op written in Python, without anything that C gives back."""

    full_name: str
    function: Callable[..., Any]
    inputs: "tuple[Operand, ...]"
    outputs: "tuple[Operand, ...]"
    attributes: "tuple[Attribute, ...]" = ()
    shapes: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        """Raise `TypeError` for a function that cannot be called as the op will be."""
        attributes = [attribute.name for attribute in self.attributes]
        what = "the function"
        called, keywords, own = self.function, attributes, 0
        if isinstance(self.function, type):
            self._check_call(f"its class, with the attributes {attributes},", called, 0, attributes)
            what = "its method __call__"
            called, keywords, own = self.function.__call__, [], 1  # own: the object that is made
        count = len(self.inputs)
        is_open = count > 0 and not _is_fixed(self.inputs[-1])
        for n in (count, count + 1) if is_open else (count,):
            also = f" and {', '.join(keywords)}" if keywords else ""
            inputs = "1 input" if n == 1 else f"{n} inputs"
            self._check_call(f"{what}, with {inputs}{also},", called, n + own, keywords)

    def _check_call(
        self, what: str, called: Callable[..., Any], count: int, keywords: list[str]
    ) -> None:
        try:
            signature = inspect.signature(called, follow_wrapped=False)
        except (TypeError, ValueError):  # some functions written in C do not tell
            return
        try:
            signature.bind(*[None] * count, **dict.fromkeys(keywords))
        except TypeError as error:
            hint = ": an op returns its outputs" if "'out'" in str(error) else ""
            raise TypeError(f"{self.full_name}: {what} cannot be called: {error}{hint}") from None

    def __repr__(self) -> str:
        return f"<op {self.full_name} written in Python>"

    # --- kernels ----------------------------------------------------------------------------------

    def make(self, api: int, version: int, info: int) -> tuple[Any, dict[str, Any] | None]:
        """Return what to call for a node, and with which keywords."""
        found = read_attributes(
            table_of(api, version), ffi.cast("OrtKernelInfo*", info), self.attributes
        )
        if isinstance(self.function, type):
            return self.function(**found), None
        return self.function, found or None

    def _shapes_of(self, given: list[Any], keywords: dict[str, Any]) -> list[Any]:
        assert self.shapes is not None  # noqa: S101  # for the type checker
        found = self.shapes(*given, **keywords)
        single = len(self.outputs) == 1 and _is_fixed(self.outputs[0])
        return [found] if single else list(found)

    def infer(self, api: int, version: int, context: int) -> tuple[int, bytes] | None:
        """Tell a host the shapes of the outputs, as far as they are known.

        Of an exception, the code and the message for a real library: it may go on without shapes,
        so that no call asks for the exception, whose frames would keep the new session alive.
        """
        table = table_of(api, version)
        try:
            self._infer(table, ffi.cast("OrtShapeInferContext*", context))
        except Exception as error:
            if table.is_core:
                raise
            lines = traceback.format_tb(error.__traceback__)
            error.add_note("".join(["raised here:\n", *lines]))
            for each in _with_causes(error):
                each.__traceback__ = None
            return code_and_text(error)
        return None

    def _infer(self, table: "Api", at: Any) -> None:
        keywords = read_inferred_attributes(table, at, self.attributes)
        if isinstance(self.function, type):
            keywords = {name: value for name, value in keywords.items() if value is not None}
        count = ffi.new("size_t*")
        table._call("ShapeInferContext_GetInputCount", at, count)
        given = [self._inferred_input(table, at, i) for i in range(count[0])]
        for i, found in enumerate(self._shapes_of(given, keywords)):
            if found is None:
                continue
            with self._output_type(table, i, found) as info:
                table._call("ShapeInferContext_SetOutputTypeShape", at, i, info.handle)

    def _inferred_input(self, api: "Api", context: Any, i: int) -> Any:
        out = ffi.new("OrtTensorTypeAndShapeInfo**")
        api._call("ShapeInferContext_GetInputTypeShape", context, i, out)
        info = TensorTypeInfo.from_handle(api, out[0], parent=context)
        return info.shape if info.element_type else None

    def _output_type(self, api: "Api", i: int, found: Any) -> TensorTypeInfo:
        if isinstance(found, TensorTypeInfo):
            return TensorTypeInfo(found.element_type, found.shape, api)
        operand = self.outputs[min(i, len(self.outputs) - 1)]
        return TensorTypeInfo(operand.element_type, found, api)

    # --- inputs and outputs that are not simply arrays --------------------------------------------

    def read(self, api: int, version: int, value: int) -> Any:
        """Get an input that C cannot read: strings, packed elements and whatever is no tensor."""
        table = table_of(api, version)
        handle = ffi.cast("OrtValue*", value)
        with Value.from_handle(table, handle, parent=table, readonly=True) as found:
            return _content(found)

    def array(self, index: int, element: int, result: Any) -> Any:
        """Return what a function returned, as an array that C can copy."""
        self._refuse_mask(index, result)
        dtype = dtype_of(element)
        if not isinstance(result, np.ndarray) and not isinstance(result, np.generic):
            result = self._converted(index, result, dtype)
        if result.dtype != dtype:
            raise TypeError(
                f"{self.full_name}: output {index} must be {dtype}, not {result.dtype}: "
                f"return x.astype({str(dtype)!r})"
            )
        return np.asarray(result, dtype, order="C")

    def _refuse_mask(self, index: int, result: Any) -> None:
        if isinstance(result, np.ma.MaskedArray):
            raise TypeError(
                f"{self.full_name}: output {index} must not be masked, since values have no mask: "
                "use filled()"
            )

    def _converted(self, index: int, result: Any, dtype: Any) -> Any:
        if result is None:
            raise TypeError(f"{self.full_name}: output {index} is None, but the node asks for it")
        with named(f"{self.full_name}: output {index}"):
            return array_as(result, dtype)

    def write(  # noqa: PLR0913, PLR0917  # as many as C has to say
        self, api: int, version: int, context: int, index: int, element: int, result: Any
    ) -> None:
        """Write an output of strings, of packed elements, or of a type that the model decides."""
        table = table_of(api, version)
        self._refuse_mask(index, result)
        array = np.asarray(result, object if element == ElementType.STRING else None)
        if result is None:
            self._converted(index, result, None)
        lengths, out = ffi.new("int64_t[]", array.shape), ffi.new("OrtValue**")
        at = ffi.cast("OrtKernelContext*", context)
        table._call("KernelContext_GetOutput", at, index, lengths, array.ndim, out)
        if not out[0]:
            return
        with Value.from_handle(table, out[0], parent=table) as value:
            if value.element_type is ElementType.STRING:
                value.set_strings(array.reshape(-1).tolist())
            elif value.element_type in PACKED:
                if array.dtype != (dtype := value.dtype):
                    text = f"output {index} must be {dtype}, not {array.dtype}"
                    raise TypeError(f"{self.full_name}: {text}")
                with Value.from_numpy(array, api=table, copy=True) as packed:
                    bytes_of(value)[...] = bytes_of(packed)
            else:
                value.numpy()[...] = self.array(index, value.element_type, array)


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it refers to, each once."""
    todo: list[BaseException | None] = [error]
    seen: set[int] = set()
    while todo:
        each = todo.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            todo += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]


def _content(value: Value) -> Any:
    """Get an array; of a sequence a list of them, of a map or a sequence of maps Python's objects.

    None for an optional that holds nothing.
    """
    if value.kind is ValueKind.OPTIONAL:
        return None
    if value.kind in (ValueKind.SEQUENCE, ValueKind.MAP):
        return value._contents(_content)
    return value.numpy(copy=True)


def _is_fixed(operand: "Operand") -> bool:
    return operand.characteristic != Characteristic.VARIADIC
