# SPDX-License-Identifier: MIT
"""Outputs that are bound once and written by several runs."""

import numpy as np

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def test_outputs_that_were_copied_stay_as_they_were_in_the_next_run(session):
    binding = session.io_binding()
    binding.bind_output("Y")
    found = []
    for x in (X, 2 * X):
        binding.bind_cpu_input("X", x)
        session.run_with_iobinding(binding)
        found += binding.copy_outputs_to_cpu()
    np.testing.assert_array_equal(found[0], X * X)
    np.testing.assert_array_equal(found[1], 4 * X * X)


def test_an_output_that_was_copied_is_not_the_memory_that_is_bound(session):
    binding, y = session.io_binding(), np.zeros((3, 2), np.float32)
    binding.bind_cpu_input("X", X)
    binding.bind_output("Y", "cpu", 0, np.float32, [3, 2], y.ctypes.data)
    session.run_with_iobinding(binding)
    (copied,) = binding.copy_outputs_to_cpu()
    np.testing.assert_array_equal(y, X * X)
    assert not np.shares_memory(copied, y)


def test_values_of_outputs_are_the_memory_that_is_bound(session):
    binding = session.io_binding()
    binding.bind_output("Y")
    binding.bind_cpu_input("X", X)
    session.run_with_iobinding(binding)
    (value,) = binding.get_outputs()
    binding.bind_cpu_input("X", 2 * X)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(value.numpy(), 4 * X * X)


def test_a_value_can_be_given_attributes(onnxruntime):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    value.name = "mine"
    assert value.name == "mine"


def test_the_metadata_of_a_session_does_not_change_with_what_was_asked_for(session):
    session.get_modelmeta().custom_metadata_map["key"] = "value"
    assert session.get_modelmeta().custom_metadata_map == {}
