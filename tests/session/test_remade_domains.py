# SPDX-License-Identifier: MIT
"""Domains of ops that are made anew while options have them."""

import gc

import numpy as np
from support import models

import ortcffi as ort
from ortcffi.testing.live_objects import live_objects


@ort.custom_op("d", inputs=["float32"], outputs=["float32"])
def doubled(x):
    return x * 2


def test_ops_of_a_domain_that_was_made_anew_stay_with_the_options(real_api, x):
    ports = [models.value("x", shape=(1, 4))], [models.value("y", shape=(1, 4))]
    model = models.model([models.node("doubled", "x", "y", "d")], *ports, domains={"d": 1})
    gc.collect()
    before = live_objects()["op written in Python"]
    with ort.CustomOpDomain("d", real_api) as domain, ort.SessionOptions(real_api) as options:
        domain.add(doubled)
        options.add_custom_op_domain(domain)
        domain.__init__("another", real_api)
        gc.collect()
        assert live_objects()["op written in Python"] > before
        with ort.Session(model, options) as session:
            np.testing.assert_array_equal(session.run({"x": x})[0], x * 2)
