# SPDX-License-Identifier: MIT
"""Functions in Python that compute what custom ops do, for ``ortcffi check --against``."""

import inspect
import runpy
from collections.abc import Callable
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ortcffi.errors import OrtError
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.library import LibraryOp
from ortcffi.testing.compare import computable, is_of_floats
from ortcffi.testing.random_inputs import described, random_elements
from ortcffi.testing.rules import NotTried
from ortcffi.values.element_types import ElementType, dtype_of

if TYPE_CHECKING:
    from ortcffi.testing.op_bench import Bench

__all__ = ["Formula", "find_difference", "read_formula"]

_DRAWS = 150
_LENGTHS = 0, 1, 2, 3, 5, 7, 16
_MOST_DIMENSIONS = 4
_MOST_TEXT = 200


class Formula(NamedTuple):
    """A function in Python that computes what an op does."""

    function: Callable[..., Any]  # of the op's inputs; arguments by keyword alone are attributes
    inputs: list[Any]  # the defaults of inputs, which are always given; None for those drawn
    attributes: dict[str, Any]  # the defaults of attributes


def read_formula(file: str, op: LibraryOp) -> Formula | None:
    """The function in a file of Python that has the name of an op.

    Raises
    ------
    ValueError
        An attribute has no default.
    """
    function = runpy.run_path(file).get(op.name)
    if not inspect.isfunction(function):
        return None
    parameters = inspect.signature(function).parameters.values()
    attributes = {each.name: each.default for each in parameters if each.kind == each.KEYWORD_ONLY}
    for name, value in attributes.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{name} has no default, which is the value of the attribute")
    positional = [each for each in parameters if each.kind != each.KEYWORD_ONLY]
    inputs = [
        None if each.default is each.empty else np.asarray(each.default, dtype)
        for each, dtype in zip(positional, _dtypes(op, len(positional)), strict=False)
    ]
    return Formula(function, inputs, attributes)


def _dtypes(op: LibraryOp, count: int) -> list[Any]:
    """The types of so many inputs, of which the last may be variadic."""
    types = [dtype_of(operand.element_type or ElementType.FLOAT) for operand in op.inputs]
    return types + types[-1:] * (count - len(types))


def find_difference(bench: "Bench") -> str | None:
    """How an op differs from its function with the smallest inputs that show it, if it does."""
    module = f"{Path(bench.subject.reference).stem}.{bench.op.name}"
    try:
        formula = read_formula(bench.subject.reference, bench.op)
    except ValueError as error:
        raise NotTried(f"{module}: {error}") from error
    if formula is None:
        raise NotTried("")
    compared, refusal = 0, ""
    with bench.op.kernel(formula.attributes) as kernel:
        for given in _draws(bench.op, formula):
            bench.begin(f"while it is compared with {module}, with inputs {described(given)}")
            try:
                with np.errstate(all="ignore"):
                    expected = formula.function(*given, **formula.attributes)
            except Exception as error:  # noqa: BLE001  # of somebody else's function
                refusal = f"{type(error).__name__}: {error}"
                continue
            compared += 1
            if differs := _difference(kernel, given, expected, bench.subject):
                return f"it differs from {module}, with inputs {described(given)}: {differs}"
    if not compared:
        raise NotTried(f"{module} took no inputs: {refusal}")
    return None


def _draws(op: LibraryOp, formula: Formula) -> list[list[Any]]:
    """Random inputs, of which those with the fewest elements come first."""
    random = np.random.default_rng(0)
    drawn = (random.integers(0, _MOST_DIMENSIONS + 1) for _ in range(_DRAWS))
    shapes = [tuple(int(n) for n in random.choice(_LENGTHS, count)) for count in drawn]
    pairs = list(zip(formula.inputs, _dtypes(op, len(formula.inputs)), strict=False))
    return [
        [
            random_elements(dtype, shape, random) if fixed is None else fixed
            for fixed, dtype in pairs
        ]
        for shape in sorted(shapes, key=lambda shape: (np.prod(shape), len(shape)))
    ]


def _difference(kernel: Kernel, given: list[Any], expected: Any, tolerance: Any) -> str:
    try:
        found = kernel(*given)
    except (OrtError, TypeError, ValueError) as error:
        return shorten(f"it fails: {str(error).splitlines()[0]}", _MOST_TEXT)
    pairs = zip(_listed(found), _listed(expected), strict=True)
    return next(filter(None, (_of_output(i, *pair, tolerance) for i, pair in enumerate(pairs))), "")


def _of_output(place: int, found: Any, expected: Any, tolerance: Any) -> str:
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        return f"output {place} has the shape {list(found.shape)}, not {list(expected.shape)}"
    if is_of_floats(found):
        found, expected = computable(found), computable(expected)
        same = np.isclose(found, expected, tolerance.rtol, tolerance.atol, equal_nan=True)
    else:
        same = np.asarray(found == expected)
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    number = ".6g" if is_of_floats(found) else ""
    return f"output {place} is {found[at]:{number}} at {list(at)}, not {expected[at]:{number}}"


def _listed(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
