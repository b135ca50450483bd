# SPDX-License-Identifier: MIT
"""The core's table of operators has what the installed package ``onnx`` says of them."""

import difflib
import re
from collections.abc import Iterator

import make_schemas
import numpy as np
import onnx
import pytest
from onnx import AttributeProto
from onnx.defs import OpSchema, get_all_schemas_with_history
from support.processes import run

HEAD = re.compile(r"from onnx (\S+);")
MADE_FROM = HEAD.search(make_schemas.TABLE.read_text(encoding="utf-8"))[1]
HISTORY = sorted(get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version))
SINCE = {(s.domain, s.name, s.since_version) for s in HISTORY}
# The numbers of OrtOpAttrType.
OP_ATTR_TYPES = {"INT": 1, "INTS": 2, "FLOAT": 3, "FLOATS": 4, "STRING": 5, "STRINGS": 6}


def test_the_table_is_what_the_installed_onnx_gives():
    if onnx.__version__ != MADE_FROM:
        pytest.skip(f"the table was made from onnx {MADE_FROM}")
    there = make_schemas.TABLE.read_text(encoding="utf-8").splitlines()
    made = make_schemas.generated().splitlines()
    different = list(difflib.unified_diff(there, made, lineterm="", n=0))
    assert different == [], "run: python tools/make_schemas.py"


@pytest.fixture(scope="module")
def ask(build_insider):
    """Asks the core's table for operators, each as ``name,domain,opset``; an answer for each."""
    program = build_insider("print_schemas")

    def ask(*asked: str) -> dict[str, list[str]]:
        answers: dict[str, list[str]] = {}
        for line in run(program, input="\n".join(asked)).stdout.splitlines():
            if line in asked:
                lines = answers[line] = []
            else:
                lines.append(line)
        assert list(answers) == list(asked)
        return answers

    return ask


def described(schema: OpSchema) -> Iterator[str]:
    """What print_schemas.c prints of a schema, read from onnx."""
    yield f"since {schema.since_version} {schema.deprecated:d}"
    for attribute in schema.attributes.values():
        default = described_default(attribute.default_value)
        yield f"attribute {attribute.name} {attribute.type.value} {attribute.required:d}{default}"
    constraints = [constraint.type_param_str for constraint in schema.type_constraints]
    for kind, operands in (("input", schema.inputs), ("output", schema.outputs)):
        for operand in operands:
            place = constraints.index(operand.type_str) if operand.type_str in constraints else -1
            numbers = f"{operand.option.value} {operand.min_arity} {operand.is_homogeneous:d}"
            yield f"{kind} {operand.name} {operand.type_str} {place} {numbers}"
    for constraint in schema.type_constraints:
        yield " ".join(["constraint", constraint.type_param_str, *constraint.allowed_type_strs])


def described_default(value: AttributeProto) -> str:
    if not value.type:
        return ""
    name = AttributeProto.AttributeType.Name(value.type)
    content = onnx.helper.get_attribute_value(value)
    items = content if isinstance(content, list) else [content]
    words = [
        f"{np.float32(item):.9g}"
        if name.startswith("FLOAT")
        else item.decode()
        if isinstance(item, bytes)
        else str(item)
        for item in items
    ]
    return " ".join([f" = {OP_ATTR_TYPES[name]} {value.name}", *words])


def test_every_schema_has_what_onnx_says_of_it(ask):
    known = {f"{s.name},{s.domain},{s.since_version}": list(described(s)) for s in HISTORY}
    answers = ask(*known)
    assert len(known) > 500
    assert {name: lines for name, lines in answers.items() if lines != known[name]} == {}


def test_an_opset_between_two_versions_has_the_older_one(ask):
    names = {(s.domain, s.name) for s in HISTORY}
    newest = {}
    for domain, name in names:
        for opset in range(32):
            versions = [v for d, n, v in SINCE if (d, n) == (domain, name) and v <= opset]
            newest[f"{name},{domain},{opset}"] = max(versions, default=None)
    answers = ask(*newest)
    found = {k: int(lines[0].split()[1]) if lines else None for k, lines in answers.items()}
    assert found == newest


def test_the_domain_of_onnx_has_two_names(ask):
    answers = ask("Conv,,21", "Conv,ai.onnx,21", "Conv,ai.onnx.ml,21", "Conf,,21", ",,1")
    assert answers["Conv,,21"] == answers["Conv,ai.onnx,21"] != []
    assert answers["Conv,ai.onnx.ml,21"] == answers["Conf,,21"] == answers[",,1"] == []
