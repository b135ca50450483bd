# SPDX-License-Identifier: MIT
"""A model with a branch, by the package onnx."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

F4 = onnx.TensorProto.FLOAT


def info(name, shape=("n",)):
    return helper.make_tensor_value_info(name, F4, list(shape))


def model():
    """A model: z = relu(x + w) * (x > 0 ? t : x), with t = x + w used by a subgraph."""
    then = helper.make_graph([helper.make_node("Neg", ["t"], ["a"])], "then", [], [info("a")])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["b"])], "else", [], [info("b")])
    nodes = [
        helper.make_node("Add", ["x", "w"], ["t"], name="add"),
        helper.make_node("Relu", ["t"], ["r"], name="relu"),
        helper.make_node("ReduceSum", ["x"], ["s"], name="sum", keepdims=0),
        helper.make_node("Cast", ["s"], ["c"], name="cast", to=onnx.TensorProto.BOOL),
        helper.make_node("If", ["c"], ["i"], name="if", then_branch=then, else_branch=other),
        helper.make_node("Mul", ["r", "i"], ["z"], name="mul"),
    ]
    weights = [numpy_helper.from_array(np.arange(200, dtype=np.float32), "w")]
    graph = helper.make_graph(nodes, "g", [info("x", [200])], [info("z")], weights)
    graph.value_info.append(info("t", [200]))
    opsets = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, opset_imports=opsets, producer_name="test", ir_version=10)
