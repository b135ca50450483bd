# SPDX-License-Identifier: MIT
"""Outputs that are inputs: their memory is the input's, which stays as long as they do."""

import gc
import weakref

import numpy as np
import pytest
from support.graphs import graph_of

import ortcffi as ort


@pytest.fixture
def graph() -> ort.Graph:
    return graph_of("x f4[1000]", "y = Neg x", "y f4[1000], x f4[1000]")


@pytest.mark.parametrize("method", ["run", "run_values"])
def test_an_output_outlives_the_array_that_it_is(real_api, graph, method):
    with ort.Session(graph, api=real_api) as session:
        kept = [getattr(session, method)({"x": np.full(1000, i, np.float32)})[1] for i in range(20)]
        gc.collect()
        assert [float(np.asarray(each)[0]) for each in kept] == list(range(20))


@pytest.mark.parametrize("method", ["run", "run_values"])
def test_an_output_outlives_the_close_of_the_value_that_it_is(real_api, graph, method):
    with ort.Session(graph, api=real_api) as session:
        x = np.full(1000, 7, np.float32)
        gone = weakref.ref(x)
        with ort.Value.from_numpy(x, api=real_api) as value:
            _, passed = getattr(session, method)({"x": value})
        del x, value
        gc.collect()
        assert gone() is not None
        assert np.asarray(passed)[-1] == 7
        del passed
        gc.collect()
        assert gone() is None


def test_a_bound_output_outlives_the_close_of_the_binding_with_the_input_that_it_is(
    real_api, graph
):
    x = np.full(1000, 7, np.float32)
    gone = weakref.ref(x)
    with ort.Session(graph, api=real_api) as session:
        with session.bind(x=x) as bound:
            bound.run()
            passed = dict(zip(bound.output_names, bound.output_values(), strict=True))["x"]
        del x
        gc.collect()
        assert gone() is not None
        assert passed.numpy()[-1] == 7
