# SPDX-License-Identifier: MIT
"""The process in which ``ortcffi check --against`` compares custom ops with functions in Python.

It writes lines of JSON, as `ortcffi.cli.check_probe` does. Kernels are in processes of their own.
"""

import inspect
import runpy
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import indent, shorten
from typing import Any, NamedTuple

import numpy as np

from ortcffi.errors import OrtError
from ortcffi.kernels.child import tell
from ortcffi.kernels.isolated import IsolatedKernel, KernelCrashed
from ortcffi.kernels.library import CustomOpLibrary, LibraryOp
from ortcffi.testing.compare import computable, is_of_floats
from ortcffi.testing.random_inputs import described, random_elements
from ortcffi.values.element_types import ElementType, dtype_of

__all__ = ["Formula", "answer", "read_formula"]

_DRAWS, _TRIES = 100, 300  # inputs that the function takes, and all
_LENGTHS = 0, 1, 2, 3, 5, 7, 16
_MOST_DIMENSIONS = 4
_SHRINKS = 10  # seconds
_MOST_TEXT = 200


def answer(path: str, reference: str, rtol: str, atol: str, seconds: int) -> None:
    """Compare each op of a library that has a function of its name in a file of Python."""
    compared, module = 0, Path(reference).stem
    for op in CustomOpLibrary(path).ops:
        name = f"{op.domain}:{op.name}"
        tell(begins=f"while {name} is compared")
        try:
            formula = read_formula(reference, op)
        except ValueError as error:
            tell(untried=name, why=f"{module}.{op.name}: {error}")
            continue
        if formula is not None:
            comparison = _Comparison(op, formula, float(rtol), float(atol), seconds)
            comparison.run(name, module)
            compared += comparison.count > 0
    tell(done=True, compared=compared)


# --- formulas -------------------------------------------------------------------------------------


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
    types = [operand.element_type or ElementType.FLOAT for operand in op.inputs]
    positional = [each for each in parameters if each.kind != each.KEYWORD_ONLY]
    types += types[-1:] * (len(positional) - len(types))  # of a variadic one
    inputs = [
        None if each.default is each.empty else np.asarray(each.default, dtype_of(element))
        for each, element in zip(positional, types, strict=False)
    ]
    return Formula(function, inputs, attributes)


# --- one op ---------------------------------------------------------------------------------------


