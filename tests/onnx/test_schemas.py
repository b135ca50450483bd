# SPDX-License-Identifier: MIT
"""What the core and the real library say of operators is what the package ``onnx`` says."""

import difflib
import itertools
import re
from typing import Any

import make_schemas
import onnx
import pytest
from onnx.defs import get_all_schemas_with_history

from ortcffi import Api, Env
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


def asked(api: Api, domain: str, name: str, version: int) -> Any:
    """What a library says: since when, operands by name, and each constraint with its places."""
    table, count = lib.GetEpApi(api.pointer), ffi.new("size_t*")

    def ask(slot: str, kind: str, *given: object) -> Any:
        out = ffi.new(kind)
        check(api.pointer, getattr(lib, slot)(table, *given, out), slot)
        return ffi.string(out[0]).decode() if kind == "char**" else out[0]

    def listed(what: str, kind: str, constraint: Any) -> list[Any]:
        out, slot = ffi.new(kind), f"OpSchemaTypeConstraint_Get{what}"
        check(api.pointer, getattr(lib, slot)(table, constraint, out, count), slot)
        found = [out[0][i] for i in range(count[0])]
        return [ffi.string(each).decode() for each in found] if "char" in kind else found

    schema = ask("GetOpSchema", "OrtOpSchema**", name.encode(), version, domain.encode())
    if schema == ffi.NULL:
        return None
    names = [
        [ask(f"OpSchema_Get{side}Name", "char**", schema, i) for i in range(number)]
        for side in ("Input", "Output")
        for number in [ask(f"OpSchema_GetNum{side}s", "size_t*", schema)]
    ]
    constraints = [
        (
            ask("OpSchemaTypeConstraint_GetTypeParamName", "char**", constraint),
            listed("AllowedTypes", "const char* const**", constraint),
            *(
                listed(f"{side}Indices", "const size_t**", constraint)
                for side in ("Input", "Output")
            ),
        )
        for i in range(ask("OpSchema_GetTypeConstraintCount", "size_t*", schema))
        for constraint in [
            ask("OpSchema_GetTypeConstraint", "const OrtOpSchemaTypeConstraint**", schema, i)
        ]
    ]
    since = ask("OpSchema_GetSinceVersion", "int*", schema)
    lib.ReleaseOpSchema(table, schema)
    return since, *names, constraints


def from_onnx(schema: onnx.defs.OpSchema) -> Any:
    """The same, as the package onnx says it."""
    sides = schema.inputs, schema.outputs

    def places(parameter: str) -> list[list[int]]:
        return [[i for i, each in enumerate(side) if each.type_str == parameter] for side in sides]

    constraints = [
        (each.type_param_str, list(each.allowed_type_strs), *places(each.type_param_str))
        for each in schema.type_constraints
    ]
    names = [[each.name for each in side] for side in sides]
    return schema.since_version, *names, constraints


def all_of(api: Api) -> dict[tuple[str, str, int], Any]:
    """Each schema that onnx has and the library too."""
    with Env(api=api):
        found = {key: asked(api, *key) for key in HISTORY}
    return {key: answer for key, answer in found.items() if answer and answer[0] == key[2]}


def newest_of(schemas: dict[tuple[str, str, int], Any]) -> dict[str, int]:
    """The newest version of each domain."""
    newest: dict[str, int] = {}
    for domain, _, since in schemas:
        newest[domain] = max(since, newest.get(domain, 0))
    return newest


def test_the_table_is_what_the_installed_onnx_gives():
    if onnx.__version__ != MADE_FROM:
        pytest.skip(f"the table was made from onnx {MADE_FROM}")
    there = make_schemas.TABLE.read_text(encoding="utf-8").splitlines()
    made = make_schemas.generated().splitlines()
    different = list(difflib.unified_diff(there, made, lineterm="", n=0))
    assert different == [], "run: python tools/make_schemas.py"


def test_both_libraries_say_of_each_schema_what_onnx_says(core_api, real_api):
    ours, theirs = all_of(core_api), all_of(real_api)
    newest = newest_of(ours)
    assert {key for key in HISTORY if key[2] <= newest.get(key[0], 0)} == ours.keys()
    different = {key for key, schema in ours.items() if schema != from_onnx(HISTORY[key])}
    assert different <= (set() if onnx.__version__ == MADE_FROM else CORRECTED)
    newest = newest_of(theirs)
    missing = {key for key in ours.keys() - theirs.keys() if key[2] <= newest.get(key[0], 0)}
    assert {key for key in missing if real_api.version >= 28} == set()
    assert newest.keys() == newest_of(ours).keys() - PREVIEW
    different = {key for key, schema in theirs.items() if schema != ours[key]}
    assert different == (set() if real_api.version >= 28 else {("", "Conv", 11)})
    assert len(theirs) > 500


def test_an_opset_between_two_versions_has_the_older_schema(api):
    known = sorted(all_of(api))
    with Env(api=api):
        for (domain, name, version), after in itertools.pairwise(known):
            if after[:2] == (domain, name):
                assert asked(api, domain, name, after[2] - 1)[0] == version
    assert len(known) > 500


def test_a_default_is_a_constant_that_lives_for_ever(core_api):
    found = lib.core_find_schema(b"Conv", b"", 21)
    value = ffi.cast("OrtOpAttr*", lib.core_schema_attribute_at(found, 0).default_value)
    lib.ReleaseOpAttr(core_api.pointer, value)
    out = ffi.new("const char**")
    check(core_api.pointer, lib.OpAttr_GetName(core_api.pointer, value, out))
    assert ffi.string(out[0]) == b"auto_pad"
