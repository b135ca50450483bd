# SPDX-License-Identifier: MIT
"""Compares what an execution provider computes with another engine, node by node."""

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from typing import Any

import numpy as np

from ortcffi._convert import absolute
from ortcffi._table import core_api
from ortcffi.env.env import Env
from ortcffi.errors import OrtError
from ortcffi.models.model import Model
from ortcffi.models.providers import CompiledNode, Ep
from ortcffi.session.session import Session
from ortcffi.table.api import Api
from ortcffi.table.load import installed_libraries, load
from ortcffi.testing.compare import check_same
from ortcffi.testing.random_inputs import lengths, random_array
from ortcffi.values.element_types import dtype_of

Arrays = Mapping[str, Any]


def compare_ep(  # noqa: PLR0913  # what a comparison is made of
    ep_or_library: Ep | str | os.PathLike[str],
    model: Model | str | os.PathLike[str] | bytes,
    inputs: Arrays | None = None,
    *,
    rtol: float = 1e-3,
    atol: float = 1e-5,
    against: Api | Ep | str | None = None,
    options: Mapping[str, str] | None = None,
) -> int:
    """Compare what an execution provider computes on the core with another engine.

    Each part of the model that the provider takes is called by itself, with the inputs that the
    other engine has computed for it: so the part that differs is known, and the provider need not
    take all nodes.

    Parameters
    ----------
    ep_or_library : Ep, str or os.PathLike
        The provider, or its library, whose first device is used.
    model : Model, str, os.PathLike or bytes
        The model.
    inputs : mapping of str to array, optional
        Inputs; those that are not given are random, and 1 long where their shape is open.
    rtol, atol : float, optional
        The tolerance of floats, as of ``numpy.testing.assert_allclose``.
    against : Api, Ep or str, optional
        A library with an engine, another provider or its name, or ``"onnx"`` for the reference of
        the package onnx. By default the installed onnxruntime, or the reference.
    options : mapping of str to str, optional
        The provider's options, where a library is given.

    Returns
    -------
    int
        How many nodes of the model the provider takes, which are 1 or more.

    Raises
    ------
    AssertionError
        An output differs, or the provider takes no node.
    OrtError
        The provider fails.
    """
    given = model if isinstance(model, Model) else Model.load(model)
    with ExitStack() as stack:
        if isinstance(ep_or_library, Ep):
            ep = ep_or_library
        else:
            env = stack.enter_context(Env("compare_ep", core_api()))
            library = env.register_ep(absolute("ep_or_library", ep_or_library))
            registered = stack.enter_context(library)
            ep = stack.enter_context(Ep(registered.devices[:1], options))
        claims = stack.enter_context(ep.capability(prepared(given)))
        taken = sum(len(group.nodes) for group in claims.groups)
        if not taken:
            raise AssertionError(f"{ep.name} takes no node of the model")
        feed = given_inputs(given, inputs or {})
        values = feed | reference_values(given, feed, against)
        for node in ep.compile(claims):
            check_node(node, values, rtol, atol)
        return taken


def prepared(model: Model) -> Model:
    """Return the model with types of inner values, if the package onnx is there to infer them."""
    with suppress(ModuleNotFoundError, ValueError):
        return model.prepare()
    return model


def given_inputs(model: Model, inputs: Arrays) -> dict[str, Any]:
    """Get inputs by name: random ones where none are given, 1 long where their shape is open."""
    feed, generator = dict(inputs), np.random.default_rng(0)
    for value in model.graph.inputs:
        if value.name not in feed and not value.is_initializer:
            if not value.element_type:
                raise ValueError(f"input {value.name!r} is no tensor: give it")
            shape = lengths(value.shape, 1)
            feed[value.name] = random_array(
                value.name, dtype_of(value.element_type), shape, generator
            )
    return feed


def reference_values(
    model: Model, feed: Arrays, against: Api | Ep | str | None = None
) -> dict[str, Any]:
    """Return what another engine computes: outputs, and values between nodes if possible."""
    outputs = [value.name for value in model.graph.outputs]
    between = [name for node in model.graph.nodes for name in node.outputs if name]
    if isinstance(against, Ep):
        return dict(zip(outputs, _by_ep(against, model, feed), strict=True))
    with suppress(OrtError, ValueError, LookupError, TypeError, NotImplementedError):
        names = [*dict.fromkeys([*between, *outputs])]
        graph = model.edit()
        graph.extract(list(feed), names)
        return _values(graph.to_model(), feed, names, against)
    return _values(model, feed, outputs, against)


def _values(model: Model, feed: Arrays, names: list[str], against: Any) -> dict[str, Any]:
    if against is None:
        against = load() if installed_libraries() else "onnx"
    if against != "onnx":
        api, providers = (against, None) if isinstance(against, Api) else (None, [against])
        with Session(model, api=api, providers=providers) as session:
            return dict(zip(names, session.run(dict(feed)), strict=True))
    if find_spec("onnx") is None:
        raise ModuleNotFoundError("there is nothing to compare with: pip install onnxruntime")
    from onnx import load_model_from_string
    from onnx.reference import ReferenceEvaluator

    found = ReferenceEvaluator(load_model_from_string(model.to_bytes())).run(names, dict(feed))
    return dict(zip(names, found, strict=True))


def _by_ep(ep: Ep, model: Model, feed: Arrays) -> list[Any]:
    with ep.capability(prepared(model)) as claims:
        if claims.left or len(claims.groups) != 1:
            raise ValueError(f"{ep.name} does not take the whole model")
        (node,) = ep.compile(claims)
        made = call_node(node, feed)
        return [made[value.name] for value in model.graph.outputs]


def check_node(node: CompiledNode, values: Arrays, rtol: float, atol: float) -> None:
    """Call a compiled node, and compare its outputs with values by name."""
    for name, ours in call_node(node, values).items():
        if name in values:
            made = f"{name}, made by {node.kernel.description.provider}"
            check_same(made, ours, values[name], (rtol, atol), "with the other engine")


def call_node(node: CompiledNode, values: Arrays) -> dict[str, Any]:
    """Call a compiled node with values by name; return its outputs by name."""
    wanted = [name for name in node.inputs if name and name not in node.constants]
    if missing := [name for name in wanted if name not in values]:
        raise LookupError(f"the other engine did not make {', '.join(missing)}")
    return dict(zip(node.outputs, node(*(values[name] for name in wanted)), strict=True))
