# SPDX-License-Identifier: MIT
"""What the README says: its examples run, its links lead somewhere, its commands are one line."""

import re
import sys

import pytest
from support.paths import CHECKOUT
from support.processes import run
from support.versions import API_VERSION

from ortcffi.cli.info import collect

TEXT = (CHECKOUT / "README.md").read_text()
PAGES = sorted(CHECKOUT.glob("*.md"))  # Sphinx follows the links of those in docs


@pytest.mark.usefixtures("real_api")  # the tour loads it
def test_the_examples_of_the_readme_print_what_it_shows(tmp_path):
    pytest.importorskip("onnxruntime_extensions")
    examples = tmp_path / "examples.txt"
    examples.write_text("\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL)))
    # In a process of its own: the library of custom ops keeps its domains to the end.
    assert run(sys.executable, "-m", "doctest", examples).stdout == ""
    assert examples.read_text().count(">>> ") > 30


def test_the_readme_counts_the_slots_as_info_does():
    facts = collect()
    tables = sum(topic["other tables"] for topic in facts["topics"].values())
    numbers = f"{facts['slots']} functions", f"implements {facts['implemented']},", f"the {tables} "
    assert all(number in TEXT for number in numbers)


def test_pages_name_the_api_version_of_the_core():
    said = {
        "README.md": f"at API version {API_VERSION},",
        "docs/differences.md": f"of API version {API_VERSION}, no more and no less",
        "docs/guide/c.md": f"of ONNX Runtime up to 1.{API_VERSION}.",
    }
    for page, words in said.items():
        assert words in (CHECKOUT / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    missing = [link for link in links if ":" not in link and not (page.parent / link).exists()]
    assert not missing
