# SPDX-License-Identifier: MIT
"""What a custom op declares, ``OrtCustomOp``; and lists of ops, by domain."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from ortcffi._convert import decode, known
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.memory.info import MemType
from ortcffi.values.element_types import ElementType

NO_END = 2**31 - 1
# Fields of the struct of an op, by the API version that they came with.
FIELDS = {
    8: ("GetInputCharacteristic",),
    13: ("GetInputMemoryType",),
    14: ("GetVariadicInputMinArity",),
    16: ("CreateKernelV2", "KernelComputeV2"),
    17: ("GetStartVersion", "GetEndVersion"),
}
MOST_OPERANDS = 2**16 - 1  # a count above it is a mistake, such as -1 as a size_t


@public
class Characteristic(IntEnum):
    """Required, optional or variadic (``OrtCustomOpInputOutputCharacteristic``)."""

    REQUIRED = lib.INPUT_OUTPUT_REQUIRED
    OPTIONAL = lib.INPUT_OUTPUT_OPTIONAL
    VARIADIC = lib.INPUT_OUTPUT_VARIADIC


@public
class Operand(NamedTuple):
    """An input or an output of a custom op.

    Attributes
    ----------
    element_type : ElementType or int
        The type of the elements; ``UNDEFINED`` stands for any type.
    characteristic : Characteristic or int
        Whether it is required, optional or variadic.
    mem_type : MemType or int
        The memory type that the op expects.
    min_arity : int
        The least number of values of a variadic operand; otherwise 1.
    is_homogeneous : bool
        Whether all values of a variadic operand have one type; otherwise True.
    """

    element_type: ElementType | int
    characteristic: Characteristic | int = Characteristic.REQUIRED
    mem_type: MemType | int = MemType.DEFAULT
    min_arity: int = 1
    is_homogeneous: bool = True


@public
class CustomOp(NamedTuple):
    """A registered op.

    Attributes
    ----------
    domain : str
        The domain that it was registered in.
    since_version : int
        The first opset version of the domain that has it.
    end_version : int or None
        The last such version, or None.
    provider : str
        The execution provider that runs it; "" stands for the CPU's.
    """

    domain: str
    name: str
    since_version: int
    end_version: int | None
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    provider: str


def read_op(domain: str, op: Any) -> CustomOp:
    """Read what an op declares, in the fields that its version has."""
    name = decode(lib.core_op_name(op))
    counts = [lib.core_op_operand_count(op, is_output) for is_output in (False, True)]
    for count, what in zip(counts, ("inputs", "outputs"), strict=True):
        if count > MOST_OPERANDS:
            raise ValueError(
                f"the op {name!r} declares {count} {what}; more than {MOST_OPERANDS} are not read"
            )
    inputs, outputs = (
        tuple(_operand(op, is_output, i) for i in range(count))
        for is_output, count in enumerate(counts)
    )
    first, last = ffi.new("int*"), ffi.new("int*")
    lib.core_op_versions(op, first, last)
    end = None if last[0] == NO_END else last[0]
    provider = decode(lib.core_op_provider(op))
    return CustomOp(domain, name, first[0], end, inputs, outputs, provider)


def _operand(op: Any, is_output: int, i: int) -> Operand:
    read: Any = lib.core_op_operand(op, bool(is_output), i)
    return Operand(
        known(ElementType, read.type),
        known(Characteristic, read.characteristic),
        known(MemType, read.memory),
        read.least,
        bool(read.is_homogeneous),
    )


def listed(ops: Any) -> list[CustomOp]:
    """Return the ops of a list, with what they declare."""
    # A copy keeps the libraries of the ops loaded, also if another thread drops them meanwhile.
    owner = owner_of("ortcffi_ops*", None, lib.ortcffi_end_ops)
    if not lib.ortcffi_new_ops(ops, out_of(owner)):
        raise MemoryError("there is no memory for a list of custom ops")
    return [read_op(domain, op) for domain, op in ops_of(owned_by(owner))]


def ops_of(ops: Any) -> Iterator[tuple[str, Any]]:
    """Yield the ops of a list, each with the name of its domain."""
    place = 0
    while domain := lib.ortcffi_op_domain(ops, place):
        i = 0
        while op := lib.ortcffi_op_at(ops, place, i):
            yield decode(domain), op
            i += 1
        place += 1
