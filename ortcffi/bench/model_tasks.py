# SPDX-License-Identifier: MIT
"""Models opened, listed and written, compared with the package onnx and the real library.

``python -m ortcffi.bench.model_tasks NAME`` prints the bytes that a node of a graph takes.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ortcffi._native import lib
from ortcffi.models.graph import Graph
from ortcffi.models.model import Model
from ortcffi.models.wire import Message
from ortcffi.options.kinds import OptimizationLevel
from ortcffi.options.session import SessionOptions
from ortcffi.session.session import Session

from .resident import resident_bytes
from .subjects import Subject
from .tasks import Counted, ProcessTask, repeated

_NODES = 2000
_GIB = 1 << 30


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="ortcffi-bench-")


def _chain(nodes: int) -> Graph:
    """A model of nodes one behind the other, of three operators, two of which have a weight."""
    graph = Graph()
    name = graph.input("layer_0_out", "f4", [4])
    for i in range(nodes):
        operator, read = ("Add", "Mul", "Relu")[i % 3], [name]
        if operator != "Relu":
            read.append(graph.initializer(f"weight_{i}", np.ones(4, np.float32)))
        (name,) = graph.node(operator, read, [f"layer_{i + 1}_out"], name=f"node_{i}")
    graph.output(name, "f4", [4])
    return graph


@cache
def chain_file(nodes: int = _NODES) -> str:
    """Its file."""
    path = os.path.join(_folder().name, f"chain{nodes}.onnx")
    _chain(nodes).save(path)
    return path


@cache
def large_file(size: int = _GIB) -> str:
    """A model with weights of so many bytes, as a file of which the disk has next to nothing."""
    graph = Graph()
    graph.input("x", "i8", [1, 4])
    graph.initializer("w", np.zeros((size // 16, 4), np.float32)[:1])
    graph.node("Gather", ["w", "x"], ["y"])
    graph.output("y", "f4", [1, 4, 4])
    model = Message(graph.to_bytes())
    content = Message(model.get(lib.MODEL_GRAPH))
    tensor = Message(content.get(lib.GRAPH_INITIALIZER)).set(lib.TENSOR_RAW)
    tensor.set(lib.TENSOR_DIMENSIONS, size // 16, 4)
    inside = b""
    # From the inside: each message ends with the one before, and that with the weights.
    for message, number in (
        (tensor, lib.TENSOR_RAW),
        (content.set(lib.GRAPH_INITIALIZER), lib.GRAPH_INITIALIZER),
        (model.set(lib.MODEL_GRAPH), lib.MODEL_GRAPH),
    ):
        inside = bytes(message) + _key(number, len(inside) + size) + inside
    return _write_sparse(inside, size)


def _key(number: int, size: int) -> bytes:
    """What stands before a field of so many bytes."""
    varint = bytes(Message().add(1, size))[1:]
    return bytes([number << 3 | 2]) + varint


def _write_sparse(head: bytes, hole: int) -> str:
    path = os.path.join(_folder().name, f"large{hole}.onnx")
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + hole)
    return path


class _Calls(Counted):
    """Calls of one function of a subject."""

    def __init__(self, subject: Subject) -> None:
        self.name, self.api = subject.name, subject.api
        self._call = self.make_call()

    def make_call(self) -> Callable[[], object]:
        """The call, for the subject of that name."""
        raise NotImplementedError

    def run(self, count: int) -> float:
        """Call it `count` times."""
        return repeated(self._call, count)

    def close(self) -> None:
        """Hold nothing more."""
        del self._call


class Open(_Calls):
    """A model opened: by the real library as a session without optimizations."""

    file: Callable[[], str] = staticmethod(chain_file)

    def make_call(self) -> Callable[[], object]:
        """Open it."""
        path = self.file()
        if self.name == "core":
            return lambda: Model.load(path)
        if self.name == "onnx":
            import onnx

            return lambda: onnx.load(path)
        options = SessionOptions(
            self.api, optimization_level=OptimizationLevel.DISABLE_ALL, intra_op_threads=1
        )
        return lambda: Session(path, options).close()


class OpenLarge(Open):
    """A model with weights of 1 GB."""

    file = staticmethod(large_file)

    def prepare(self) -> None:
        """Once: the others read all of it."""
        self._count = 100 if self.name == "core" else 1


class OpenAndList(_Calls):
    """A model opened, and all nodes with their operands listed."""

    def make_call(self) -> Callable[[], object]:
        """Open and list it."""
        path = chain_file()
        if self.name == "core":
            return lambda: _listed(Model.load(path).graph.nodes)
        import onnx

        return lambda: _listed_by_onnx(onnx.load(path).graph.node)


class List(_Calls):
    """All nodes with their operands."""

    def make_call(self) -> Callable[[], object]:
        """List those of a model that is open."""
        if self.name == "core":
            graph = Model.load(chain_file()).graph
            return lambda: _listed(graph.nodes)
        import onnx

        read = onnx.load(chain_file()).graph
        return lambda: _listed_by_onnx(read.node)


class Attributes(_Calls):
    """The attributes of all nodes, as Python's numbers and lists."""

    def make_call(self) -> Callable[[], object]:
        """Read those of a model that is open."""
        graph, name = Graph(), "x"
        graph.input(name, "f4", [1, 4, 4])
        given = {"kernel_shape": [1], "strides": [1], "pads": [0, 0], "auto_pad": "NOTSET"}
        for i in range(_NODES):
            (name,) = graph.node("MaxPool", [name], [f"y{i}"], attributes=given)
        graph.output(name, "f4", [1, 4, 4])
        if self.name == "core":
            nodes = graph.to_model().graph.nodes
            return lambda: [node.attributes for node in nodes]
        import onnx
        from onnx.helper import get_attribute_value as value_of

        read = onnx.load_from_string(graph.to_bytes()).graph.node
        return lambda: [{each.name: value_of(each) for each in node.attribute} for node in read]


def _listed(nodes: Any) -> Any:
    return [(node.op_type, node.inputs, node.outputs) for node in nodes]


def _listed_by_onnx(nodes: Any) -> Any:
    return [(node.op_type, list(node.input), list(node.output)) for node in nodes]


class Write(_Calls):
    """A model with weights of 100 MB written to a file."""

    def make_call(self) -> Callable[[], object]:
        """Write it."""
        source = os.path.join(_folder().name, "written.onnx")
        target = f"{source}.{self.name}"
        if not os.path.exists(source):
            graph = Graph()
            graph.initializer("w", np.ones(25 << 20, np.float32))
            graph.node("Neg", ["w"], ["y"])
            graph.output("y", "f4", [25 << 20])
            graph.save(source)
        if self.name == "core":
            model = Model.load(source)
            return lambda: model.save(target)
        import onnx

        read = onnx.load(source)
        return lambda: onnx.save(read, target)


def node_bytes_task(subject: Subject) -> ProcessTask:
    """The task that measures the bytes of a node, in a process of its own."""
    return ProcessTask("-m", __name__, subject.name)


def node_bytes(name: str) -> float:
    """What the memory of a process grows by for each node of an open model, names included."""
    nodes = 20 * _NODES
    path = chain_file(nodes)
    load: Callable[[str], Any] = lambda path: Model.load(path).graph  # noqa: E731
    if name == "onnx":
        import onnx

        load = onnx.load
    small = load(chain_file(10))
    before = resident_bytes()
    large = load(path)
    grown = resident_bytes() - before
    del small, large
    return grown / nodes


if __name__ == "__main__":
    sys.stdout.write(f"{node_bytes(sys.argv[1])}\n")
