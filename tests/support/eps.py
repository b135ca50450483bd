# SPDX-License-Identifier: MIT
"""Libraries of execution providers in C: tests/c/provider, whose provider is of the kind that it is
compiled for and does what its registration asks, and the one of the guide, which adds."""

import functools
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from support.compilers import build_folder, compile_shared, find_compiler
from support.graphs import graph_of
from support.paths import CHECKOUT

import ortcffi as ort

SOURCE = CHECKOUT / "tests/c/provider/provider.c"
ADDING = CHECKOUT / "docs/guide/add_ep.c"
# Kinds of the provider.
ASKED = "asked"
WITH_KERNELS = "kernel"
LYING = "lying"
PROFILING = "profiling"
WITH_CONTEXTS = "contexts"
ON_A_DEVICE = "device"
_numbers = itertools.count()


def build(compiler: list[str], what: Path | str = ASKED) -> Path:
    """The path of the library of a source, or of the provider of a kind."""
    source = SOURCE if isinstance(what, str) else what
    name = f"{what}_ep" if isinstance(what, str) else source.stem
    library = build_folder(compiler, "eps") / f"{name}.so"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'core/include'}"]
    flags += [f"-DKIND={what.upper()}"] if isinstance(what, str) else []
    folders = [source.parent, CHECKOUT / "tests/c/clients"]
    return compile_shared(
        library, folders, *compiler, *flags, source, "-o", library, "-shared", "-fPIC"
    )


@contextmanager
def session_on(
    api: ort.Api, library: Path, name: str, model: Any, others: Any = ()
) -> Iterator[ort.Session]:
    """A session on a library that is registered under a name, and on the devices of others."""
    with (
        ort.Env("ep", api) as env,
        env.register_ep(library, name) as made,
        ort.SessionOptions(api) as options,
    ):
        for devices in (made.devices, *others):
            options.add_devices(devices)
        with ort.Session(model, options) as session:
            yield session


@functools.cache
def built(what: Path | str = ASKED) -> Path:
    """The same with the compiler that the tests use."""
    return build(find_compiler("CC", ["cc", "gcc", "clang"]), what)


def register(env: Any, words: str = "mine") -> Any:
    """Register the library under a name that is not in use, which has the words."""
    return env.register_ep(built(), f"{words} {next(_numbers)}")


def adding_devices() -> Any:
    """The devices of the guide's provider, which takes each node Add."""
    env = ort.Env("adding", ort.core_api())
    return env.register_ep(built(ADDING), f"add {next(_numbers)}").devices


def adding() -> Any:
    return ort.Ep(adding_devices())


def multiplying(w: Any, shape: Any = None, *, weights: bool = True) -> Any:
    """A graph, y = x * w, of tensors of float32; `w` is an initializer, or only an input."""
    shape = w.shape if shape is None else shape
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", shape)
    if weights:
        graph.initializer("w", w)
    else:
        graph.input("w", "f4", shape)
    graph.node("Mul", ["x", "w"], ["y"], name="n")
    graph.output("y", "f4", shape)
    return graph


def untyped() -> Any:
    """A graph, y = x + w + x, that does not say the type of what the second Add reads."""
    return graph_of("x f4[3]", "h = Add x w; y = Add h x", "y f4[3]", w=np.ones(3, np.float32))


def added() -> Any:
    """A model that adds a constant to its input."""
    graph = graph_of("x f4[3]", "y = Add x w", "y f4[3]", w=np.arange(3, dtype=np.float32))
    return ort.Model.load(graph.to_bytes())
