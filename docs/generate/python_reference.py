# SPDX-License-Identifier: MIT
"""A Sphinx extension: a page for the public names of each topic, as ``ortcffi`` lists them."""

import enum
from itertools import groupby
from pathlib import Path
from types import FunctionType
from typing import Any

from sphinx.application import Sphinx

import ortcffi

PAGES = Path(__file__).resolve().parents[1] / "python"
TITLES = {
    "session": "Sessions",
    "values": "Values",
    "options": "Options",
    "models": "Models and graphs",
    "memory": "Memory",
    "env": "Environments and logging",
    "custom_ops": "Custom ops",
    "ep": "Execution providers",
    "official": "The official package",
    "table": "Tables and libraries",
}
# Where topics without a page of their own are; what is in none of the pages is in the index.
IN = {"kernels": "custom_ops", "arena": "memory", "callbacks": "env", "status": "table"}
IN |= {"_table": "table"}
SHOWN = FunctionType, property, classmethod, staticmethod


def lines_of(name: str) -> list[str]:
    """Return what has autodoc describe a public name."""
    thing = getattr(ortcffi, name)
    if not isinstance(thing, type):
        return [f".. autofunction:: {name}", ""]
    if issubclass(thing, Exception):
        return [f".. autoexception:: {name}", ""]
    if issubclass(thing, enum.Enum):
        return [f".. autoclass:: {name}", "   :members:", "   :undoc-members:", ""]
    lines = [f".. autoclass:: {name}"]
    if issubclass(thing, (int, tuple)):  # fields of tuples are described as attributes
        own = [k for k, v in vars(thing).items() if isinstance(v, SHOWN) and k[0] != "_"]
        lines += [f"   :members: {', '.join(own)}"] if own else []
    else:
        lines += ["   :members:", "   :inherited-members:"]
    if "__call__" in vars(thing):
        lines.append("   :special-members: __call__")
    return [*lines, ""]


def topic_of(name: str) -> str:
    """Return the page of a name."""
    topic = ortcffi._MODULES.get(name, "").partition(".")[0]
    return IN.get(topic, topic)


def write(_app: Sphinx) -> None:
    """Write the pages."""
    for topic, names in groupby(sorted(ortcffi.__all__, key=topic_of), topic_of):
        if topic in TITLES:
            title = f"Python: {TITLES[topic]}"
            lines = [title, "=" * len(title), "", ".. currentmodule:: ortcffi", ""]
            lines += [line for name in names for line in lines_of(name)]
            (PAGES / f"{topic}.rst").write_text("\n".join(lines), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up what Sphinx calls."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
