# SPDX-License-Identifier: MIT
"""Threads that sessions share, devices that are chosen, threads and forks of the program."""

import contextlib
import inspect
import sys

import numpy as np
import pytest
from support.paths import finds_support
from support.prepared import printed_by
from support.threads import run_threads

from ortcffi import compat


def test_a_choice_of_devices_counts_as_providers(onnxruntime, squares):
    options = onnxruntime.SessionOptions()
    assert not options.has_providers()
    options.set_provider_selection_policy(onnxruntime.OrtExecutionProviderDevicePolicy.PREFER_CPU)
    assert options.has_providers()
    options = onnxruntime.SessionOptions()
    options.set_provider_selection_policy_delegate(lambda devices, *_rest: devices[-1:])
    assert options.has_providers()
    session = onnxruntime.InferenceSession(squares, options)
    assert session.get_providers() == ["CPUExecutionProvider"]


def shares_threads(onnxruntime, model):
    """What a process sees whose sessions share threads."""
    onnxruntime.set_global_thread_pool_sizes(2, 2)
    options = onnxruntime.SessionOptions()
    options.use_per_session_threads = False
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    ran = session.run(None, {"X": np.ones((3, 2), "f4")})[0].sum()
    with contextlib.suppress(RuntimeError):
        options = onnxruntime.SessionOptions()
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return f"{ran} and no error"
    return f"{ran} and an error"


@pytest.mark.usefixtures("real_library")
def test_sessions_share_threads_if_the_environment_has_them(squares):
    assert shares_threads(compat, squares) == "6.0 and an error"


def test_official_sessions_share_threads_if_the_environment_has_them(squares):
    source = inspect.getsource(shares_threads)
    lines = ("import contextlib, numpy as np, onnxruntime", source)
    program = "\n".join((*lines, f"print(shares_threads(onnxruntime, {squares!r}))"))
    printed = printed_by(program)  # in a process whose environment nothing has used yet
    assert printed.splitlines()[-1] == "6.0 and an error"


def test_all_providers_are_those_of_the_release(onnxruntime):
    official = pytest.importorskip("onnxruntime")
    if not official.__version__.startswith("1.32."):
        pytest.skip("of the release 1.32")
    assert onnxruntime.get_all_providers() == official.get_all_providers()


@pytest.mark.parametrize("name", ["Fail", "InvalidArgument", "RuntimeException"])
def test_an_exception_that_a_program_makes_has_its_text(state, name):
    kind = getattr(state, name)
    assert str(kind("the text")) == "the text"
    assert kind("the text").args == ("the text",)
    assert str(kind()) == ""


def test_the_text_of_an_exception_is_its_one_argument(session, state):
    with pytest.raises(state.InvalidArgument) as caught:
        session.run(["Q"], {"X": np.ones((3, 2), np.float32)})
    assert caught.value.args == (str(caught.value),)
    assert str(caught.value).startswith("[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Invalid")


def test_a_device_equals_itself_whenever_it_is_listed(onnxruntime):
    if not hasattr(onnxruntime, "get_ep_devices"):
        pytest.skip("this release lists no devices")
    devices, again = onnxruntime.get_ep_devices(), onnxruntime.get_ep_devices()
    assert devices == again
    assert len({*devices, *again}) == len(devices)
    assert devices[0].device == again[0].device
    assert len({devices[0].device, again[0].device}) == 1


# --- threads and forks of the program -------------------------------------------------------------


X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]


def test_threads_have_bindings_of_one_session_and_sessions_of_their_own(
    onnxruntime, session, squares
):
    def work():
        binding = session.io_binding()
        for factor in range(1, 20):
            binding.bind_cpu_input("X", X * factor)
            binding.bind_output("Y")
            session.run_with_iobinding(binding)
            (y,) = binding.copy_outputs_to_cpu()
            np.testing.assert_array_equal(y, (X * factor) ** 2)
        for _ in range(5):
            own = onnxruntime.InferenceSession(squares, providers=CPU)
            value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
            (y,) = own.run_with_ort_values(None, {"X": value})
            del own, value
            np.testing.assert_array_equal(y.numpy(), X * X)

    run_threads(*[work] * 4)


FORK = """
import os
import numpy as np
import ortcffi.compat as onnxruntime
from support.graphs import graph_of

model = graph_of("X f4[2]", "Y = Neg X", "Y f4[2]").to_bytes()
feed = {"X": np.ones(2, np.float32)}

def session(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

one, two = session(1), session(2)
child = os.fork()
if child == 0:
    assert one.run(None, feed)[0].tolist() == [-1, -1]
    assert two.run(None, feed)[0].tolist() == [-1, -1]
    assert session(2).run(None, feed)[0].tolist() == [-1, -1]
    os._exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), two.run(None, feed)[0].tolist())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_sessions_work_in_the_child_of_a_fork():
    assert printed_by(FORK, **finds_support()) == "0 [-1.0, -1.0]"
