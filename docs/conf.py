# SPDX-License-Identifier: MIT
"""How Sphinx makes the documentation: ``sphinx-build -W -b html docs docs/_build/html``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "ortcffi"
copyright = "the ortcffi authors"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "c_reference",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ortcffi"
html_copy_source = False
maximum_signature_line_length = 78
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
