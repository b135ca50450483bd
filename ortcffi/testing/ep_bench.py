# SPDX-License-Identifier: MIT
"""The bench of rules for execution providers: a library, registered and at work on small models."""

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ortcffi._table import core_api, host_function
from ortcffi.env.env import Env
from ortcffi.ep.hardware import HardwareDevice
from ortcffi.ep.registered import RegisteredEp
from ortcffi.ep.watched import left_statuses
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.kernels.host import made_by_slot
from ortcffi.models.graph import Graph
from ortcffi.models.model import Model
from ortcffi.models.providers import CompiledNode, Ep, EpClaims
from ortcffi.table.hosts import host_api
from ortcffi.testing.ep_factories import FactoryLibrary
from ortcffi.testing.failing_slots import FailingSlots, watched_host
from ortcffi.testing.live_objects import left_in_words, live_objects, made_since
from ortcffi.testing.rules import NotTried, Subject

_MOST_TEXTS = 3  # of statuses
FIRST = 22  # the API version that has execution providers in libraries
EXCEPTION = "an exception left the execution provider"


class Bench:
    """A subject in the process that tries a rule."""

    most_memory = child.MEMORY
    facts: dict[str, Any] = {}  # noqa: RUF012  # nothing else is told

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.api = host_api(subject.host)  # the table of its host
        self.failing: FailingSlots | None = None  # the host that the library gets
        self.ep: Ep | None = None  # the last one that was made
        self.tolerance = subject.rtol, subject.atol  # of floats
        self.unreleased: object = None  # what the process ends with

    # --- the library by itself --------------------------------------------------------------------

    def library(self) -> FactoryLibrary:
        """Return the library, whose functions are then called directly."""
        return FactoryLibrary.open(self.subject.path)

    @contextmanager
    def factories(self, *, with_null: bool = False) -> Iterator[list[Any]]:
        """Its factories, made by the host and released in the end."""
        library = self.library()
        with self.env():  # which has the logger
            made = library.make(self.api.base, host_function("OrtcoreLogger")())
            if not all(made) and not with_null:
                raise NotTried("it makes a factory that is NULL")
            yield made
            for factory in made:
                library.release(factory)

    # --- registered -------------------------------------------------------------------------------

    def env(self, logger: Callable[..., Any] | None = None) -> Env:
        """Return an environment that says nothing, but its errors to a logger."""
        api = core_api() if self.api.is_core else self.api
        return Env("check", api, severity=4 if logger is None else 3, logger=logger)

    def register(self, env: Env, name: str | None = None, *, watch: bool = False) -> RegisteredEp:
        """Register the library; with `watch` the slots note what they make for it."""
        given = self.subject.name if name is None else name
        if not self.api.is_core:
            return env.register_ep(self.subject.path, given)
        host = self.api
        if self.failing is not None:
            host = self.failing.api
        elif watch:
            host = watched_host(self.api.version)
        invented = [
            HardwareDevice(kind, vendor_id=vendor, api=core_api())
            for kind, vendor in self.subject.hardware
        ]
        return env.register_ep(self.subject.path, given, hardware=invented or None, host=host)

    @contextmanager
    def registered(self, *, watch: bool = False) -> Iterator[RegisteredEp]:
        """Yield the library, registered for a while."""
        with self.env() as env, self.register(env, watch=watch) as registered:
            yield registered

    def pair(self, registered: RegisteredEp) -> list[Ep]:
        """Make two providers; where they cannot be made the rule is not tried."""
        with self.tried("no provider could be made"):
            return [self.make(registered), self.make(registered)]

    def make(self, registered: RegisteredEp) -> Ep:
        """Make the provider for its first device, as most programs do."""
        devices = registered.devices
        if not devices:
            raise NotTried("it lists no device on this hardware: invent some with --hardware")
        return Ep(devices[:1], self.subject.options)

    def config(self, registered: RegisteredEp) -> dict[str, str]:
        """Return the provider's options as configuration entries of a session."""
        prefix = f"ep.{registered.devices[0].name.lower()}."
        return {f"{prefix}{key}": text for key, text in self.subject.options.items()}

    @contextmanager
    def tried(self, what: str) -> Iterator[None]:
        """Yield a step that another rule is about: where it fails, this one is not tried."""
        try:
            yield
        except OrtError as error:
            raise NotTried(f"{what}: {error}") from error

    @contextmanager
    def provider(self, *, watch: bool = False) -> Iterator[Ep]:
        """Yield a provider; where it cannot be made the rule is not tried."""
        with self.registered(watch=watch) as registered:
            with self.tried("no provider could be made"):
                made = self.make(registered)
            self.ep = made
            with made:
                yield made

    # --- at work on the model ---------------------------------------------------------------------

    def model(self) -> Model:
        """Return the model that the subject is tried with."""
        folder = self.subject.folder
        return Model.load(os.path.join(folder, "model.onnx")) if folder else own_model()

    def values(self) -> dict[str, Any]:
        """Its inputs, and what is to come of them, by name."""
        if self.subject.folder:
            with np.load(os.path.join(self.subject.folder, "values.npz")) as file:
                return dict(file)
        return own_values()

    @contextmanager
    def claims(self, model: Model | None = None, *, watch: bool = False) -> Iterator[EpClaims]:
        """Yield what a provider takes of the model; where that is nothing the rule is not tried."""
        with self.provider(watch=watch) as ep, claims_of(ep, model or self.model()) as claims:
            yield claims

    @contextmanager
    def compiled(
        self, model: Model | None = None, *, watch: bool = False, check: bool = False
    ) -> Iterator[tuple[CompiledNode, ...]]:
        """Yield what a provider compiled of the model."""
        with self.claims(model, watch=watch) as claims:
            with self.tried("it does not compile what it takes"):
                nodes = claims.ep.compile(claims, check=check)
            yield nodes

    # --- what stays -------------------------------------------------------------------------------

    def find_left(self, work: Callable[[], object]) -> str:
        """Return what some work leaves alive that its first turn did not leave, in words."""
        work()
        gc.collect()
        before, made, known = live_objects(), made_by_slot(), Counter(left_statuses())
        work()
        gc.collect()
        if not (left := left_in_words(before)):
            return ""
        texts = [repr(each.message) for each in Counter(left_statuses()) - known]
        said = f"; statuses say {', '.join(texts[:_MOST_TEXTS])}" if texts else ""
        return left + made_since(made, made_by_slot()) + said


