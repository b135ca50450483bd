# SPDX-License-Identifier: MIT
"""Models that tests/c/provider/contexts.h compiles; a conftest.py imports the fixtures."""

import ctypes
import itertools

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of

import ortcffi as ort

X = np.array([1, 2, 3], np.float32)
_numbers = itertools.count()


@pytest.fixture(scope="module")
def model() -> bytes:
    """y = -(x + w) + v + n, where the provider takes the first two additions."""
    graph = graph_of(
        "x f4[3], n f4[3]",
        "first: h = Add x w",
        "",
        w=np.ones(3, np.float32),
        v=np.full(3, 2, np.float32),
    )
    graph.node("Negate", ["h"], ["k"], domain=NEGATE)
    graph.node("Add", ["k", "v"], ["y"])
    graph.output("y", "f4", [3])
    return graph.to_bytes()


NEGATE = "compiled.models"


@ort.custom_op(NEGATE, name="Negate", inputs=[np.float32], outputs=[np.float32])
def negate(x):
    return -x


@pytest.fixture
def options_for():
    """``options_for(api, words, **settings)``: options with the op that the provider leaves, and
    the provider unless the words are None."""

    def options(api, words="", **settings):
        made = ort.SessionOptions(api, **settings)
        with ort.CustomOpDomain(NEGATE, api) as domain:
            domain.add(negate)
            made.add_custom_op_domain(domain)
        if words is None:
            return made
        env = ort.Env("contexts", api)
        library = eps.built(eps.WITH_CONTEXTS)
        made.add_devices(env.register_ep(library, f"contexts-{words}-{next(_numbers)}").devices)
        said()  # forget what came before
        return made

    return options


def said() -> str:
    """What the provider was asked since the last time."""
    library = ctypes.CDLL(str(eps.built(eps.WITH_CONTEXTS)))
    library.AskedEpEvents.restype = ctypes.c_char_p
    return library.AskedEpEvents().decode()


def compile_for(model, options, target=None, **settings):
    """Compile a model, with what the providers of the options make of it inside."""
    settings |= {"options": options, "embed_ep_context": True}
    return ort.compile_model(model, target, api=options.api, **settings)


def run(source, options):
    with ort.Session(source, options, api=options.api) as session:
        return session.run({"x": X, "n": X})[0].tolist()


EXPECTED = (-(X + 1) + 2).tolist()
