# SPDX-License-Identifier: MIT
"""A library with an execution provider that does what its registration's name asks."""

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy

import pytest
from support import eps

import ortcffi as ort


@pytest.fixture
def asked_ep(c_compiler: list[str], tmp_path: Path) -> Path:
    """The path of a copy of tests/c/provider that no other test has."""
    return Path(copy(eps.build(c_compiler), tmp_path))


@pytest.fixture
def env(api: ort.Api) -> Iterator[ort.Env]:
    """An environment of each table."""
    with ort.Env(api=api) as env:
        yield env


@pytest.fixture
def events(asked_ep: Path) -> Callable[[], list[str]]:
    """``events()`` says what the library was asked since the last time, also after its end."""
    function = ctypes.CDLL(str(asked_ep)).AskedEpEvents
    function.restype = ctypes.c_char_p
    return lambda: function().decode().split()
