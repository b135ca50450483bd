# SPDX-License-Identifier: MIT
"""Lists and dicts that grow while a run makes arrays of them."""

import logging

import numpy as np
import pytest
from support.models import map_type, model, node, tensor_type, value, value_info
from support.prepared import printed_by

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


GROWING_DICT = """
import sys
import numpy as np
import ortcffi as ort

session = ort.Session(bytes.fromhex(sys.argv[1]))
given = {"a": 1.0, "b": np.float32(2)}


def grow(frame, event, argument):
    given.update({f"{len(given)} {i}": 1.0 for i in range(1000)})


sys.setprofile(grow)
(y,) = session.run(x=given)
sys.setprofile(None)
assert len(given) > 1000
print(y.tolist())
"""


def test_a_dict_grows_while_the_type_of_its_numbers_is_looked_up():
    kind = map_type("str", tensor_type("float32"))
    nodes = [node("DictVectorizer", "x", "y", "ai.onnx.ml", string_vocabulary=["a", "b"])]
    vectorizer = model(nodes, [value_info("x", kind)], [value("y")], domains={"ai.onnx.ml": 1})
    assert printed_by(GROWING_DICT, vectorizer.hex()) == "[[1.0, 2.0]]"
