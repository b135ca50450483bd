# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info model.onnx`` prints: facts of a model."""

import os
from typing import TYPE_CHECKING, Any

from ortcffi._text import joined
from ortcffi.cli.model_file import facts_of
from ortcffi.ep.devices import available_providers
from ortcffi.options.session import OptimizationLevel, SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.engine import engine_for
from ortcffi.table.load import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi.session.specs import ValueSpec

__all__ = ["collect", "render"]

_NO_VERSION = (0, 2**63 - 1, -(2**63))  # what libraries say for a model that sets none
_MOST_OPERATORS = 8  # that are listed
_PORTS = ("inputs", "outputs", "overridable initializers")


def collect(path: str, library: str | None = None) -> dict[str, Any]:
    """Load a model, which is not optimized for that, and collect its facts as values for JSON.

    Parameters
    ----------
    path : str
        The path of the model.
    library : str, optional
        The path of the library that loads it, by default the one that sessions use.
    """
    api = engine_for(None if library is None else load(library))
    with (
        SessionOptions(api, optimization_level=OptimizationLevel.DISABLE_ALL) as options,
        Session(path, options) as session,
    ):
        metadata = session.metadata._asdict()
        if metadata["version"] in _NO_VERSION:
            metadata["version"] = None
        ports = (session.inputs, session.outputs, session.overridable_initializers)
        return {
            "model": os.path.abspath(path),
            **{name: _described(port) for name, port in zip(_PORTS, ports, strict=True)},
            "file": None if (file := facts_of(path)) is None else file._asdict(),
            "metadata": metadata,
            "library": api.path,
            "library version": api.version_string,
            "providers": available_providers(api),
        }


def _described(specs: "Iterable[ValueSpec]") -> list[dict[str, Any]]:
    return [
        {
            "name": spec.name,
            "type": spec.describe(),
            "kind": spec.kind.name.lower(),
            "element_type": None if spec.element_type is None else spec.element_type.name.lower(),
            "shape": None if spec.shape is None else list(spec.shape),
        }
        for spec in specs
    ]


def render(facts: dict[str, Any]) -> str:
    """The same as text."""
    lines = [f"model: {facts['model']}"]
    for name in _PORTS:
        lines.append(f"{name}:" if facts[name] else f"{name}: none")
        lines += [f"  {port['name']}: {port['type']}" for port in facts[name]]
    if facts["file"] is not None:
        lines += _described_file(facts["file"])
    metadata = dict(facts["metadata"])
    custom = metadata.pop("custom")
    lines.append("metadata:")
    lines += [f"  {key.replace('_', ' ')}: {value}" for key, value in metadata.items() if value]
    lines += [f"  {key!r}: {value!r}" for key, value in custom.items()]
    lines.append(f"library: {facts['library']} ({facts['library version']})")
    lines.append(f"providers: {', '.join(facts['providers'])}")
    return joined(lines)


def _described_file(file: dict[str, Any]) -> list[str]:
    opsets = ", ".join(f"{domain} {version}" for domain, version in file["opsets"].items())
    operators = list(file["operators"].items())
    listed = ", ".join(f"{count} {name}" for name, count in operators[:_MOST_OPERATORS])
    more = len(operators) - _MOST_OPERATORS
    return [
        f"file: {file['file_size']:,} bytes",
        f"opsets: {opsets}",
        f"nodes: {file['nodes']:,} ({listed}{f' and {more} other operators' if more > 0 else ''})",
        f"parameters: {file['parameters']:,}",
    ]
