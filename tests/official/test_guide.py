# SPDX-License-Identifier: MIT
"""The guide for users of the official package: each question has an example that is run."""

import re

import pytest
from support.paths import CHECKOUT

PAGE = (CHECKOUT / "docs/guide/official.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE))
QUESTIONS = [
    "Why does memory grow?",
    "Why is it not returned?",
    "How do I cap it?",
    "Which session uses what?",
    "Where do logs go?",
    "How do I catch out-of-memory?",
    "Which line leaks?",
    "For which models is it faster?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_with_an_example_that_is_run(question):
    assert "```{doctest}" in SECTIONS[question]
    assert "```python" not in SECTIONS[question]
