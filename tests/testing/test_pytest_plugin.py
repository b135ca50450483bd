# SPDX-License-Identifier: MIT
"""The plugin for pytest, in forks of this process, which need not import pytest anew."""

import os
import re
import shutil
import sys

import pytest
from support import eps
from support.paths import CHECKOUT
from support.processes import run as run_command
from support.processes import run_pytest_in_fork
from support.versions import API_VERSION

import ortcffi as ort
from ortcffi.table.hosts import HOSTS


@pytest.fixture
def run(tmp_path):
    """``run(text, *arguments)`` runs tests with the plugin, and returns what pytest printed."""

    def run(text, *arguments, ini=""):
        (tmp_path / "test_it.py").write_text("import pytest, ortcffi as ort\n" + text)
        (tmp_path / "pytest.ini").write_text(f"[pytest]\n{ini}")
        return run_pytest_in_fork(tmp_path, "-rA", "--strict-markers", *arguments)

    return run


def test_a_test_runs_once_for_each_host(run):
    text = "def test_it(ort_api): print('version', ort_api.version)"
    output = run(text, "--ort-host=core,1.17,18", "-s")
    for version in (API_VERSION, 17, 18):
        assert f"version {version}" in output
    assert "3 passed" in output
    assert "1 passed" in run(text)


def test_the_help_names_the_same_hosts_as_the_command_line(run):
    assert HOSTS in " ".join(run("", "--help").split())


def test_memory_beyond_the_limit_is_refused(run):
    output = run("""
@pytest.mark.ort_limit_memory("1 KB")
def test_it(ort_allocator):
    ort_allocator.empty(100, "u1")
    with pytest.raises(MemoryError):
        ort_allocator.empty(2000, "u1")
""")
    assert "1 passed" in output
    assert "peak" in output
    assert "test_it.py::test_it" in output


def test_a_limit_without_the_allocator_that_it_limits_is_a_failure(run):
    output = run("""
@pytest.mark.ort_limit_memory("1 KB")
def test_it():
    pass
""")
    assert "ort_limit_memory needs the fixture ort_allocator" in output
    assert "1 failed" in output


def test_what_a_test_leaves_is_a_failure(run):
    output = run("""
kept = []

@pytest.mark.ort_no_leaks
def test_leaks():
    kept.append(ort.Status(1, "kept"))

@pytest.mark.ort_no_leaks
def test_does_not():
    ort.Status(1, "dropped")
""")
    assert "left alive 1 of kind 'status'" in output
    assert "LEFT test_it.py::test_leaks" in output
    assert "2 passed, 1 error" in output


def test_each_allocation_fails_in_turn(run):
    output = run("""
calls = []

@pytest.mark.ort_allocation_faults
def test_right(ort_allocator):
    calls.append(1)
    ort_allocator.empty(10), ort_allocator.empty(10)

def test_after():
    assert len(calls) == 4

@pytest.mark.ort_allocation_faults
def test_wrong(ort_allocator):
    try:
        ort_allocator.empty(10)
    except MemoryError:
        pass
""")
    assert "the call succeeded although its allocation 1 failed" in output
    assert "All traceback entries are hidden" not in output
    assert "sweep_allocation_failures" not in output
    assert "2 passed" in output
    assert "1 failed" in output


def test_a_fault_is_shown_with_the_frames_of_the_test_alone(run):
    output = run("""
def reads_none(block):
    return block.sum()

@pytest.mark.ort_allocation_faults
def test_it(ort_allocator):
    block = None
    try:
        block = ort_allocator.empty(10)
    except MemoryError:
        pass
    reads_none(block)
""")
    assert "allocation 1 failed, and the call raised AttributeError: 'NoneType'" in output
    frames = re.findall(r"^(\S+\.py):\d+: ", output, re.MULTILINE)
    assert frames == ["test_it.py", "test_it.py"]


def test_memory_beyond_a_block_is_found_in_each_test_of_a_library(run, compile_c):
    library = compile_c(CHECKOUT / "tests/c/clients/buggy_ops.c", "-shared", "-fPIC")
    output = run(
        """
import numpy as np

def test_it(ort_library):
    with ort_library["buggy", "WritesAfterOutput"].kernel() as kernel:
        kernel(np.zeros(3, np.float32))
""",
        ini=f"ort_library = {library}\n",
    )
    assert "buggy:WritesAfterOutput: it wrote beyond output 0" in output


