# SPDX-License-Identifier: MIT
"""Attributes with other numbers: for kernels that show what an op shares between its kernels."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ortcffi.custom_ops.op_attr import OpAttr

__all__ = ["other_attributes"]

_MOST = 8
_UNSAID: dict[str, Any] = {"INT": 2, "FLOAT": 1.5}  # for an attribute that the node does not have


def other_attributes(
    attributes: Mapping[str, Any], given: list[OpAttr], asked: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """The attributes of nodes which differ from a node in one number that the op reads.

    `given` is `attributes` made, and `asked` the types in which the op asked for each.
    """
    kinds = {each.name: getattr(each.type, "name", "") for each in given}
    read = {name for name, kind in kinds.items() if kind in asked.get(name, ())}
    kept = {name: value for name, value in attributes.items() if name in read}
    others = {each.name: _other(kinds[each.name], each) for each in given if each.name in read}
    for name, types in asked.items():
        if name not in kinds:
            others[name] = _UNSAID.get(types[0])
    changed = ({**kept, name: value} for name, value in others.items() if value is not None)
    return list(islice(changed, _MOST))


def _other(kind: str, given: OpAttr) -> Any:
    value: Any = given.value
    if kind == "INT":
        return value ^ 1
    if kind == "FLOAT":
        return value + 1.0
    if kind == "INTS":
        return [n ^ 1 for n in value] or None
    if kind == "FLOATS":
        return [x + 1.0 for x in value] or None
    return None
