# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info model.onnx`` prints: facts of a model, which nothing loads."""

import os
from collections.abc import Iterable
from typing import Any

from ortcffi._public import few, quoted, shortened, size
from ortcffi.models.contents import contents_of
from ortcffi.models.model import Model
from ortcffi.models.parts import ModelValue
from ortcffi.values.element_types import ElementType, ValueKind

_NO_VERSION = (0, 2**63 - 1, -(2**63))  # what is said of a model that sets none
_MOST_LINES = 20  # of a list
_WIDTH = 300  # characters of a line
_PORTS = ("inputs", "outputs", "overridable initializers")


def collect(path: str) -> dict[str, Any]:
    """Read a model and collect its facts as values for JSON."""
    with Model.load(path) as model:
        graph = model.graph
        metadata = graph.metadata._asdict()
        if metadata["version"] in _NO_VERSION:
            metadata["version"] = None
        required = [value for value in graph.inputs if not value.is_initializer]
        optional = [value for value in graph.inputs if value.is_initializer]
        ports = (required, graph.outputs, optional)
        opsets = {domain or "ai.onnx": version for domain, version in graph.opsets.items()}
        functions = [f"{each.domain}.{each.name}" for each in model.functions]
        return {
            "model": os.path.abspath(path),
            **{name: _described(port) for name, port in zip(_PORTS, ports, strict=True)},
            "file": {
                "file_size": os.path.getsize(path),
                "ir_version": model.ir_version,
                "opsets": opsets,
                **contents_of(model)._asdict(),
                "functions": functions,
            },
            "metadata": metadata,
        }


def _described(values: Iterable[ModelValue]) -> list[dict[str, Any]]:
    described = []
    for value in values:
        info = value.type
        tensor = None if info is None else info.tensor_info
        is_dense = info is not None and info.kind == ValueKind.TENSOR
        element = None if tensor is None else tensor.element_type
        kind = info.kind if info else None
        facts = {
            "name": value.name,
            "type": "unknown" if info is None else str(tensor if is_dense else info),
            "kind": kind.name.lower() if isinstance(kind, ValueKind) else None,
            "element_type": element.name.lower() if isinstance(element, ElementType) else None,
            "shape": None if tensor is None or tensor.shape is None else list(tensor.shape),
        }
        described.append(facts)
    return described


def render(facts: dict[str, Any]) -> str:
    """Do the same as text."""
    lines = [f"model: {facts['model']}"]
    for name in _PORTS:
        lines.append(f"{name}:" if facts[name] else f"{name}: none")
        lines += few(
            [f"  {shortened(port['name'])}: {port['type']}" for port in facts[name]], _MOST_LINES
        )
    lines += _described_file(facts["file"])
    metadata = dict(facts["metadata"])
    custom = metadata.pop("custom")
    lines.append("metadata:")
    lines += [f"  {key.replace('_', ' ')}: {value}" for key, value in metadata.items() if value]
    lines += few([f"  {quoted(key)}: {value!r}" for key, value in custom.items()], _MOST_LINES)
    return "\n".join(shortened(line, _WIDTH) for line in lines)


def _external_file(file: dict[str, Any], name: str) -> str:
    state = ", is missing or too small" if name in file["missing_files"] else ""
    return f"external file: {shortened(name, 200)} ({file['external_files'][name]:,} bytes{state})"


def _described_file(file: dict[str, Any]) -> list[str]:
    opsets = ", ".join(few([f"{domain} {n}" for domain, n in file["opsets"].items()]))
    listed = ", ".join(few([f"{n} {shortened(name)}" for name, n in file["operators"].items()]))
    lines = [
        f"file: {file['file_size']:,} bytes, IR version {file['ir_version']}",
        f"opsets: {opsets}",
        f"nodes: {file['nodes']:,} ({listed})",
        f"parameters: {file['parameters']:,} ({size(file['parameter_bytes'])})",
    ]
    if file["functions"]:
        lines.append(f"functions: {', '.join(few(list(map(shortened, file['functions']))))}")
    lines += few([_external_file(file, name) for name in file["external_files"]], _MOST_LINES)
    if file["untyped"]:
        lines.append(f"values without a type: {file['untyped']:,}")
    return lines