def test_the_library_of_the_ini_file_is_opened(run, compile_c):
    library = compile_c(CHECKOUT / "tests/c/clients/op_library.c", "-shared", "-fPIC")
    output = run(
        "def test_it(ort_library, ort_api): assert ort_library.ops",
        f"--ort-host=core,1.{API_VERSION}",
        ini=f"ort_library = {library}\n",
    )
    assert "2 passed" in output


def test_a_domain_that_the_library_keeps_is_no_leak_of_a_test(run, compile_c):
    source = CHECKOUT / "tests/c/clients/checked_ops.c"
    output = run(
        """
kept = []

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("leaks", [False, True])
def test_it(ort_library, leaks):
    assert ort_library.ops
    if leaks:
        kept.append(ort.CustomOpDomain("a.test"))
""",
        ini=f"ort_library = {compile_c(source, '-shared', '-fPIC', '-DKEEPS_DOMAIN')}\n",
    )
    assert "PASSED test_it.py::test_it[False]" in output
    assert "LEFT test_it.py::test_it[True]: 1 of kind 'custom-op domain'" in output


def test_what_a_library_leaves_is_named_with_the_slot_that_made_it(run, compile_c):
    source = CHECKOUT / "tests/c/clients/checked_ops.c"
    library = compile_c(source, "-shared", "-fPIC", "-fvisibility=hidden", "-DLEAKS")
    output = run(
        """
import numpy as np

@pytest.mark.ort_no_leaks
def test_it(ort_library):
    with ort_library["checked", "Nothing"].kernel() as kernel:
        kernel(np.zeros(1, np.float32))
""",
        ini=f"ort_library = {library}\n",
    )
    assert "1 of kind 'tensor type and shape info'" in output
    assert "made by GetTensorTypeAndShape (1), KernelInfoGetAttribute_int64 (1)" in output


def test_blocks_that_a_kernel_leaves_are_named_with_their_place(run, compile_c):
    source = CHECKOUT / "tests/c/clients/buggy_ops.c"
    library = compile_c(source, "-shared", "-fPIC", "-fvisibility=hidden")
    output = run(
        """
import numpy as np

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("name", ["Doubles", "KeepsBlock"])
def test_library(ort_library, name):
    with ort_library["buggy", name].kernel() as kernel:
        kernel(np.zeros(1, np.float32))

@pytest.fixture
def array(ort_allocator):
    return ort_allocator.zeros(3)

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("name", ["Doubles", "KeepsBlock"])
def test_allocator(ort_library, ort_allocator, array, name):
    with ort_library["buggy", name].kernel(allocator=ort_allocator) as kernel:
        kernel(np.zeros(1, np.float32))
""",
        ini=f"ort_library = {library}\n",
    )
    for test, line in ("test_library", 9), ("test_allocator", 19):
        assert f"PASSED test_it.py::{test}[Doubles]" in output
        assert f"LEFT test_it.py::{test}[KeepsBlock]: up to 4096 bytes taken at " in output
        assert f"test_it.py:{line} in {test}" in output


def test_a_bug_of_a_kernel_is_shown_without_the_code_of_the_check(run, compile_c):
    library = compile_c(CHECKOUT / "tests/c/clients/buggy_ops.c", "-shared", "-fPIC")
    output = run(
        """
import numpy as np

def test_it(ort_library, ort_allocator):
    with ort_library["buggy", "WritesAfterOutput"].kernel(allocator=ort_allocator) as kernel:
        kernel(np.zeros(3, np.float32))
""",
        ini=f"ort_library = {library}\n",
    )
    assert "buggy:WritesAfterOutput: it wrote beyond output 0" in output
    assert ">       kernel(np.zeros(3, np.float32))" in output.replace("    kernel(np", "kernel(np")
    assert "checked.py" not in output


