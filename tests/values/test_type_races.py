# SPDX-License-Identifier: MIT
"""Types that one thread reads while another changes or closes them."""

import numpy as np
import pytest
from support.threads import race

from ortcffi import Value


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_an_array_of_strings_may_get_another_shape_while_it_is_read(api):
    spread = np.array([["a", "b"], ["c", "d"]] * 2, object).reshape(2, 4)
    array = spread[:, ::2]
    shapes = {(2, 2): (4,), (4,): (2, 2)}
    flat = np.array(["a", "b", "c", "d"], object)

    class Text(str):
        __slots__ = ()

    flat[0] = Text("a")

    def read(_i):
        assert Value.from_numpy(flat, api=api).shape in shapes
        assert Value.from_numpy(array, api=api).shape == (2, 2)

    def change(_i):
        flat.shape = shapes[flat.shape]

    race(2000, read, change)
