# SPDX-License-Identifier: MIT
"""The library of tests/c/clients/asked_ep.c, whose provider does what its registration asks."""

import functools
import itertools
from pathlib import Path
from typing import Any

from support.compilers import build_folder, compile_shared, find_compiler
from support.paths import CHECKOUT

SOURCE = CHECKOUT / "tests/c/clients/asked_ep.c"
_numbers = itertools.count()


def build(compiler: list[str]) -> Path:
    """The path of the library."""
    library = build_folder(compiler, "eps") / "asked_ep.so"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'core/include'}"]
    return compile_shared(
        library, [SOURCE.parent], *compiler, *flags, SOURCE, "-o", library, "-shared", "-fPIC"
    )


@functools.cache
def built() -> Path:
    """The same with the compiler that the tests use."""
    return build(find_compiler("CC", ["cc", "gcc", "clang"]))


def register(env: Any, words: str = "mine") -> Any:
    """Register the library under a name that is not in use, which has the words."""
    return env.register_ep(built(), f"{words} {next(_numbers)}")
