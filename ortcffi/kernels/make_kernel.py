# SPDX-License-Identifier: MIT
"""The node that a kernel is made for: what the arguments of `LibraryOp.kernel` say of it."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from ortcffi._convert import SIZE, encode, integer, named, of_type_or_none, optional_mapping
from ortcffi._convert import pointer as pointer_to
from ortcffi._handle import out_of
from ortcffi._native import address_of, ffi, lib
from ortcffi._table import core_api, host_function
from ortcffi.custom_ops.describe import Characteristic, CustomOp
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType, other_attributes
from ortcffi.errors import InvalidArgument, OrtError
from ortcffi.kernels.checked import CheckedKernel
from ortcffi.kernels.host import call_host
from ortcffi.kernels.kernel import Kernel
from ortcffi.memory.adaptors import Guarded, guard_of
from ortcffi.memory.allocator import Allocator
from ortcffi.status import KeyValuePairs
from ortcffi.values.element_types import as_element
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

# Gets the names of the ops of which kernels are made, for messages of tests.
OPS_USED: ContextVar[set[str] | None] = ContextVar("OPS_USED", default=None)

_ABSENT = object()
_ASKED_ROOM = 4096
_INFERS_SINCE = 17  # which struct has InferOutputShapeFn
_POINTER = ffi.typeof("OrtcoreKernel*")


def make_kernel(  # noqa: PLR0913  # as many as a node has
    op: CustomOp,
    pointer: Any,
    holder: object,
    table: Any,
    attributes: Mapping[str, Any] | None,
    *,
    inputs: Any = None,
    outputs: Any = None,
    constants: Mapping[int, Any] | None = None,
    node_name: str = "node",
    domain_version: int | None = None,
    config: Mapping[str, str] | None = None,
    allocator: Allocator | None = None,
    logger: Any = None,
    threads: int = 1,
    check: bool = False,
    repeats: int = 2,
    _asked: dict[str, list[str]] | None = None,
    _options: Any = None,
    _of: Any = None,
    **unknown: Any,
) -> Kernel:
    """Return the kernel of an ``OrtCustomOp``, for the arguments of `LibraryOp.kernel`.

    `holder` keeps the op, and the library that it is from. `_asked` gets what the op asked for.
    `_options`, kept by `holder`, have the custom ops that the kernel may make with ``CreateOp``.
    `_of` is an ``OrtcoreCompiledNode`` with the operands.
    """
    for name in unknown:
        raise TypeError(f"kernel() got an unexpected keyword argument {name!r}")
    if (used := OPS_USED.get()) is not None:
        used.add(f"{op.domain}:{op.name}")
    if domain_version is not None:
        last = op.end_version or SIZE[1]
        if not op.since_version <= integer("domain_version", domain_version) <= last:
            text = f"{op.name} is not in version {domain_version} of its domain"
            raise InvalidArgument(text, None)
    of_type_or_none("allocator", allocator, Allocator)
    api = core_api()
    guard = guard_of(allocator)
    if check and (guard is None or guard is not allocator):  # others keep bytes before a block
        allocator = guard = Guarded(allocator or api.default_allocator)
    node, attrs = _Node(op, inputs, outputs, constants), attributes_for(attributes)
    struct, keep = node.struct, node.keep
    struct.version, struct.op, struct.api = api.version, pointer, table
    struct.name = node.text("node_name", node_name)
    node.set_attributes(attrs)
    if _of is not None:
        node.use_operands(_of)
    if allocator is not None:
        struct.allocator = keep(allocator.handle)
    if logger is not None:
        struct.logger = pointer_to("logger", logger, "const OrtLogger *")
    if _options is not None:
        struct.options = _options
    if config is not None:
        struct.config = keep(KeyValuePairs(optional_mapping("config", config), api).handle)
    struct.threads = integer("threads", threads, (0, 1024))
    memory = None if allocator is None else (allocator, allocator.handle)
    release = address_of(host_function("OrtcoreKernelRelease"))
    kind = Kernel if guard is None else CheckedKernel
    kernel = kind(_POINTER, release, api._maker, Value, struct.output_count, memory, holder, logger)
    _create(op, struct, attrs, kernel, _asked)
    kernel._open_handle()
    kernel.description, kernel.node_name = op, node_name
    if isinstance(kernel, CheckedKernel) and guard is not None:
        asked = (asked_for(struct) or {}) if check and _of is None else {}
        given = partial(make_kernel, op, pointer, holder, table, inputs=inputs, outputs=outputs)
        make = partial(given, constants=constants, config=config, _options=_options)
        others: list[Any] = [
            partial(make, x) for x in other_attributes(attributes or {}, attrs, asked)
        ]
        count = integer("repeats", repeats, (1, 1000)) if check else 1
        tell = partial(_tell_unread, op, attrs, struct) if check and _infers(pointer) else None
        kernel._begin_checks(guard, count, check, others, tell)
    return kernel


def _create(op: CustomOp, struct: Any, attributes: Any, kernel: Any, asked: Any) -> None:
    try:
        call_host("OrtcoreKernelCreate", struct, out_of(kernel), function="CreateKernel")
    except OrtError as error:
        for mistake in _mistakes(op, attributes, struct):
            error.add_note(mistake)
        raise
    finally:
        if asked is not None:
            asked.update(asked_for(struct) or {})
    for mistake in _mistakes(op, attributes, struct):
        warnings.warn(mistake, UserWarning, stacklevel=4)


def _infers(pointer: Any) -> bool:
    """Whether an op has shape inference, which may ask for attributes."""
    return bool(pointer.version >= _INFERS_SINCE and pointer.InferOutputShapeFn)


def _tell_unread(op: CustomOp, attributes: list[OpAttr], struct: Any, kernel: Kernel) -> None:
    """Warn of attributes that neither the kernel nor the shape inference has read."""
    struct.asked = record = ffi.new("char[]", _ASKED_ROOM)  # the first one ended with the node
    host_function("OrtcoreKernelAsked")(kernel.handle, record)
    for mistake in _mistakes(op, attributes, struct, has_inferred=True):
        warnings.warn(mistake, UserWarning, stacklevel=5)


def asked_for(struct: Any) -> dict[str, list[str]] | None:
    """Return the types in which an op asked for attributes; None if it may ask for others."""
    asked: dict[str, list[str]] = {}
    records, _, _ = bytes(ffi.buffer(struct.asked, struct.asked_room)).partition(b"\0\0")
    for record in records.split(b"\0"):
        if record[:1] == b"0":
            return None
        if record:
            kinds = asked.setdefault(record[1:].decode(errors="replace"), [])
            kinds.append(OpAttrType(int(record[:1])).name)
    return asked


def _mistakes(
    op: CustomOp, attributes: list[OpAttr], struct: Any, has_inferred: bool = False
) -> Iterator[str]:
    """Yield what is likely wrong with attributes: what an op did not read until now."""
    if not attributes or (asked := asked_for(struct)) is None:
        return
    may_read_more = _infers(struct.op) and not has_inferred
    for each in attributes:
        subject = f"attribute {each.name!r} of {op.domain}:{op.name}"
        given = getattr(each.type, "name", str(each.type))
        kinds = list(dict.fromkeys(asked.get(each.name, ())))
        if kinds and given not in kinds and not has_inferred:  # or a warning said so
            yield f"{subject} is asked for as {' or '.join(kinds)}, but given as {given}"
        elif not kinds and not may_read_more:
            yield f"{subject} is never read; the op asked for {', '.join(asked) or 'none'}"


class _Node:
    """The node that a kernel is made for, as C has it, and what that borrows."""

    def __init__(self, op: CustomOp, inputs: Any, outputs: Any, constants: Any) -> None:
        self.struct = ffi.new("OrtcoreNode*")
        self.kept: list[Any] = []
        self.struct.domain = self.text("domain", op.domain)
        asked = self.keep(ffi.new("char[]", _ASKED_ROOM))
        self.struct.asked, self.struct.asked_room = asked, _ASKED_ROOM
        fixed = _constants(op, constants)
        if inputs is not None or fixed:
            self._operands("input", inputs, op.inputs, fixed)
        self._operands("output", outputs, op.outputs, {})

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
        setattr(self.struct, f"{what}s", self.keep(array))
        setattr(self.struct, f"{what}_count", len(entries))

    def set_attributes(self, attributes: list[OpAttr]) -> None:
        """Give the node attributes."""
        handles = self.keep([each.handle for each in attributes])
        self.struct.attributes = self.keep(ffi.new("OrtOpAttr*[]", handles))
        self.struct.attribute_count = len(attributes)

    def use_operands(self, node: Any) -> None:
        """Use the operands and attributes of an ``OrtcoreCompiledNode``, which outlives this."""
        struct = self.struct
        struct.inputs, struct.input_count = node.inputs, node.input_count
        struct.outputs, struct.output_count = node.outputs, node.output_count
        struct.attributes, struct.attribute_count = node.attributes, node.attribute_count

    def keep(self, thing: Any) -> Any:
        """Keep what C borrows."""
        self.kept.append(thing)
        return thing

    def text(self, argument: str, text: str) -> Any:
        """Return a string that C borrows."""
        return self.keep(ffi.new("char[]", encode(argument, text)))


def _entries(what: str, given: Any, declared: Any) -> list[Any]:
    """Return what a node says of each operand: a type, None for the declared one, or `_ABSENT`."""
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
    for place, x in optional_mapping("constants", constants).items():
        i = integer("constants", place, (0, 65535))
        value = x if isinstance(x, Value) else Value.from_numpy(np.array(x), api=core_api())
        found[i] = value
    most = len(op.inputs)
    variadic = op.inputs and op.inputs[-1].characteristic == Characteristic.VARIADIC
    if found and max(found) >= most and not variadic:
        raise InvalidArgument(f"constants: {op.name} has no input {max(found)}", None)
    return found


def attributes_for(attributes: "Mapping[str, Any] | None") -> list[OpAttr]:
    """Return the attributes of a node."""
    found = []
    for name, value in optional_mapping("attributes", attributes).items():
        with named(f"attributes[{name!r}]"):
            found.append(_attribute(name, value))
    return found


def _attribute(name: str, value: Any) -> OpAttr:
    api = core_api()
    if isinstance(value, OpAttr):
        return value
    if isinstance(value, np.ndarray):
        value = Value.from_numpy(value, copy=True, api=api)
    if isinstance(value, Value):
        made, out = OpAttr._blank(api)
        call_host("OrtcoreTensorAttribute", encode("name", name), value.handle, out)
        made._open_handle()
        return made
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        text, kind = ffi.from_buffer(value), lib.ORT_OP_ATTR_STRING
        given = "CreateOpAttr", encode("name", name), text, len(value), kind
        return OpAttr.__new__(OpAttr)._create(api, *given)
    if isinstance(value, (list, tuple)) and not value:
        raise TypeError("an empty list has no type: use OpAttr(name, [], OpAttrType.INTS)")
    return OpAttr(name, value, api=api)
