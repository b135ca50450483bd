# SPDX-License-Identifier: MIT
"""The glossary of CONTRIBUTING.md has one word for one thing: its synonyms are refused."""

import re

from support.paths import CHECKOUT

FOLDERS = ["core", "ortcffi", "tests", "tools", "benchmarks", "docs"]
SUFFIXES = {".c", ".h", ".cc", ".def", ".md", ".py", ".pyi", ".txt", ".tsv"}
SYNONYMS = ["told", "lend", "lending", "lent", "lender", "loan", "heir", "door"]
NAME_THEM = {"CHANGELOG.md", "CONTRIBUTING.md", "tests/repo/rules/test_words.py"}
# By itself or as a part of a name, such as in end_loan.
REFUSED = re.compile(rf"(?<![a-z])({'|'.join(SYNONYMS)})s?(?![a-z])", re.IGNORECASE)


def test_no_synonym_of_a_word_of_the_glossary_is_used():
    files = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*")]
    texts = [path for path in [*files, *CHECKOUT.glob("*.md")] if path.suffix in SUFFIXES]
    names = {path.relative_to(CHECKOUT).as_posix(): path for path in texts}
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, path in names.items()
        if name not in NAME_THEM and not {"build", "_build"} & set(path.parts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if REFUSED.search(line)
    ]
    assert len(names) > 900
    assert not found, "\n".join(found)
