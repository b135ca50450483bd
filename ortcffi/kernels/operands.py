# SPDX-License-Identifier: MIT
"""What an op written in Python declares: inputs, outputs, attributes."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ortcffi._convert import INT32, encode, integer, named, optional_mapping
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.custom_ops.describe import Characteristic, Operand
from ortcffi.custom_ops.op_attr import PLURALS, OpAttr, OpAttrType, kind_of, plain
from ortcffi.values.element_types import ElementType, as_element


@public
def optional(element_type: Any) -> Operand:
    """Declare an input or an output that a node may leave out."""
    return _operand(element_type, Characteristic.OPTIONAL)


@public
def variadic(element_type: Any, minimum: int = 1, *, homogeneous: bool = True) -> Operand:
    """Declare that the last input or output stands for any number of them.

    Parameters
    ----------
    minimum : int, optional
        How many there are at least.
    homogeneous : bool, optional
        Whether all have the same type. Where they may differ, `element_type` must be `typing.Any`.
    """
    least = integer("minimum", minimum, (0, INT32[1]))
    operand = _operand(element_type, Characteristic.VARIADIC)
    if not homogeneous and operand.element_type is not ElementType.UNDEFINED:
        raise ValueError("variadic operands that are not homogeneous must be of typing.Any")
    return operand._replace(min_arity=least, is_homogeneous=bool(homogeneous))


def _operand(
    element_type: Any, characteristic: Characteristic, argument: str = "element_type"
) -> Operand:
    element = ElementType.UNDEFINED if element_type is Any else as_element(element_type, argument)
    return Operand(element, characteristic)


def operands_of(argument: str, declared: Any) -> tuple[Operand, ...]:
    """Return the operands that an argument declares; errors name the argument."""
    if isinstance(declared, str) or not isinstance(declared, Iterable):
        raise TypeError(f"{argument} must be a list of types, not {declared!r}")
    operands = []
    for i, each in enumerate(declared):
        if isinstance(each, Operand):
            operands.append(each)
        else:
            operands.append(_operand(each, Characteristic.REQUIRED, f"{argument}[{i}]"))
    kinds = [operand.characteristic for operand in operands]
    if Characteristic.VARIADIC in kinds[:-1]:
        raise ValueError(f"{argument}: only the last one can be variadic")
    return tuple(operands)


@public
class Attribute(NamedTuple):
    """An attribute that an op declares."""

    name: str
    type: OpAttrType
    default: Any
    is_required: bool


_TYPES = {
    int: OpAttrType.INT,
    float: OpAttrType.FLOAT,
    str: OpAttrType.STRING,
    np.ndarray: OpAttrType.TENSOR,
}


def attributes_of(declared: "Mapping[str, Any] | None") -> tuple[Attribute, ...]:
    """Return the attributes that an argument declares by defaults and by types."""
    attributes = []
    for name, given in optional_mapping("attributes", declared).items():
        encode("attributes", name)
        value = given if isinstance(given, np.ndarray) else plain(given)
        if not name.isidentifier():
            raise ValueError(f"attributes: {name!r} is no name that a function's argument can have")
        required = _type_of_type(value)
        kind = required or _type_of_value(name, value)
        attributes.append(Attribute(name, kind, None if required else value, required is not None))
    return tuple(attributes)


def _type_of_type(value: Any) -> OpAttrType | None:
    """Return the type of a required attribute, declared as ``int`` or ``list[int]``."""
    if isinstance(value, OpAttrType):
        return value
    if getattr(value, "__origin__", None) is list:
        return PLURALS.get(_TYPES.get(value.__args__[0], OpAttrType.UNDEFINED))
    return _TYPES.get(value) if isinstance(value, type) else None


def _type_of_value(name: str, value: Any) -> OpAttrType:
    if isinstance(value, np.ndarray):
        return OpAttrType.TENSOR
    try:
        return kind_of(value)
    except TypeError:
        raise TypeError(
            f"attributes: {name!r} must have a default that is an int, float, str, array or a "
            f"list, or a type such as list[int], not {value!r}; an empty list has no type"
        ) from None


def _is_whole(value: Any) -> bool:
    """Whether a number or a list is of integers, which a model keeps apart from floats."""
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(isinstance(each, int) for each in listed)


def of_declared_type(op: str, declared: tuple[Attribute, ...], given: Any) -> Any:
    """Return the attributes of a node with the types that the op declares.

    As in a model, 3 is no float. That, or a name that the op does not have, is a TypeError.
    """
    if not isinstance(given, Mapping):
        return given  # None, or what the maker of the kernel refuses
    types = {each.name: each.type for each in declared}
    found = {}
    for name, value in dict(given).items():
        if name not in types:
            known = ", ".join(map(repr, sorted(types))) or "none"
            raise TypeError(
                f"attributes[{name!r}]: {op} has no attribute of that name; it has {known}"
            )
        if isinstance(value, (OpAttr, bytes)) or types[name] is OpAttrType.TENSOR:
            found[name] = value
            continue
        if types[name] in (OpAttrType.FLOAT, OpAttrType.FLOATS) and _is_whole(plain(value)):
            raise TypeError(
                f"attributes[{name!r}] of {op} must be of type {types[name].name}, not INT as in "
                f"a model with {value!r}"
            )
        with named(f"attributes[{name!r}] of {op}"):
            found[name] = OpAttr(name, value, types[name], core_api())
    return found
