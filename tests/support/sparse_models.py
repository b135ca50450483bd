# SPDX-License-Identifier: MIT
"""A model with a sparse initializer, made by the package onnx."""

import numpy as np
import pytest

ELEMENTS = {(0, 2): 1.5, (2, 1): 2.5}


def sparse_output() -> bytes:
    """w, of float [3, 3], with two elements; and y = x + 1, of float [2]."""
    onnx = pytest.importorskip("onnx")
    helper, array = onnx.helper, onnx.numpy_helper.from_array
    content = array(np.array([1.5, 2.5], np.float32), "w"), array(np.array([2, 7]), "places")
    sparse = helper.make_sparse_tensor(*content, [3, 3])
    kind = helper.make_sparse_tensor_type_proto(onnx.TensorProto.FLOAT, [3, 3])
    x, y = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "one"], ["y"])],
        "sparse",
        [x],
        [helper.make_value_info("w", kind), y],
        [array(np.ones(1, np.float32), "one")],
        sparse_initializer=[sparse],
    )
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
