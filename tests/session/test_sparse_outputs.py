# SPDX-License-Identifier: MIT
"""An output that is a sparse initializer, which ONNX Runtime describes as a dense tensor."""

import numpy as np
import pytest
from support.sparse_models import ELEMENTS, sparse_output

from ortcffi.values.element_types import ValueKind

X = np.zeros(2, np.float32)


@pytest.mark.parametrize("where", [{}, {"providers": ["reference"]}], ids=["real", "core"])
def test_a_sparse_output_is_what_it_is(opened, where):
    session = opened(sparse_output(), **where)
    for _ in range(3):
        w, y = session.run({"x": X})
        assert w == ELEMENTS
        assert y.tolist() == [1, 1]
    assert session.run({"x": X}, ["w", "w"]) == [ELEMENTS] * 2


def test_a_sparse_output_is_a_sparse_value(opened):
    w, _ = opened(sparse_output()).run_values({"x": X})
    assert w.kind is ValueKind.SPARSE
    assert w.to_python() == ELEMENTS