class _Comparison:
    """An op and its formula."""

    def __init__(
        self, op: LibraryOp, formula: Formula, rtol: float, atol: float, seconds: int
    ) -> None:
        self._op, self._formula, self._seconds = op, formula, seconds
        self._tolerance = {"rtol": rtol, "atol": atol}
        self._random = np.random.default_rng(0)
        self._kernel: IsolatedKernel | None = None
        self.count = 0
        self.refusal = ""

    def run(self, name: str, module: str) -> None:
        """Compare, and report the smallest inputs found for which the two differ."""
        try:
            for _ in range(_TRIES):
                given = self._draw()
                if (difference := self._difference(given)) is not None:
                    given, difference = self._shrunk(given, difference)
                    text = f"{name}: it differs from {module}.{self._op.name}, with inputs"
                    case = self._case(module, given)
                    tell(finding=f"{text} {described(given)}: {difference}", on=name, case=case)
                    break
                if self.count >= _DRAWS:
                    break
        except UserWarning as warning:  # of an attribute that is never read
            tell(finding=f"{name}: {warning}", on=name)
        finally:
            if self._kernel is not None:
                with suppress(KernelCrashed):  # its end is tried without the function, too
                    self._kernel.close()
        if not self.count:
            tell(untried=name, why=f"{module}.{self._op.name} took no inputs: {self.refusal}")

    def _draw(self) -> list[Any]:
        dimensions = self._random.integers(0, _MOST_DIMENSIONS + 1)
        shape = tuple(int(n) for n in self._random.choice(_LENGTHS, dimensions))
        types = [operand.element_type or ElementType.FLOAT for operand in self._op.inputs]
        types += types[-1:] * (len(self._formula.inputs) - len(types))  # of a variadic one
        return [
            random_elements(dtype_of(element), shape, self._random) if fixed is None else fixed
            for fixed, element in zip(self._formula.inputs, types, strict=False)
        ]

    def _difference(self, given: list[Any]) -> str | None:
        """How the op differs; None if it does not, or the function takes no such inputs."""
        try:
            with np.errstate(all="ignore"):
                expected = self._formula.function(*given, **self._formula.attributes)
        except Exception as error:  # noqa: BLE001  # of somebody else's function
            self.refusal = f"{type(error).__name__}: {error}"
            return None
        self.count += 1
        try:
            found = self._open()(*given)
        except (OrtError, TypeError, ValueError) as error:
            if isinstance(error, KernelCrashed):
                self._kernel = None
            return shorten(f"it fails: {str(error).splitlines()[0]}", _MOST_TEXT)
        pairs = zip(_listed(found), _listed(expected), strict=True)
        different = (self._of_output(i, *pair) for i, pair in enumerate(pairs))
        return next((text for text in different if text), None)

    def _of_output(self, place: int, found: Any, expected: Any) -> str:
        expected = np.asarray(expected)
        if found.shape != expected.shape:
            return f"output {place} has the shape {list(found.shape)}, not {list(expected.shape)}"
        if is_of_floats(found):
            found, expected = computable(found), computable(expected)
            same = np.isclose(found, expected, **self._tolerance, equal_nan=True)
        else:
            same = np.asarray(found == expected)
        if same.all():
            return ""
        at = tuple(int(i) for i in np.argwhere(~same)[0])
        number = ".6g" if is_of_floats(found) else ""
        return f"output {place} is {found[at]:{number}} at {list(at)}, not {expected[at]:{number}}"

    def _open(self) -> IsolatedKernel:
        if self._kernel is None:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                self._kernel = self._op.kernel(
                    self._formula.attributes, isolated=True, timeout=self._seconds
                )
        return self._kernel

    # --- what fails -------------------------------------------------------------------------------

    def _shrunk(self, given: list[Any], difference: str) -> tuple[list[Any], str]:
        """Smaller inputs with which the two differ, too, and how."""
        end = time.monotonic() + _SHRINKS
        smaller = self._smaller(given)
        while time.monotonic() < end and (tried := next(smaller, None)) is not None:
            if (now := self._difference(tried)) is not None:
                given, difference, smaller = tried, now, self._smaller(tried)
        return given, difference

    def _smaller(self, given: list[Any]) -> Iterator[list[Any]]:
        """Inputs with fewer dimensions, shorter ones, or simpler numbers; the simplest first."""
        drawn = [fixed is None for fixed in self._formula.inputs]

        def changed(change: Any) -> list[Any]:
            pairs = zip(given, drawn, strict=True)
            return [np.asarray(change(x), x.dtype) if is_drawn else x for x, is_drawn in pairs]

        shape = next((x.shape for x, is_drawn in zip(given, drawn, strict=True) if is_drawn), ())
        for axis, length in enumerate(shape):
            if length:
                yield changed(lambda x, axis=axis: x.take(0, axis))
            for count in sorted({0, 1, length // 2, max(length - 1, 0)}):
                if count < length:
                    yield changed(lambda x, axis=axis, n=count: x.take(range(n), axis))
        for simpler in (changed(lambda x: x * 0), changed(_rounded)):
            if any(not np.array_equal(x, y) for x, y in zip(given, simpler, strict=True)):
                yield simpler

    def _case(self, module: str, given: list[Any]) -> str:
        """A test for pytest."""
        name, arrays = self._op.name, ",\n".join(map(_literal, given))
        attributes = "".join(
            f", {key}={value!r}" for key, value in self._formula.attributes.items()
        )
        op = f'ort_library["{self._op.domain}", "{name}"]'
        tolerance = ", ".join(f"{key}={value}" for key, value in self._tolerance.items())
        is_one = len(self._op.outputs) == 1
        pairs = "[(found, expected)]" if is_one else "zip(found, expected, strict=True)"
        has_text = any(each.element_type == ElementType.STRING for each in self._op.outputs)
        equal = "array_equal(*pair" if has_text else f"allclose(*pair, {tolerance}"
        return f"""\
import numpy as np
from {module} import {name}


def test_{name}(ort_library):
    given = [
{indent(arrays, " " * 8)},
    ]
    with {op}.kernel({self._formula.attributes!r}, isolated=True) as kernel:
        found = kernel(*given)
    expected = {name}(*given{attributes})
    for pair in {pairs}:
        np.testing.assert_{equal})
"""


def _rounded(x: Any) -> Any:
    return np.round(x, 1) if x.dtype.kind == "f" else x


def _listed(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def _literal(x: Any) -> str:
    return f"np.array({x.tolist()!r}, {x.dtype.name!r}).reshape({x.shape})"
