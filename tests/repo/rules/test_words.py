# SPDX-License-Identifier: MIT
"""The glossary of CONTRIBUTING.md has one word for one thing: its synonyms become fewer."""

import re
from collections import Counter

import pytest
from support.paths import CHECKOUT

FOLDERS = ["core/src", "ortcffi"]
# The synonyms, and how often each still stands in the product. Lower a number, never raise it.
LEFT = {"told": 80, "lent": 109, "lender": 124, "loan": 100, "heir": 0, "door": 0}


def uses(word: str) -> Counter[str]:
    """How often a word stands in each source, by itself or as a part of a name."""
    found: Counter[str] = Counter()
    files = (path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*"))
    for path in (each for each in files if each.suffix in {".c", ".h", ".py", ".pyi"}):
        text = path.read_text(encoding="utf-8")
        count = len(re.findall(rf"(?<![a-z]){word}s?(?![a-z])", text, re.IGNORECASE))
        found[str(path.relative_to(CHECKOUT))] += count
    return +found


@pytest.mark.parametrize("word", LEFT)
def test_a_synonym_is_not_used_anew(word):
    where = uses(word)
    assert where.total() <= LEFT[word], f"{word!r} is not in the glossary: {where.most_common()}"
