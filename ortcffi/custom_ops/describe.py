# SPDX-License-Identifier: MIT
"""A custom op as it describes itself: ``OrtCustomOp``."""

from enum import IntEnum
from typing import Any, NamedTuple

from ortcffi._convert import decode, known
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.memory.info import MemType
from ortcffi.values.element_types import ElementType

__all__ = ["Characteristic", "CustomOp", "Operand", "read_op"]

NO_END = 2**31 - 1


@public
class Characteristic(IntEnum):
    """How often an input or an output is there (``OrtCustomOpInputOutputCharacteristic``)."""

    REQUIRED = lib.INPUT_OUTPUT_REQUIRED
    OPTIONAL = lib.INPUT_OUTPUT_OPTIONAL
    VARIADIC = lib.INPUT_OUTPUT_VARIADIC


@public
class Operand(NamedTuple):
    """An input or an output of a custom op.

    Attributes
    ----------
    element_type : ElementType or int
        What the elements are; ``UNDEFINED`` stands for any type.
    characteristic : Characteristic or int
        How often it is there.
    mem_type : MemType or int
        Where the op wants it.
    min_arity : int
        Of a variadic one, how many values there are at least; 1 of others.
    is_homogeneous : bool
        Of a variadic one, whether all values have one type; True of others.
    """

    element_type: ElementType | int
    characteristic: Characteristic | int
    mem_type: MemType | int
    min_arity: int
    is_homogeneous: bool


@public
class CustomOp(NamedTuple):
    """An op as it was registered.

    Attributes
    ----------
    domain : str
        The namespace of its name.
    name : str
        Its name.
    since_version : int
        The first version of the domain that has it.
    end_version : int or None
        The last version that has it, or None.
    inputs, outputs : tuple of Operand
        What it takes and gives.
    provider : str
        The execution provider that it runs on; "" stands for that of the CPU.
    """

    domain: str
    name: str
    since_version: int
    end_version: int | None
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    provider: str


def read_op(domain: str, op: Any) -> CustomOp:
    """Ask an op of a domain what it is, as far as the version of its struct goes."""
    told = ffi.new("ortcffi_op*")
    lib.ortcffi_read_op(op, told)
    inputs, outputs = (
        tuple(_operand(op, is_output, i) for i in range(count))
        for is_output, count in ((0, told.inputs), (1, told.outputs))
    )
    last = None if told.last == NO_END else told.last
    name, provider = decode(told.name), decode(told.provider)
    return CustomOp(domain, name, told.first, last, inputs, outputs, provider)


def _operand(op: Any, is_output: int, i: int) -> Operand:
    told = ffi.new("ortcffi_operand*")
    lib.ortcffi_read_operand(op, is_output, i, told)
    return Operand(
        known(ElementType, told.type),
        known(Characteristic, told.characteristic),
        known(MemType, told.memory),
        told.least,
        bool(told.is_homogeneous),
    )
