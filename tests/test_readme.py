# SPDX-License-Identifier: MIT
"""What the README says: its examples run, its links lead somewhere, its commands are one line."""

import doctest
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
TEXT = (CHECKOUT / "README.md").read_text()
PAGES = sorted(CHECKOUT.glob("*.md"))  # Sphinx follows the links of those in docs


@pytest.mark.usefixtures("real_api")  # the tour loads it
def test_the_examples_of_the_readme_print_what_it_shows():
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "README.md", None, None)
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)
    assert len(test.examples) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    missing = [link for link in links if ":" not in link and not (page.parent / link).exists()]
    assert not missing
