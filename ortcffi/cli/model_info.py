# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info model.onnx`` prints: facts of a model."""

import os
from typing import TYPE_CHECKING, Any

from ortcffi._program import joined
from ortcffi.ep.devices import available_providers
from ortcffi.options.session import OptimizationLevel, SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.engine import engine_for
from ortcffi.table.load import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi.session.specs import ValueSpec

__all__ = ["collect", "render"]

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
        ports = (session.inputs, session.outputs, session.overridable_initializers)
        return {
            "model": os.path.abspath(path),
            **{name: _described(port) for name, port in zip(_PORTS, ports, strict=True)},
            "metadata": session.metadata._asdict(),
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
    metadata = dict(facts["metadata"])
    custom = metadata.pop("custom")
    lines.append("metadata:")
    lines += [f"  {key.replace('_', ' ')}: {value}" for key, value in metadata.items() if value]
    lines += [f"  {key!r}: {value!r}" for key, value in custom.items()]
    lines.append(f"library: {facts['library']} ({facts['library version']})")
    lines.append(f"providers: {', '.join(facts['providers'])}")
    return joined(lines)
