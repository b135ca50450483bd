# SPDX-License-Identifier: MIT
"""What operators take and give: ``OrtOpSchema``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode, encode, integer
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._table import core_api, table_for
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.custom_ops.op_attr import OpAttr
from ortcffi.env.env import Env
from ortcffi.errors import check

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["OpSchema", "SchemaAttribute", "SchemaOperand", "op_schema"]

NEWEST = 2**31 - 1
# The numbers of AttributeProto.AttributeType.
TYPES = {1: "FLOAT", 2: "INT", 3: "STRING", 4: "TENSOR", 5: "GRAPH", 6: "FLOATS", 7: "INTS"}
TYPES |= {8: "STRINGS", 9: "TENSORS", 10: "GRAPHS", 11: "SPARSE_TENSOR", 12: "SPARSE_TENSORS"}
TYPES |= {13: "TYPE_PROTO", 14: "TYPE_PROTOS"}


class SchemaOperand(NamedTuple):
    """An input or an output of an operator."""

    name: str
    types: tuple[str, ...]
    constraint: str | None
    characteristic: Characteristic | None
    min_arity: int
    is_homogeneous: bool


class SchemaAttribute(NamedTuple):
    """An attribute of an operator."""

    name: str
    type: str
    required: bool
    default: Any


class OpSchema(NamedTuple):
    """What an operator takes and gives since a version of its operator set."""

    name: str
    domain: str
    since_version: int
    inputs: tuple[SchemaOperand, ...]
    outputs: tuple[SchemaOperand, ...]
    type_constraints: dict[str, tuple[str, ...]]
    attributes: dict[str, SchemaAttribute] | None
    is_deprecated: bool | None


def op_schema(
    name: str, opset: int | None = None, domain: str = "", api: "Api | None" = None
) -> OpSchema:
    """Look up what an operator takes and gives."""
    given = encode("name", name), encode("domain", domain)
    version = NEWEST if opset is None else integer("opset", opset)
    api = table_for(api)
    with Env(api=api), _Reader(api, *given, version) as reader:
        if reader.schema:
            return reader.read(name, "" if domain == "ai.onnx" else domain)
    raise LookupError(name)


class _Reader:
    """A schema of a library, and what the core knows beside it."""

    def __init__(self, api: "Api", name: bytes, domain: bytes, version: int) -> None:
        self.api = api
        self.table = lib.GetEpApi(api.pointer)
        self.owner = owner_of("OrtOpSchema*", self.table, lib.ReleaseOpSchema)
        out = out_of(self.owner)
        self.call("GetOpSchema", name, version, domain, out)
        self.schema = owned_by(self.owner) if out[0] else None
        self.known = ffi.NULL
        if self.schema:
            since = self.get("OpSchema_GetSinceVersion", "int*")
            found = lib.core_find_schema(name, domain, since)
            if found and lib.core_schema_since(found) == since:
                self.known = found

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.schema = None
        self.owner.close()

    def call(self, slot: str, *arguments: Any) -> None:
        check(self.api.pointer, getattr(lib, slot)(self.table, *arguments))

    def get(self, slot: str, kind: str, *arguments: Any) -> Any:
        """What a function of the schema answers."""
        out = ffi.new(kind)
        self.call(slot, self.schema, *arguments, out)
        return out[0]

    def read(self, name: str, domain: str) -> OpSchema:
        constraints = dict(self.constraints())
        known = self.known
        return OpSchema(
            name,
            domain,
            self.get("OpSchema_GetSinceVersion", "int*"),
            tuple(self.operands("Input", constraints)),
            tuple(self.operands("Output", constraints)),
            constraints,
            {each.name: each for each in _attributes(known)} if known else None,
            bool(lib.core_schema_is_deprecated(known)) if known else None,
        )

    def constraints(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The name of each type constraint, and its types."""
        types, count = ffi.new("const char* const**"), ffi.new("size_t*")
        for i in range(self.get("OpSchema_GetTypeConstraintCount", "size_t*")):
            constraint = self.get("OpSchema_GetTypeConstraint", _CONSTRAINT, i)
            self.call("OpSchemaTypeConstraint_GetAllowedTypes", constraint, types, count)
            allowed = tuple(decode(types[0][k]) for k in range(count[0]))
            yield self.name_of(constraint), allowed

    def name_of(self, constraint: Any) -> str:
        out = ffi.new("const char**")
        self.call("OpSchemaTypeConstraint_GetTypeParamName", constraint, out)
        return decode(out[0])

    def operands(
        self, kind: str, constraints: dict[str, tuple[str, ...]]
    ) -> Iterator[SchemaOperand]:
        for i in range(self.get(f"OpSchema_GetNum{kind}s", "size_t*")):
            name = decode(self.get(f"OpSchema_Get{kind}Name", "const char**", i))
            constraint = self.get(f"OpSchema_Get{kind}TypeConstraint", _CONSTRAINT, i)
            parameter = self.name_of(constraint) if constraint else None
            types = constraints[parameter] if parameter else ()
            is_output = kind == "Output"
            if self.known and i < lib.core_schema_operand_count(self.known, is_output):
                more: Any = lib.core_schema_operand_at(self.known, is_output, i)
                characteristic = Characteristic(more.characteristic)
                fixed = () if parameter else (decode(more.type),)
                arity = more.least, bool(more.is_homogeneous)
                yield SchemaOperand(name, types or fixed, parameter, characteristic, *arity)
            else:
                yield SchemaOperand(name, types, parameter, None, 1, True)


_CONSTRAINT = "const OrtOpSchemaTypeConstraint**"


def _attributes(known: Any) -> Iterator[SchemaAttribute]:
    api = core_api()
    for i in range(lib.core_schema_attribute_count(known)):
        read: Any = lib.core_schema_attribute_at(known, i)
        default = None
        if read.default_value:
            handle = ffi.cast("OrtOpAttr*", read.default_value)
            default = OpAttr.from_handle(api, handle, api).value
        yield SchemaAttribute(decode(read.name), TYPES[read.type], bool(read.is_required), default)
