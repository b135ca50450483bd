# SPDX-License-Identifier: MIT
"""Models of one node, run in a session of a real library.

Those with an op of a library run in a process of their own: such libraries keep the table that they
are given in global variables, so a process should use them with one table only.
"""

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ortcffi.kernels import child
from ortcffi.models.graph import Graph
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.load import load


class ProcessEnded(Exception):
    """A process did not end as it should; the message says how it did."""


class Model(NamedTuple):
    """A model of one node, with its inputs."""

    domain: str
    name: str
    version: int  # of the domain
    inputs: list[Any]  # arrays, or None for an input that is left out
    attributes: dict[str, Any]
    outputs: list[Any]  # dtypes and ranks; None for a rank that is not known


def run_model(model: Model, register: Callable[[SessionOptions], None], api: Any) -> list[Any]:
    """Return the outputs of a session; `register` gives its options the op."""
    graph = Graph({"": 21, model.domain: model.version})
    names = ["" if x is None else f"input{i}" for i, x in enumerate(model.inputs)]
    feed = {name: x for name, x in zip(names, model.inputs, strict=True) if name}
    for name, x in feed.items():
        graph.input(name, str if x.dtype.hasobject else x.dtype)
    made = [f"output{i}" for i in range(len(model.outputs))]
    graph.node(
        model.name, names, made, attributes=model.attributes, domain=model.domain, name="node"
    )
    for name, (dtype, rank) in zip(made, model.outputs, strict=True):
        shape = None if rank is None else [None] * rank
        graph.output(name, str if dtype.hasobject else dtype, shape)
    with SessionOptions(api) as options:
        register(options)
        with Session(graph.to_bytes(), options, api=api) as session:
            return session.run(feed)


def run_in_process(
    models: list[Model], library: str, runtime: str | None, seconds: float = child.SECONDS
) -> list[Any]:
    """Do the same of several models in a process of its own, for ops of a library.

    For each it returns the outputs, or the exception that was raised. `ProcessEnded` is raised if
    the process crashed, an op ended it, or it took longer than `seconds`.
    """
    request = pickle.dumps((models, library, runtime))
    code, output, errors = child.run(__name__, "main", given=request, seconds=seconds)
    if code is None:
        raise ProcessEnded(child.too_long(seconds))
    if code != 0 or not output:
        raise ProcessEnded(child.end_of(code) + child.printed(errors))
    return pickle.loads(output)  # type: ignore[no-any-return]  # noqa: S301  # our own process


def main() -> None:
    """Run what is pickled on standard input, and pickle the answers to standard output."""
    models, library, runtime = pickle.load(sys.stdin.buffer)  # noqa: S301  # our own process
    output = os.dup(1)
    os.dup2(2, 1)  # what the library prints must not get into the answer

    def register(options: SessionOptions) -> None:
        options.log_severity = 3  # not what it thinks of the shapes of the model
        options.register_custom_ops(library)

    api = load(runtime)
    answers = [tried(model, register, api) for model in models]
    with os.fdopen(output, "wb") as file:
        pickle.dump(answers, file)


def tried(model: Model, register: Callable[[SessionOptions], None], api: Any) -> Any:
    """Return the outputs of a session, or the exception that was raised."""
    try:
        return run_model(model, register, api)
    except Exception as error:  # noqa: BLE001  # reported to the other process
        error.__cause__ = None
        return error
