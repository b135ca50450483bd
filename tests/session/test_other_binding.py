# SPDX-License-Identifier: MIT
"""ortpy, a binding of others that is linked with onnxruntime 1.23, runs on the core."""

import importlib.util
import os
import sys

import pytest
from support import eps
from support.processes import run

import ortcffi as ort

PROGRAM = """
import sys
import numpy as np
import ortpy

library, model = sys.argv[1:]
ortpy.register_execution_provider_library("adding", library)
devices = [each for each in ortpy.get_ep_devices() if each.ep_vendor == "the guide"]
options = ortpy.SessionOptions()
options.append_execution_provider_v2(devices[:1], {})
messages = []
options.set_session_log_severity_level(0)
options.set_user_logging_function(lambda *message: messages.append(message[-1]))
session = ortpy.Session(model, options)
print([(name, info.shape, info.dtype) for name, info in session.get_input_info().items()])
x = np.arange(3, dtype=np.float32)
print(session.run({"x": x})["y"].numpy())
binding = session.create_io_binding()
binding.bind_input("x", ortpy.Value(x))
binding.bind_output_to_device("y", ortpy.MemoryInfo())
run_options = ortpy.RunOptions()
run_options.run_tag = "bound"
session.run_with_binding(binding, run_options=run_options)
print(binding.get_outputs()["y"].numpy())
print(any("placed on" in each for each in messages))


def choose(devices, model, runtime, maximum):
    return [each for each in devices if each.ep_vendor == "the guide"][:1]


chosen = ortpy.SessionOptions()
chosen.set_ep_selection_policy_delegate(choose)
print(ortpy.Session(model, chosen).run({"x": x})["y"].numpy())
print(ortpy.Value.from_strings(["a", "\u6f22"]).get_strings())
for wrong in [{"z": x}, {"x": x[:2]}, {"x": x.astype(np.float64)}]:
    try:
        session.run(wrong)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""


@pytest.mark.skipif(
    importlib.util.find_spec("ortpy") is None, reason="the package ortpy is not installed"
)
def test_a_binding_that_is_linked_with_onnxruntime_runs_on_the_core(c_compiler, tmp_path):
    # Takes a second.
    (tmp_path / "libonnxruntime.so.1").symlink_to(ort.get_library())
    eps.added().save(tmp_path / "model.onnx")
    library = eps.build(c_compiler, eps.ADDING)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM, library, tmp_path / "model.onnx"]
    assert run(*command, env=environment).stdout.splitlines() == [
        "[('x', [3], 'float32')]",
        "[0. 2. 4.]",
        "[0. 2. 4.]",
        "True",
        "[0. 2. 4.]",
        "['a', '\u6f22']",
        "Invalid input name: z",
        "Got invalid dimensions for input: x for the following indices",
        "Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))",
    ]