def claims_of(ep: Ep, model: Model) -> EpClaims:
    """Return what a provider takes of a model; `NotTried` where that is nothing."""
    claims = ep.capability(model)
    if not claims.groups:
        nodes = len(claims.graph.nodes)
        claims.close()
        raise NotTried(f"it takes none of the {nodes} nodes of the model")
    return claims


# --- the bench's own model ------------------------------------------------------------------------


def own_model() -> Model:
    """Two matrices multiplied, a third one added, negative numbers cut off."""
    graph = Graph()
    for name, array in _weights().items():
        graph.initializer(name, array)
    nodes = [("MatMul", "xw", "product"), ("Add", ["product", "b"], "sum"), ("Relu", ["sum"], "y")]
    made = "f4", [2, 4]
    between = {"product": made, "sum": made}
    return _model(graph, {"x": ("f4", [2, 3])}, nodes, {"y": made}, between)


def _model(graph: Graph, inputs: Any, nodes: Any, outputs: Any, between: Any = ()) -> Model:
    for name, port in inputs.items():
        graph.input(name, *port)
    for op, given, made in nodes:
        domain = "ortcffi.testing" if op == "Unknown" else ""
        graph.node(op, list(given), [made], name=made, domain=domain)
    for name, port in outputs.items():
        graph.output(name, *port)
    for name, (dtype, shape) in dict(between).items():
        value = graph.values[name]
        value.element_type, value.shape = dtype, shape
    return Model.load(graph.to_bytes())


def own_values() -> dict[str, Any]:
    """Return an input of that model, and all that is computed of it."""
    weights, x = _weights(), np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    product = x @ weights["w"]
    total = product + weights["b"]
    return {"x": x, "product": product, "sum": total, "y": np.maximum(total, 0)}


def _weights() -> dict[str, Any]:
    w = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    return {"w": w, "b": np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)}


def open_model() -> Model:
    """Return a sum of two matrices whose sizes the model does not say."""
    return sum_model("f4", [None, None])


def sum_model(dtype: str, shape: list[int | None]) -> Model:
    """Return a sum of two tensors."""
    port = dtype, shape
    return _model(Graph(), {"a": port, "b": port}, [("Add", "ab", "y")], {"y": port})


def parted_model() -> Model:
    """Two sums, with an operator in between that no provider has."""
    small, large = ("f4", [2, 3]), ("f4", [4, 5])
    nodes = [("Add", "ab", "first"), ("Unknown", ["first"], "between")]
    nodes.append(("Add", ["between", "c"], "y"))
    outputs = {"first": small, "between": large, "y": large}
    return _model(Graph(), {"a": small, "b": small, "c": large}, nodes, outputs)
