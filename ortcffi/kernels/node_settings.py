# SPDX-License-Identifier: MIT
"""The node that a kernel is made for."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ortcffi._convert import encode, integer, optional_mapping, snapshot
from ortcffi._native import ffi
from ortcffi._table import core_api
from ortcffi.custom_ops.describe import Characteristic, CustomOp
from ortcffi.errors import InvalidArgument
from ortcffi.values.element_types import as_element
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

__all__ = ["Settings"]


class Settings:
    """The node that a kernel is made for, as C has it, and what that borrows.

    Parameters
    ----------
    op : CustomOp
        What the op declares.
    inputs, outputs, constants
        As given to `make_kernel`.
    """

    def __init__(self, op: CustomOp, inputs: Any, outputs: Any, constants: Any) -> None:
        self.op = op
        self.node = ffi.new("OrtcoreNode*")
        self.kept: list[Any] = []
        fixed = _constants(op, constants)
        if inputs is not None or fixed:
            self._operands("input", inputs, op.inputs, fixed)
        self._operands("output", outputs, op.outputs, {})
        self.count: int = self.node.output_count

    def _operands(self, what: str, given: Any, declared: Any, fixed: dict[int, Value]) -> None:
        entries = _entries(what, given, declared)
        array = ffi.new("OrtcoreOperand[]", len(entries))
        for i, entry in enumerate(entries):
            if entry is _ABSENT:
                continue
            array[i].name = self.keep(ffi.new("char[]", f"{what}{i}".encode()))
            if isinstance(entry, TypeInfo):
                array[i].type = self.keep(entry).handle
            elif entry is not None:
                array[i].element_type = as_element(entry, f"{what}s[{i}]")
            if i in fixed:
                array[i].constant = self.keep(fixed[i].handle)
        setattr(self.node, f"{what}s", self.keep(array))
        setattr(self.node, f"{what}_count", len(entries))

    def keep(self, thing: Any) -> Any:
        """Keep what C borrows."""
        self.kept.append(thing)
        return thing

    def text(self, argument: str, text: str) -> Any:
        """A string that C borrows."""
        return self.keep(ffi.new("char[]", encode(argument, text)))


_ABSENT = object()


def _entries(what: str, given: Any, declared: Any) -> list[Any]:
    """What a node says of each operand: a type, None for the declared one, or `_ABSENT`."""
    if given is None:
        counts = [
            o.min_arity if o.characteristic == Characteristic.VARIADIC else 1 for o in declared
        ]
        return [None] * sum(counts)
    if isinstance(given, int):
        return [None] * integer(f"{what}s", given, (0, 65535))
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{what}s must be a count or a list of types, not {given!r}")
    return [_ABSENT if each is None else each for each in given]


def _constants(op: CustomOp, constants: Any) -> dict[int, Value]:
    found = {}
    for place, given in optional_mapping("constants", constants).items():
        x = given
        i = integer("constants", place, (0, 65535))
        value = (
            x
            if isinstance(x, Value)
            else Value.from_numpy(np.asarray(snapshot(x)), copy=True, api=core_api())
        )
        found[i] = value
    most = len(op.inputs)
    variadic = op.inputs and op.inputs[-1].characteristic == Characteristic.VARIADIC
    if found and max(found) >= most and not variadic:
        raise InvalidArgument(f"constants: {op.name} has no input {max(found)}", None)
    return found
