# SPDX-License-Identifier: MIT
"""The models of the package onnx's tests of operators."""

import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support.compilers import builds, locked


def node_models() -> list[Path]:
    """Their files, which are made once for each release of onnx: that takes five seconds."""
    import onnx

    folder = builds() / f"onnx-{onnx.__version__}"
    with locked(folder):
        if not (folder / "complete").exists():
            write_models(folder)
            (folder / "complete").touch()
    return sorted(folder.glob("*.onnx"))


def write_models(folder: Path) -> None:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(action="ignore"):  # of NumPy, which computes the expected outputs
        cases = collect_testcases(None)
    for case in cases:
        (folder / f"{case.name}.onnx").write_bytes(case.model.SerializeToString())


def of_each_kind(files: Iterable[Path]) -> Iterator[tuple[Path, Any]]:
    """The files, with their models, in which all kinds of nodes and values are; small files first.

    The other files have the same operators and types, with other numbers.
    """
    import onnx

    seen: set[Any] = set()
    for path in sorted(files, key=lambda path: (path.stat().st_size, path)):
        model = onnx.load(path, load_external_data=False)
        kinds = {(each.domain, each.version) for each in model.opset_import}
        kinds.update(kinds_in(model.graph))
        if not kinds <= seen:
            seen |= kinds
            yield path, model


def kinds_in(graph: Any) -> Iterator[Any]:
    """The kinds of the nodes and values that a graph has."""
    for node in graph.node:
        attributes = sorted((each.name, each.type) for each in node.attribute)
        yield node.domain, node.op_type, *attributes, *map(bool, [*node.input, "", *node.output])
        for each in node.attribute:
            for inner in (each.g, *each.graphs):
                yield from kinds_in(inner)
    for side in ("input", "output"):
        for value in getattr(graph, side):
            shape = value.type.tensor_type.shape.dim
            yield side, len(shape), re.sub(r"dim_(value|param): \S+", "", str(value.type))
