# SPDX-License-Identifier: MIT
"""An execution provider that has JAX compile neighbouring nodes as one function."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

import ortcffi as ort


def gemm(a: Any, b: Any, c: Any = 0, **given: Any) -> Any:
    """Return a product and a sum."""
    left, right = (x.T if given[key] else x for x, key in ((a, "transA"), (b, "transB")))
    return given["alpha"] * (left @ right) + given["beta"] * c


def reshape(x: Any, shape: Any, allowzero: int) -> Any:
    """Do the same elements; 0 stands for the length that there is."""
    return x.reshape([x.shape[i] if n == 0 and not allowzero else n for i, n in enumerate(shape)])


# Each is called with the inputs of its node, and with those attributes that are listed.
OPERATORS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Add": (jnp.add, {}),
    "Div": (jnp.divide, {}),
    "Exp": (jnp.exp, {}),
    "Gemm": (gemm, {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}),
    "MatMul": (jnp.matmul, {}),
    "Max": (lambda *x: jnp.max(jnp.stack(jnp.broadcast_arrays(*x)), 0), {}),
    "Mul": (jnp.multiply, {}),
    "Neg": (jnp.negative, {}),
    "Relu": (jax.nn.relu, {}),
    "Reshape": (reshape, {"allowzero": 0}),
    "Sigmoid": (jax.nn.sigmoid, {}),
    "Softmax": (jax.nn.softmax, {"axis": -1}),
    "Sub": (jnp.subtract, {}),
    "Tanh": (jnp.tanh, {}),
    "Transpose": (lambda x, perm: x.transpose(perm), {"perm": None}),
}


@ort.execution_provider("jax", vendor="the guide")
class JaxEp:
    """The provider."""

    def capability(self, graph: ort.ModelGraph) -> Iterator[Any]:
        """Nodes that stand side by side are a group."""
        if graph.opsets.get("", 0) < 13:  # Softmax meant something else
            return
        for is_taken, nodes in groupby(graph.nodes, key=self.takes):
            if is_taken:
                yield nodes

    def takes(self, node: ort.ModelNode) -> bool:
        """Whether it knows the operator, and nobody else has taken the node."""
        if node.domain or node.ep_name or node.op_type not in OPERATORS or "" in node.inputs:
            return False
        if node.op_type == "Reshape" and node.inputs[1] not in node.graph.initializers:
            return False  # JAX compiles for shapes that it knows
        # By default JAX makes float32 of other floats.
        return node.graph[node.outputs[0]].element_type == ort.ElementType.FLOAT

    def compile(self, graph: ort.ModelGraph) -> Callable[..., Any]:
        """Take from the graph what is needed later: it is closed after this call."""
        constants = dict(graph.initializers)
        names = [value.name for value in graph.inputs]
        made = [value.name for value in graph.outputs]
        steps = []
        for node in graph.nodes:
            function, attributes = OPERATORS[node.op_type]
            given = {name: node.attributes.get(name, attributes[name]) for name in attributes}
            steps.append((function, given, node.inputs, node.outputs[0]))

        @jax.jit  # compiled anew for inputs of other shapes
        def compute(*inputs: Any) -> list[Any]:
            values = {**constants, **dict(zip(names, inputs, strict=True))}
            for function, given, read, output in steps:
                values[output] = function(*(values[name] for name in read), **given)
            return [values[name] for name in made]

        def call(*arrays: Any) -> Any:
            results = tuple(map(np.asarray, compute(*arrays)))
            return results if len(results) > 1 else results[0]

        return call
