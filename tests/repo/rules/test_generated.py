# SPDX-License-Identifier: MIT
"""What is generated or counted is up to date, and pages name what is there."""

import difflib
import re

import generate
import pytest
from support.paths import CHECKOUT


@pytest.mark.usefixtures("c_compiler")
def test_generated_files_are_what_the_lists_and_the_headers_give():
    different = []
    for path, text in generate.generated().items():
        lines = path.read_text(encoding="utf-8").splitlines(), text.splitlines()
        different += difflib.unified_diff(*lines, path.name, "as generated", lineterm="", n=0)
    assert different == [], "run: python tools/generate.py"


def test_every_link_to_a_file_leads_to_one():
    missing = []
    for page in CHECKOUT.glob("*.md"):  # Sphinx follows the links of those in docs
        links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        files = {page.parent / link for link in links if ":" not in link}
        missing += [(page.name, file) for file in files if not file.exists()]
    assert missing == []
