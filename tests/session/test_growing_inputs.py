# SPDX-License-Identifier: MIT
"""Lists and dicts that grow while a run makes arrays of them."""

import logging
import sys

import numpy as np
import pytest
from support.models import map_type, model, node, tensor_type, value, value_info

import ortcffi as ort


class Growing(logging.Logger):
    """A logger whose first message makes a list longer."""

    def __init__(self, items):
        super().__init__("growing", logging.DEBUG)
        self.items = items

    def handle(self, _record):
        if len(self.items) == 1:
            self.items *= 100_000


@pytest.mark.parametrize(
    ("dtype", "given"), [("float64", [1.0]), ("float64", [[1.0], [2.0]]), ("str", ["a"])]
)
def test_a_list_grows_while_numpy_allocates(opened, dtype, given):
    inner = given[-1] if isinstance(given[-1], list) else given
    rank = np.ndim(given)
    ports = [value("x", dtype, [None] * rank)], [value("y", dtype, [None] * rank)]
    session = opened(model([node("Identity", "x", "y")], *ports))
    session.run(x=list(np.array(given)))  # what its first run allocates stays
    memory = ort.Logging(ort.core_api().default_allocator, Growing(inner))
    with ort.numpy_allocator(memory):
        if rank == 1:
            assert session.run(x=given)[0].tolist() == given
        else:
            with pytest.raises(ValueError, match="'x'"):  # not all rows are of one length
                session.run(x=given)
    assert len(inner) == 100_000


def test_a_dict_grows_while_the_type_of_its_numbers_is_looked_up(opened):
    kind = map_type("str", tensor_type("float32"))
    nodes = [node("DictVectorizer", "x", "y", "ai.onnx.ml", string_vocabulary=["a", "b"])]
    vectorizer = model(nodes, [value_info("x", kind)], [value("y")], domains={"ai.onnx.ml": 1})
    session, given = opened(vectorizer), {"a": 1.0, "b": np.float32(2)}

    def grow(_frame, _event, _argument):
        given.update({f"{len(given)} {i}": 1.0 for i in range(1000)})

    sys.setprofile(grow)
    try:
        (y,) = session.run(x=given)
    finally:
        sys.setprofile(None)
    assert len(given) > 1000
    assert y.tolist() == [[1.0, 2.0]]
