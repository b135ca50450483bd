# SPDX-License-Identifier: MIT
"""What the core and the real library say of operators is what the package ``onnx`` says."""

import difflib
import itertools
import re
from collections.abc import Iterator

import make_schemas
import onnx
import pytest
from onnx import AttributeProto
from onnx.defs import get_all_schemas_with_history
from support.op_schemas import OpSchema, SchemaAttribute, SchemaOperand, op_schema

from ortcffi import Api, Characteristic, Env
from ortcffi._native import ffi, lib
from ortcffi.errors import check

MADE_FROM = re.search(r"from onnx (\S+);", make_schemas.TABLE.read_text(encoding="utf-8"))[1]
HISTORY = {(s.domain, s.name, s.since_version): s for s in get_all_schemas_with_history()}
# What onnx has corrected, after the release that it came with.
CORRECTED = {
    ("", "Conv", 11),
    ("", "Erf", 13),
    ("", "GlobalLpPool", 2),
    ("", "GlobalLpPool", 22),
    ("", "GroupNormalization", 18),
}
PREVIEW = {"ai.onnx.preview", "ai.onnx.preview.training"}  # the real library has them not
Schemas = dict[tuple[str, str, int], OpSchema]


@pytest.fixture(autouse=True)
def _environment(request: pytest.FixtureRequest) -> Iterator[None]:
    """The environment of the library, which `op_schema` would otherwise make each time."""
    if "api" not in request.fixturenames:
        yield
        return
    with Env(api=request.getfixturevalue("api")):
        yield


def all_of(api: Api) -> Schemas:
    """Each schema that onnx has and the library too."""
    found = {}
    for domain, name, since in HISTORY:
        try:
            schema = op_schema(name, since, domain, api)
        except LookupError:
            continue
        if schema.since_version == since:
            found[domain, name, since] = schema
    return found


def from_onnx(schema: onnx.defs.OpSchema) -> OpSchema:
    """What `op_schema` is to say, made from what onnx says."""
    types = {c.type_param_str: tuple(c.allowed_type_strs) for c in schema.type_constraints}
    attributes = sorted(from_attribute(each) for each in schema.attributes.values())
    return OpSchema(
        schema.name,
        schema.domain,
        schema.since_version,
        tuple(from_operand(each, types) for each in schema.inputs),
        tuple(from_operand(each, types) for each in schema.outputs),
        types,
        {each.name: each for each in attributes},
        schema.deprecated,
    )


def from_operand(operand: onnx.defs.OpSchema.FormalParameter, types: dict) -> SchemaOperand:
    is_parameter = operand.type_str in types
    return SchemaOperand(
        operand.name,
        types.get(operand.type_str, (operand.type_str,)),
        operand.type_str if is_parameter else None,
        Characteristic(operand.option.value),
        operand.min_arity,
        operand.is_homogeneous,
    )


def from_attribute(attribute: onnx.defs.OpSchema.Attribute) -> SchemaAttribute:
    value, default = attribute.default_value, None
    if value.type:
        default = onnx.helper.get_attribute_value(value)
        if value.type == AttributeProto.STRING:
            default = default.decode()
        elif value.type == AttributeProto.STRINGS:
            default = [each.decode() for each in default]
    return SchemaAttribute(attribute.name, attribute.type.name, attribute.required, default)


def newest_of(schemas: Schemas) -> dict[str, int]:
    """The newest version of each domain."""
    newest: dict[str, int] = {}
    for domain, _, since in schemas:
        newest[domain] = max(since, newest.get(domain, 0))
    return newest


# --- the table ------------------------------------------------------------------------------------


def test_the_table_is_what_the_installed_onnx_gives():
    if onnx.__version__ != MADE_FROM:
        pytest.skip(f"the table was made from onnx {MADE_FROM}")
    there = make_schemas.TABLE.read_text(encoding="utf-8").splitlines()
    made = make_schemas.generated().splitlines()
    different = list(difflib.unified_diff(there, made, lineterm="", n=0))
    assert different == [], "run: python tools/make_schemas.py"


