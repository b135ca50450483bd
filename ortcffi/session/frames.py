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
    if type(x).__name__ == "LazyFrame":
        raise TypeError("a LazyFrame has no columns yet: give what its collect() returns")
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
    if twice := sorted({str(name) for name in names if names.count(name) > 1}):
        raise InvalidArgument(f"the table has more than one column {_listed(twice)}")
    if len(specs) == 1 and specs[0].name not in names and len(specs[0].shape or ()) == 2:
        yield specs[0].name, matrix_of(table, names, specs[0])
        return
    by_name = {spec.name: spec for spec in (*specs, *session.overridable_initializers)}
    if unknown := [name for name in names if name not in by_name]:
        wanted = [spec.name for spec in specs if spec.name in names]
        hint = f"; the inputs among them are df[{wanted!r}]" if wanted else ""
        if wanted and (missing := [spec.name for spec in specs if spec.name not in names]):
            hint = f"; the table lacks {_listed(missing)}"
        raise InvalidArgument(f"the model has no input for the columns {_listed(unknown)}{hint}")
    for name in names:
        spec = by_name[name]
        column = _column(table, name, spec)
        yield name, column[:, None] if len(spec.shape or ()) == 2 else column


def _listed(names: list[str]) -> str:
    return ", ".join(few([quoted(str(name)) for name in names]))


def matrix_of(table: Any, names: list[str], spec: "ValueSpec") -> "np.ndarray[Any, Any]":
    """Return the columns of a table, in their order, as an array of two dimensions."""
    columns = [_column(table, name, spec) for name in names]
    return np.stack(columns, axis=1) if columns else np.empty((0, 0))


def _column(table: Any, name: str, spec: "ValueSpec") -> "np.ndarray[Any, Any]":
    """Return a column as an array of one dimension; refuse what the model cannot have."""
    array = np.asarray(table[name])
    missing = np.zeros(array.shape, bool)
    if array.dtype == object:
        missing = np.fromiter((_is_missing(each) for each in array), bool, len(array))
    elif array.dtype.kind == "f":
        missing = np.isnan(array)
    if missing.any():
        array = _filled(table, array, missing, name, spec)
    if array.dtype == object and spec.element_type is not ElementType.STRING:
        array = np.array(array.tolist())  # such as a column of nullable integers
    if array.dtype.kind == "T":  # NumPy's strings of variable length
        array = array.astype(object)
    is_text = spec.element_type is ElementType.STRING
    if array.dtype.kind in "mM" or (array.dtype.kind in "OSU" and not is_text):
        raise InvalidArgument(
            f"column {quoted(str(name))} has elements of type {type(array.flat[0]).__name__}, and "
            f"the model wants {spec.describe()}"
        )
    return array


def _is_missing(x: Any) -> bool:
    """Whether an element is None, NaN, or what a package of tables has in their place."""
    return x is None or type(x).__name__ in ("NAType", "NaTType") or x != x  # noqa: PLR0124


def _filled(
    table: Any,
    array: "np.ndarray[Any, Any]",
    missing: "np.ndarray[Any, Any]",
    name: str,
    spec: "ValueSpec",
) -> "np.ndarray[Any, Any]":
    """Do the same with NaN for missing numbers, where the model has them."""
    dtype = spec.dtype
    if dtype is not None and dtype.kind == "f":
        filled = array.copy()
        filled[missing] = np.nan
        return filled.astype(np.float64)
    row, column = int(missing.argmax()), table[name]
    index = getattr(table, "index", None)  # of pandas
    where = "" if index is None or index[row] == row else f", of index {index[row]!r},"
    fill = "''" if spec.element_type is ElementType.STRING else "0"
    way = f".fill_null({fill})" if hasattr(column, "fill_null") else f".fillna({fill})"
    if hasattr(column, "cat") and index is not None:  # which takes no other category
        way = f".astype(object){way}"
    raise InvalidArgument(
        f"column {quoted(str(name))} has no value in row {row}{where} and the model wants "
        f"{spec.describe()}: fill it before, as with df[{name!r}]{way}"
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