@pytest.mark.usefixtures("real_library")
def test_a_host_that_runs_no_kernels_is_skipped_with_the_reason(run, compile_c):
    library = compile_c(CHECKOUT / "tests/c/clients/op_library.c", "-shared", "-fPIC")
    output = run(
        "def test_it(ort_library, ort_api): pass",
        "--ort-host=core,real",
        ini=f"ort_library = {library}\n",
    )
    assert "1 passed, 1 skipped" in output
    assert "kernels run on the core and on emulated hosts, not on <Api" in output


def test_memory_beyond_a_block_fails_the_test(run):
    output = run("""
import ctypes

def test_it(ort_allocator):
    array = ort_allocator.empty(4, "u1")
    ctypes.memset(array.ctypes.data + 4, 0, 1)
""")
    assert "the test wrote beyond a block of " in output
    assert "1 passed, 1 error" in output


def test_the_plugin_is_silent_where_nobody_asks(run):
    output = run("def test_it(): pass")
    assert "ortcffi" not in output.replace("import", "")
    assert "1 passed" in output


# --- tests in processes of their own --------------------------------------------------------------

ISOLATED = """
import ctypes, os, sys
pytestmark = pytest.mark.ort_isolated

@pytest.fixture(params=[1])
def number(request):
    return request.param

def test_crashes():
    os.write(2, b"about to read NULL\\n")
    ctypes.string_at(0)

def test_right(number, tmp_path, capfd):
    print("number", number)
    assert capfd.readouterr().out == f"number {number}\\n"

def test_ends_the_process():
    os._exit(7)

def test_wrong():
    print("was here")
    assert [1] == [2]

def test_skipped():
    pytest.skip("not here")

@pytest.fixture
def bad():
    yield
    raise ValueError("at its end")

def test_bad_end(bad):
    pass
"""


def test_a_crash_in_a_process_of_its_own_is_a_failed_test(run):
    output = run(ISOLATED)
    assert "test_it.py::test_crashes, in its call: it crashes (SIGSEGV); it printed:" in output
    assert "about to read NULL" in output
    assert "Fatal Python error: Segmentation fault" in output
    assert "in test_crashes" in output
    assert "in pytest_pyfunc_call" not in output
    assert "test_it.py::test_ends_the_process, in its call: it ends the process" in output
    assert "assert [1] == [2]" in output
    assert "was here" in output
    assert "not here" in output
    assert "at its end" in output
    assert "3 failed, 2 passed, 1 skipped, 1 error" in output


def test_an_isolated_test_has_the_host_and_leaves_other_tests_their_fixtures(run):
    output = run(
        """
ended = []

@pytest.fixture(scope="module")
def shared():
    yield os.getpid()
    ended.append(True)

import os

def test_before(shared): assert shared == os.getpid()

@pytest.mark.ort_isolated
def test_host(ort_api): assert ort_api.version == 17

def test_after(shared): assert shared == os.getpid() and not ended
""",
        "--ort-host=17",
    )
    assert "3 passed" in output


def test_an_isolated_test_has_the_drop_in_with_its_provider(tmp_path):
    pytest.importorskip("onnx")
    (tmp_path / "test_it.py").write_text("""
import pytest

@pytest.mark.ort_isolated
def test_drop_in():
    import onnxruntime
    assert onnxruntime.__name__ == "ortcffi.compat"
    assert "reference" in onnxruntime.get_available_providers()
""")
    # In no fork of this process, where other tests may have imported the official package.
    options = ["-p", "ortcffi.testing.pytest_plugin", "--ort-drop-in-ep=reference"]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = run_command(sys.executable, "-m", "pytest", *options, cwd=tmp_path, env=env)
    assert "1 passed" in done.stdout


def test_an_option_isolates_the_tests_of_a_library_and_a_crash_names_its_op(run, compile_c):
    library = compile_c(CHECKOUT / "tests/c/clients/buggy_ops.c", "-shared", "-fPIC")
    output = run(
        """
import os
import numpy as np

@pytest.mark.parametrize("name", ["Doubles", "Crashes"])
def test_it(ort_library, name):
    with ort_library["buggy", name].kernel() as kernel:
        kernel(np.zeros(3, np.float32))

def test_other(): assert os.getpid() == int(os.environ["HERE"])
os.environ.setdefault("HERE", str(os.getpid()))
""",
        ini=f"ort_library = {library}\nort_isolated = true\n",
    )
    crash = "test_it.py::test_it[Crashes], in its call, with kernels of buggy:Crashes: it crashes"
    assert crash in output
    assert "1 failed, 2 passed" in output


