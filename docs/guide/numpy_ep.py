# SPDX-License-Identifier: MIT
"""An execution provider that compiles neighbouring nodes to calls of NumPy."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

import ortcffi as ort

Function = Callable[..., Any]


def softmax(x: Any, axis: int) -> Any:
    """Powers of e as parts of their sum."""
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def reshape(x: Any, shape: Any, allowzero: int) -> Any:
    """Do the same elements; 0 stands for the length that there is."""
    lengths = [x.shape[i] if n == 0 and not allowzero else n for i, n in enumerate(shape)]
    return x.reshape(lengths)


def gemm(a: Any, b: Any, c: Any = 0, **given: Any) -> Any:
    """Return a product and a sum."""
    left, right = (x.T if given[key] else x for x, key in ((a, "transA"), (b, "transB")))
    return (given["alpha"] * (left @ right) + given["beta"] * c).astype(a.dtype)


# Each is called with the inputs of its node, and with those attributes that are listed.
OPERATORS: dict[str, tuple[Function, dict[str, Any]]] = {
    "Abs": (np.abs, {}),
    "Add": (np.add, {}),
    "Concat": (lambda *x, axis: np.concatenate(x, axis), {"axis": 0}),
    "Div": (np.divide, {}),
    "Exp": (np.exp, {}),
    "Gemm": (gemm, {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}),
    "Identity": (np.copy, {}),
    "Log": (np.log, {}),
    "MatMul": (np.matmul, {}),
    "Max": (lambda *x: np.maximum.reduce(np.broadcast_arrays(*x)), {}),
    "Min": (lambda *x: np.minimum.reduce(np.broadcast_arrays(*x)), {}),
    "Mul": (np.multiply, {}),
    "Neg": (np.negative, {}),
    "Relu": (lambda x: np.maximum(x, 0), {}),
    "Reshape": (reshape, {"allowzero": 0}),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), {}),
    "Softmax": (softmax, {"axis": -1}),
    "Sqrt": (np.sqrt, {}),
    "Sub": (np.subtract, {}),
    "Tanh": (np.tanh, {}),
    "Transpose": (lambda x, perm: x.transpose(perm), {"perm": None}),
}
FLOATS = (ort.ElementType.FLOAT, ort.ElementType.DOUBLE)


def function_of(node: ort.ModelNode) -> Function:
    """Return what computes a node."""
    function, attributes = OPERATORS[node.op_type]
    given = {name: node.attributes.get(name, attributes[name]) for name in attributes}
    return partial(function, **given) if given else function


@ort.execution_provider("numpy", vendor="the guide")
class NumpyEp:
    """The provider."""

    def capability(self, graph: ort.ModelGraph) -> Iterator[Any]:
        """Nodes that stand side by side are a group."""
        if graph.opsets.get("", 0) < 13:  # Softmax meant something else
            return
        for is_taken, nodes in groupby(graph.nodes, key=self.takes):
            if is_taken:
                yield nodes

    def takes(self, node: ort.ModelNode) -> bool:
        """Whether it knows the operator, and no other provider has taken the node."""
        if node.domain or node.ep_name or node.op_type not in OPERATORS or "" in node.inputs:
            return False
        return node.graph[node.outputs[0]].element_type in FLOATS

    def compile(self, graph: ort.ModelGraph) -> Function:
        """Give the values numbers; a step reads some of them and makes one."""
        constants = graph.initializers
        names = [*(value.name for value in graph.inputs), *constants]
        place = {name: i for i, name in enumerate(names)}
        weights = list(constants.values())
        steps = []
        for node in graph.nodes:
            steps.append((function_of(node), [place[name] for name in node.inputs]))
            place[node.outputs[0]] = len(place)
        made = [place[value.name] for value in graph.outputs]

        def compute(*inputs: Any) -> Any:
            values = [*inputs, *weights]
            for function, read in steps:
                values.append(function(*(values[i] for i in read)))
            results = tuple(values[i] for i in made)
            return results if len(results) > 1 else results[0]

        return compute
