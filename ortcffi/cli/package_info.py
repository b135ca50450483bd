# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info FOLDER`` prints: facts of a model package."""

import os
from typing import Any

from ortcffi._public import few, shortened
from ortcffi.session.package import ModelPackage
from ortcffi.table.load import load

__all__ = ["collect", "render"]


def collect(path: str, library: str | None = None) -> dict[str, Any]:
    """Read a package and collect its facts as values for JSON.

    Parameters
    ----------
    path : str
        The folder of the package.
    library : str, optional
        The path of the library that reads it, by default the one that runs models.
    """
    api = None if library is None else load(library)
    with ModelPackage(path, api) as package:
        return {
            "package": os.path.abspath(path),
            "schema_version": package.schema_version,
            "components": package.components,
            "library": package.api.path or "embedded core",
            "library version": package.api.version_string,
        }


def render(facts: dict[str, Any]) -> str:
    """The same as text."""
    lines = [f"model package: {facts['package']}", f"schema version: {facts['schema_version']}"]
    for component, variants in facts["components"].items():
        lines.append(
            f"component {component}:" if variants else f"component {component}: no variant"
        )
        lines += few(
            [f"  {name}: {ep or 'no execution provider'}" for name, ep in variants.items()], 20
        )
    lines.append(f"library: {facts['library']} ({facts['library version']})")
    return "\n".join(shortened(line, 300) for line in lines)
