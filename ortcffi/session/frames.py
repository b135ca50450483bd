# SPDX-License-Identifier: MIT
"""Tables as inputs and outputs: a DataFrame of pandas or polars, a Table of pyarrow.

A table is known by its columns, and no package of tables is imported.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._public import few, quoted
from ortcffi.errors import InvalidArgument
from ortcffi.values.element_types import ElementType, ValueKind

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.values.type_info import ValueSpec


def column_names(x: Any) -> list[str] | None:
    """Return the names of a table's columns; None for what is no table."""
    names = getattr(x, "column_names", None)  # of pyarrow
    if names is None:
        names = getattr(x, "columns", None)
    if names is None or callable(names) or not hasattr(x, "__getitem__"):
        return None
    return list(names)


def inputs_of(session: "Session", table: Any, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the names and arrays of the inputs that a table has.

    Each column is an input. A model with one input of two dimensions, whose name no column has,
    takes all columns as its matrix.
    """
    specs = session.inputs
    if len(specs) == 1 and specs[0].name not in names and len(specs[0].shape or ()) == 2:
        columns = [_column(table, name, specs[0]) for name in names]
        yield specs[0].name, np.stack(columns, axis=1) if columns else np.empty((0, 0))
        return
    by_name = {spec.name: spec for spec in (*specs, *session.overridable_initializers)}
    if unknown := [name for name in names if name not in by_name]:
        wanted = [spec.name for spec in specs if spec.name in names]
        hint = f"; the inputs among them are df[{wanted!r}]" if wanted else ""
        listed = ", ".join(few([quoted(str(name)) for name in unknown]))
        raise InvalidArgument(f"the model has no input for the columns {listed}{hint}")
    for name in names:
        spec = by_name[name]
        column = _column(table, name, spec)
        yield name, column[:, None] if len(spec.shape or ()) == 2 else column


def _column(table: Any, name: str, spec: "ValueSpec") -> "np.ndarray[Any, Any]":
    """Return a column as an array of one dimension; refuse missing values."""
    array = np.asarray(table[name])
    missing = np.zeros(array.shape, bool)
    if array.dtype == object:
        missing = np.fromiter((_is_missing(each) for each in array), bool, len(array))
    elif array.dtype.kind == "f":
        missing = np.isnan(array)
    if missing.any():
        array = _filled(array, missing, name, spec)
    if array.dtype == object and spec.element_type is not ElementType.STRING:
        array = np.array(array.tolist())  # such as a column of nullable integers
    if array.dtype.kind == "T":  # NumPy's strings of variable length
        array = array.astype(object)
    return array


def _is_missing(x: Any) -> bool:
    """Whether an element is None, NaN, or what a package of tables has in their place."""
    return x is None or type(x).__name__ in ("NAType", "NaTType") or x != x  # noqa: PLR0124


def _filled(
    array: "np.ndarray[Any, Any]", missing: "np.ndarray[Any, Any]", name: str, spec: "ValueSpec"
) -> "np.ndarray[Any, Any]":
    """Do the same with NaN for missing numbers, where the model has them."""
    dtype = spec.dtype
    if dtype is not None and dtype.kind == "f":
        filled = array.copy()
        filled[missing] = np.nan
        return filled.astype(np.float64)
    row = int(missing.argmax())
    fill = "''" if spec.element_type is ElementType.STRING else "0"
    raise InvalidArgument(
        f"column {quoted(name)} has no value in row {row}, and the model wants "
        f"{spec.describe()}: fill it before, as with df.fillna({{{name!r}: {fill}}})"
    )


def predict(session: "Session", table: Any, **settings: Any) -> Any:
    """Return a table of the outputs for a table of inputs."""
    if column_names(table) is None:
        raise TypeError(f"table must have columns, as a DataFrame has, not {type(table).__name__}")
    columns: dict[str, Any] = {}
    for spec, result in zip(session.outputs, session.run(table, **settings), strict=True):
        columns |= _columns_of(spec, result)
    make = type(table)
    if hasattr(make, "from_pydict"):  # of pyarrow, which takes Python's own lists
        return make.from_pydict({name: list(each) for name, each in columns.items()})
    index = getattr(table, "index", None)
    return make(columns) if index is None else make(columns, index=index)


def _columns_of(spec: "ValueSpec", result: Any) -> dict[str, Any]:
    """Return the columns of an output: one, or one for each class or column of a matrix."""
    if spec.kind is ValueKind.SEQUENCE and all(isinstance(row, dict) for row in result):
        labels = list(result[0]) if result else []
        return {f"{spec.name}_{label}": [row[label] for row in result] for label in labels}
    if isinstance(result, np.ndarray) and result.ndim == 2 and result.shape[1] != 1:
        return {f"{spec.name}_{place}": result[:, place] for place in range(result.shape[1])}
    if isinstance(result, np.ndarray) and result.ndim in (1, 2):
        return {spec.name: result.reshape(len(result))}
    raise InvalidArgument(
        f"output {quoted(spec.name)} is {spec.describe()}, which makes no columns of a table: "
        "use run()"
    )