def test_the_core_says_of_each_schema_what_onnx_says(core_api):
    found = all_of(core_api)
    newest = newest_of(found)
    assert len(found) > 500
    known = {key for key in HISTORY if key[2] <= newest.get(key[0], 0)}
    assert known == found.keys()
    different = {key for key, schema in found.items() if schema != from_onnx(HISTORY[key])}
    assert different <= (set() if onnx.__version__ == MADE_FROM else CORRECTED)


# --- both tables ----------------------------------------------------------------------------------


def test_both_libraries_say_the_same_of_each_schema(core_api, real_api):
    with Env(api=real_api):
        ours, theirs = all_of(core_api), all_of(real_api)
    newest = newest_of(theirs)
    missing = {key for key in ours.keys() - theirs.keys() if key[2] <= newest.get(key[0], 0)}
    assert len(theirs) > 500
    assert {key for key in missing if real_api.version >= 28} == set()
    assert newest.keys() == newest_of(ours).keys() - PREVIEW
    different = {key for key, schema in theirs.items() if schema != ours[key]}
    assert different == (set() if real_api.version >= 28 else {("", "Conv", 11)})


def test_an_opset_between_two_versions_has_the_older_schema(api):
    wrong = []
    names = {(domain, name) for domain, name, _ in all_of(api)}
    for domain, name in names:
        versions = sorted(since for d, n, since in HISTORY if (d, n) == (domain, name))
        for version, after in itertools.pairwise(versions):
            if op_schema(name, after - 1, domain, api).since_version != version:
                wrong.append((domain, name, after - 1))
    assert len(names) > 200
    assert wrong == []


def indices_of(api: Api, key: tuple[str, str, int]) -> list[tuple[list[int], list[int]]]:
    """The places of the inputs and outputs that each type constraint bounds."""
    domain, name, since = key
    table, count = lib.GetEpApi(api.pointer), ffi.new("size_t*")
    out, constraint = ffi.new("OrtOpSchema**"), ffi.new("const OrtOpSchemaTypeConstraint**")
    places = ffi.new("const size_t**")

    def ask(slot: str, *arguments: object) -> None:
        check(api.pointer, getattr(lib, slot)(table, *arguments))

    def read(kind: str) -> list[int]:
        ask(f"OpSchemaTypeConstraint_Get{kind}Indices", constraint[0], places, count)
        return [places[0][i] for i in range(count[0])]

    ask("GetOpSchema", name.encode(), since, domain.encode(), out)
    ask("OpSchema_GetTypeConstraintCount", out[0], count)
    found = []
    for i in range(count[0]):
        ask("OpSchema_GetTypeConstraint", out[0], i, constraint)
        found.append((read("Input"), read("Output")))
    lib.ReleaseOpSchema(table, out[0])
    return found


def test_a_constraint_has_the_places_of_the_operands_that_it_bounds(api):
    wrong = []
    for key, schema in all_of(api).items():
        expected = [
            tuple(
                [i for i, operand in enumerate(operands) if operand.constraint == name]
                for operands in (schema.inputs, schema.outputs)
            )
            for name in schema.type_constraints
        ]
        if indices_of(api, key) != expected:
            wrong.append(key)
    assert wrong == []


# --- one schema -----------------------------------------------------------------------------------


def test_the_domain_of_onnx_has_two_names(api):
    assert op_schema("Conv", 21, "ai.onnx", api) == op_schema("Conv", 21, "", api)


def test_the_newest_schema_is_the_default(api):
    assert op_schema("Gelu", api=api) == op_schema("Gelu", 2**31 - 1, api=api)


def test_of_operators_of_others_the_api_says_no_attributes(real_api):
    schema = op_schema("FusedMatMul", 1, "com.microsoft", real_api)
    assert schema.attributes is schema.is_deprecated is schema.inputs[0].characteristic is None
    assert schema.inputs[0].types == schema.type_constraints["T"]


def test_a_default_is_a_constant_that_lives_for_ever(core_api):
    found = lib.core_find_schema(b"Conv", b"", 21)
    attribute = ffi.cast("OrtOpAttr*", lib.core_schema_attribute_at(found, 0).default_value)
    lib.ReleaseOpAttr(core_api.pointer, attribute)
    assert op_schema("Conv", 21, api=core_api).attributes["auto_pad"].default == "NOTSET"
