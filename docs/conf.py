# SPDX-License-Identifier: MIT
"""How Sphinx makes the documentation: ``sphinx-build -W -b html docs docs/_build/html``."""

import doctest
import gc
import inspect
import re
import sys
from pathlib import Path
from typing import Any

from docutils.nodes import document
from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "generate"), str(DOCS.parent / "tools")]

import slots  # noqa: E402  # found along the path above

# Pages are many objects, which stay: to look at them again and again takes a third of the time.
gc.set_threshold(1_000_000)

SLOTS = {slot.name for slot in slots.slots_of("ort_slots.def")}

project = "ortcffi"
copyright = "the ortcffi authors"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "c_reference",
    "python_reference",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ortcffi"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_search_scorer = str(DOCS / "static/scorer.js")
maximum_signature_line_length = 78
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True

# Unlike the default, compare the messages of exceptions too.
doctest_default_flags = doctest.ELLIPSIS | doctest.DONT_ACCEPT_TRUE_FOR_1
doctest_global_setup = """
import importlib.util
import numpy as np
import ortcffi as ort
from ortcffi import *
pandas = importlib.util.find_spec("pandas")
"""


def link_slots(
    _app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Make links of the functions of the C API that a docstring names."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"``(\w+)``", lambda found: linked(found[1]), line)


def describe_property(
    _app: Sphinx, kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Put an empty comment before a property's text.

    Napoleon reads the first line as 'type: text'. Our types stand in annotations, so a colon there
    is part of the sentence.
    """
    if kind in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]


def hide_constructor(
    _app: Sphinx, kind: str, _name: str, of: Any, _options: Any, given: str | None, _result: Any
) -> tuple[str, str] | None:
    """Show how to call a class only where the docstring describes parameters.

    Objects of the other classes are members of an enumeration, or are returned by functions.
    """
    if kind != "class" or given is None or "\nParameters\n" in (inspect.getdoc(of) or ""):
        return None
    return "", ""


def part_attributes(
    _app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Give each of several attributes that are described together a field of its own.

    Sphinx would take the first names for the type of the last.
    """
    fields = re.split(r"^(?=:(?:ivar|vartype) )", "\n".join(lines), flags=re.MULTILINE)
    for i, field in enumerate(fields):
        if found := re.match(r":(ivar|vartype) (\w+(?:, \w+)+):", field):
            said = field[found.end() :].rstrip()
            each = (f":{found[1]} {name}:{said}\n" for name in found[2].split(", "))
            fields[i] = "".join(each) + field[len(field.rstrip()) + 1 :]
    lines[:] = "".join(fields).split("\n")


def own_nodes(_app: Sphinx, page: document) -> None:
    """Have all nodes of a page know its document, with which each page is saved.

    Those of ``eval-rst`` know one of their own, with all that Sphinx knows of the other pages.
    """
    for node in page.findall():
        node.document = page


def linked(name: str) -> str:
    """Return a literal, or a link to what the reference of the C API has under that name."""
    return f":c:func:`{name}`" if name in SLOTS else f"``{name}``"


def setup(app: Sphinx) -> None:
    """Set up what Sphinx calls."""
    app.connect("autodoc-process-signature", hide_constructor)
    app.connect("autodoc-process-docstring", link_slots)
    app.connect("autodoc-process-docstring", describe_property, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", part_attributes, priority=900)  # after napoleon
    app.connect("doctree-read", own_nodes)
