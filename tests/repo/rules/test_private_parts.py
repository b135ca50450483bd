# SPDX-License-Identifier: MIT
"""The package uses what other projects promise, and one mechanism for forks."""

import re

import pytest
from support.paths import CHECKOUT

FOLDERS = ("core/src", "ortcffi")
TEXTS = {
    path.relative_to(CHECKOUT): path.read_text()
    for folder in FOLDERS
    for path in sorted((CHECKOUT / folder).rglob("*.[cdhp]*"))
    if path.suffix in {".c", ".h", ".def", ".py"}
}


@pytest.mark.parametrize(
    "private",
    [
        pytest.param(r"importlib\._bootstrap|_module_locks", id="CPython's imports"),
        pytest.param(r"struct context_variable", id="CPython's context variables"),
        pytest.param(r"_ARRAY_API|struct descriptor\b", id="NumPy's table and structs"),
    ],
)
def test_nothing_private_is_used(private):
    assert len(TEXTS) > 100
    assert [str(path) for path, text in TEXTS.items() if re.search(private, text)] == []


def test_one_module_registers_functions_for_forks():
    found = {str(path): text.count("register_at_fork(") for path, text in TEXTS.items()}
    assert {path: n for path, n in found.items() if n} == {"ortcffi/_forks.py": 1}