def test_an_isolated_test_that_takes_too_long_fails_and_says_where_it_was(run, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    output = run(
        """
import time

@pytest.mark.ort_isolated(timeout=3)
def test_sleeps():
    print("sleeping")
    time.sleep(1000)

@pytest.mark.ort_isolated(timeout=-1)
def test_limit(): pass

@pytest.mark.ort_isolated(seconds=1)
def test_argument(): pass
"""
    )
    assert "test_it.py::test_sleeps, in its call: it takes longer than 3 seconds" in output
    assert "sleeping" in output
    assert "in test_sleeps" in output
    assert "timeout must be a number of seconds above 0, not -1" in output
    assert "unexpected keyword argument 'seconds'" in output
    assert "1 failed, 2 errors" in output


def test_an_isolated_test_whose_file_cannot_be_read_again_says_why(run):
    text = """
import os
if os.environ.get("SECOND"): raise RuntimeError("only once")
os.environ["SECOND"] = "1"
@pytest.mark.ort_isolated
def test_it(): pass
"""
    output = run(text)
    assert "in its setup: it ends the process, with exit code" in output
    assert "only once" in output


EP_TESTS = """
import numpy as np

@pytest.fixture
def ort_ep_hardware():
    return [ort.HardwareDevice("CPU", vendor="nobody", api=ort.core_api())]

def compute(ort_ep):
    graph = ort.Graph()
    graph.input("x", "f4", [2])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", [2])
    with ort_ep.capability(ort.Model.load(graph.to_bytes())) as claims:
        for node in ort_ep.compile(claims):
            np.testing.assert_array_equal(node(np.ones(2, np.float32)), [[2, 2]])

def test_hardware(ort_ep):
    (device,) = ort_ep._handle_parents
    assert device.hardware.vendor == "nobody"

@pytest.mark.ort_no_leaks
@pytest.mark.ort_status_faults
def test_it(ort_ep):
    print("begun")
    compute(ort_ep)
"""


def test_a_provider_computes_though_slots_fail_in_turn(run):
    library = eps.built(eps.ADDING)
    output = run(EP_TESTS, ini=f"ort_ep = {library}")
    assert "2 passed" in output
    assert output.count("begun") > 20


def test_a_provider_that_leaves_something_when_a_slot_fails_is_a_failure(run, monkeypatch):
    library = eps.built(CHECKOUT / "tests/c/clients/breaking_ep.c")
    monkeypatch.setenv("BREAKS", "leaves-a-status-of-a-failure")
    output = run(EP_TESTS, ini=f"ort_ep = {library}")
    assert "call 1 of Graph_GetNumNodes failed, after which the call leaves 1 of kind" in output
    assert "1 passed" in output


@pytest.mark.usefixtures("real_library")
def test_the_tests_of_the_guide_pass(run, tmp_path):
    page = (CHECKOUT / "docs/guide/testing_providers.md").read_text()
    (ini,) = re.findall(r"```ini\n\[pytest\]\n(.*?)```", page, re.DOTALL)
    (text,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "build").mkdir()
    shutil.copy(eps.built(eps.ADDING), tmp_path / "build/libmy_ep.so")
    graph = ort.Graph()
    graph.input("x", "f4", [1, 3])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", [1, 3])
    graph.save(tmp_path / "model.onnx")
    assert "2 passed" in run(text, ini=ini)


def test_an_option_of_the_provider_has_a_value(run):
    output = run(EP_TESTS, ini="ort_ep = none.so\nort_ep_options = fast\n")
    assert "ort_ep_options: 'fast' is not KEY=VALUE" in output


def test_a_provider_is_asked_for_by_the_ini_file(run):
    output = run(EP_TESTS + "def test_more(ort_ep): pass")
    assert "ort_ep is not set in the ini file" in output
    text = "@pytest.mark.ort_status_faults\ndef test_it(): pass"
    assert "ort_status_faults needs the fixture ort_ep" in run(text)
