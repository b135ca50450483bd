# SPDX-License-Identifier: MIT
"""Custom ops written in Python, for sessions of any library and for kernels without one."""

from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ortcffi._convert import encode, integer
from ortcffi._native import address_of, compiled, ffi
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.custom_ops.describe import NO_END, CustomOp
from ortcffi.errors import NotImplemented
from ortcffi.kernels import op_sets
from ortcffi.kernels.definition import Definition, remember_table
from ortcffi.kernels.host import table_of_host
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.make_kernel import make_kernel
from ortcffi.kernels.operands import attributes_of, of_declared_type, operands_of

if TYPE_CHECKING:
    from ortcffi.table.api import Api

_LEAST = 16  # the first API version whose kernels have a status


def op_struct(  # noqa: PLR0913  # as many as there are facts
    api: "Api",
    name: str,
    inputs: Iterable[tuple[Any, ...]],
    outputs: Iterable[tuple[Any, ...]],
    definition: "Definition",
    *,
    versions: tuple[int, int] = (1, NO_END),
    infers: bool = False,
) -> Any:
    """Return an ``OrtCustomOp`` for hosts of one table.

    An operand has the fields of `Operand`; of an output also its shape, if that is known, with -1
    for a length that is not.
    """
    facts = ffi.new("ortcffi_op_facts*")
    kept = [facts, ffi.new("char[]", name.encode())]
    facts.name = kept[-1]
    for side, operands in (("input", inputs), ("output", outputs)):
        rows = []
        for operand in operands:
            shape = operand[5] if len(operand) > 5 else None
            if shape is not None:
                kept.append(ffi.new("int64_t[]", shape))
            rows.append((*operand[:5], *(() if shape is None else (kept[-1], len(shape)))))
        kept.append(ffi.new("ortcffi_operand[]", rows))
        setattr(facts, f"{side}s", kept[-1])
        setattr(facts, f"{side}_count", len(rows))
    facts.first_version, facts.last_version = versions
    facts.infers = infers
    return compiled.OpStruct(
        remember_table(api), api.version, address_of(facts), tuple(kept), definition
    )


@public
class PythonOp:
    """A custom op written in Python. Made by `custom_op`.

    It can still be called as the function or class that it was made of.
    """

    def __init__(
        self,
        domain: str,
        name: str,
        definition: "Definition",
        *,
        versions: tuple[int, int],
    ) -> None:
        if not isinstance(definition, Definition):
            raise TypeError("ops in Python are made by custom_op")
        update_wrapper(self, definition.function, updated=())
        self.domain = domain
        self.name = name
        self.inputs = definition.inputs
        self.outputs = definition.outputs
        self.attributes = definition.attributes
        self._definition = definition
        self._versions = versions

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        """Call the function, or make an object of the class."""
        return self._definition.function(*arguments, **keywords)

    @property
    def description(self) -> CustomOp:
        """The op as libraries describe theirs."""
        first, last = self._versions
        end = None if last == NO_END else last
        return CustomOp(self.domain, self.name, first, end, self.inputs, self.outputs, "")

    def kernel(self, attributes: Mapping[str, Any] | None = None, **node: Any) -> Kernel:
        """Make a kernel of the op on the embedded core, as `LibraryOp.kernel` does.

        The arguments are the same.
        """
        attributes = of_declared_type(
            self._definition.full_name, self._definition.attributes, attributes
        )
        struct = self._struct_for(core_api())
        pointer = ffi.cast("OrtCustomOp*", struct.address)
        _, table = table_of_host(core_api())
        return make_kernel(self.description, pointer, struct, table, attributes, **node)

    def _struct_for(self, api: "Api") -> Any:
        """Return an ``OrtCustomOp`` for hosts of one table, which this object keeps alive."""
        if api.version < _LEAST:
            raise NotImplemented(
                f"an op in Python needs a host of API version {_LEAST} or newer, whose kernels can "
                f"fail; this one has {api.version}",
                "CustomOpDomain_Add",
            )
        return op_struct(
            api,
            self.name,
            self.inputs,
            self.outputs,
            self._definition,
            versions=self._versions,
            infers=self._definition.shapes is not None,
        )

    def __repr__(self) -> str:
        return f"<PythonOp {self._definition.full_name}>"


@public
def custom_op(  # noqa: PLR0913  # as many as there are facts
    domain: str,
    *,
    inputs: Iterable[Any],
    outputs: Iterable[Any],
    attributes: Mapping[str, Any] | None = None,
    name: str | None = None,
    shapes: Callable[..., Any] | None = None,
    versions: tuple[int, int | None] = (1, None),
    op_set: str | None = "",
) -> Callable[[Callable[..., Any]], PythonOp]:
    """Define a custom op by a Python function or class.

    The function gets the inputs as arrays, None for an optional one that a node leaves out, and the
    attributes as keywords. It returns the output, or a tuple of several. A class gets the
    attributes when a kernel is made; its objects are called with the inputs.

    The arrays are copies, which the function may write to and keep. What it returns is copied once.

    Parameters
    ----------
    inputs, outputs : iterable of dtype-like, ElementType, typing.Any or Operand
        What the elements are; `typing.Any` for any type. See also `optional` and `variadic`. The
        type of an output of any type is that of the only input of such a type, or what `shapes`
        says.
    attributes : mapping, optional
        What nodes can set, by name: a default, or a type for what a node must set, such as
        ``int`` or ``list[float]``.
    name : str, optional
        The name of the op, by default the function's.
    shapes : callable, optional
        ``shapes(*input_shapes, **attributes)`` returns the shape of the output, or a list of
        several. Shapes are tuples of int, str or None, or None where nothing is known. A
        `TensorTypeInfo` in the place of a shape says the type too.
    versions : tuple of int, optional
        The first and the last version of the domain that has the op.
    op_set : str, optional
        The set that `custom_op_library` registers: "" for that of the process; None for none.

    Examples
    --------
    >>> import numpy as np
    >>> @custom_op("my.domain", inputs=[np.float32], outputs=[np.float32], attributes={"by": 2.0})
    ... def scale(x, *, by):
    ...     return x * np.float32(by)
    >>> scale.description.name
    'scale'
    """
    text = encode("domain", domain).decode()
    if op_set is not None:
        encode("op_set", op_set)
    taken, given = operands_of("inputs", inputs), operands_of("outputs", outputs)
    declared = attributes_of(attributes)
    try:
        first, last = versions
    except (TypeError, ValueError):
        raise TypeError(f"versions must be a pair (first, last), not {versions!r}") from None
    last = NO_END if last is None else last
    span = integer("versions", first, (1, NO_END)), integer("versions", last, (first, NO_END))
    if not given:
        raise ValueError("outputs: an op has at least one")
    if shapes is not None and not callable(shapes):
        raise TypeError(f"shapes must be callable, not {shapes!r}")

    def define(function: Callable[..., Any]) -> PythonOp:
        if not callable(function):
            raise TypeError(f"an op must be a function or a class, not {function!r}")
        called: str = getattr(function, "__name__", "") if name is None else name
        encode("name", called)
        full_name = f"{text}:{called}" if text else called
        definition = Definition(full_name, function, taken, given, declared, shapes)
        op = PythonOp(text, called, definition, versions=span)
        if op_set is not None:
            op_sets.op_set(op_set).add(op)
        return op

    return define
