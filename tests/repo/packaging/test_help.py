# SPDX-License-Identifier: MIT
"""What help() and inspect say of everything that users can reach."""

import importlib
import inspect
import pydoc

import pytest

import ortcffi
from ortcffi import compat, errors, testing

PACKAGES = (ortcffi, errors, testing, compat)
NAMES = [f"{package.__name__}.{name}" for package in PACKAGES for name in package.__all__]


def walk(thing, name):
    assert pydoc.plain(pydoc.render_doc(thing, forceload=0))
    assert name.rpartition(".")[2] in pydoc.html.document(thing, name)
    assert inspect.getdoc(thing) is None or isinstance(thing.__doc__, str)
    for _, member in inspect.getmembers(thing):
        inspect.getdoc(member)
        if callable(member):
            inspect.unwrap(member)


@pytest.mark.parametrize("name", NAMES)
def test_help_and_inspect_walk_over_each_public_name(name):
    package, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(package), last)
    if not isinstance(thing, (str, int)):  # whose help is their type's, or a topic
        walk(thing, name)
