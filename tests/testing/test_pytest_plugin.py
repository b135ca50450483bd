# SPDX-License-Identifier: MIT
"""The plugin for pytest, in forks of this process, which need not import pytest anew."""

import re
import shutil
from typing import NamedTuple

import pytest
from support import eps
from support.paths import CHECKOUT
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


class Case(NamedTuple):
    """Tests with the plugin: what pytest prints, and does not print."""

    text: str
    prints: list[str]
    library: tuple[str, ...] = ()  # of tests/c/clients, with flags
    options: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


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
KERNEL = """
import numpy as np

def compute(library, name, **given):
    with library[name.split(":")[0], name.split(":")[1]].kernel(**given) as kernel:
        kernel(np.zeros(3, np.float32))

"""
BUGGY = ("buggy_ops.c",)
LEAKS = ("checked_ops.c", "-DLEAKS")
CASES = {
    "a test runs once for each host": Case(
        "def test_it(ort_api): print('version', ort_api.version)",
        [*(f"version {version}" for version in (API_VERSION, 17, 18)), "3 passed"],
        options=("--ort-host=core,1.17,18", "-s"),
    ),
    "the help names the hosts of the command line": Case("", [HOSTS], options=("--help",)),
    "memory beyond the limit is refused": Case(
        """
@pytest.mark.ort_limit_memory("1 KB")
def test_it(ort_allocator):
    ort_allocator.empty(100, "u1")
    with pytest.raises(MemoryError):
        ort_allocator.empty(2000, "u1")
""",
        ["1 passed", "peak", "test_it.py::test_it"],
    ),
    "a limit needs the allocator that it limits": Case(
        """
@pytest.mark.ort_limit_memory("1 KB")
def test_it(): pass
""",
        ["ort_limit_memory needs the fixture ort_allocator", "1 failed"],
    ),
    "what a test leaves is a failure": Case(
        """
kept = []

@pytest.mark.ort_no_leaks
def test_leaks():
    kept.append(ort.Status(1, "kept"))

@pytest.mark.ort_no_leaks
def test_does_not():
    ort.Status(1, "dropped")
""",
        ["left alive 1 of kind 'status'", "LEFT test_it.py::test_leaks", "2 passed, 1 error"],
    ),
    "each allocation fails in turn": Case(
        """
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
""",
        ["the call succeeded although its allocation 1 failed", "2 passed", "1 failed"],
        without=("All traceback entries are hidden", "sweep_allocation_failures"),
    ),
    "memory beyond a block is found in each test of a library": Case(
        KERNEL + "def test_it(ort_library): compute(ort_library, 'buggy:WritesAfterOutput')",
        ["buggy:WritesAfterOutput: it wrote beyond output 0", "> "],
        BUGGY,
        without=("checked.py",),
    ),
    "the library of the ini file is opened on each host": Case(
        "def test_it(ort_library, ort_api): assert ort_library.ops",
        ["2 passed"],
        ("op_library.c",),
        (f"--ort-host=core,1.{API_VERSION}",),
    ),
    "a domain that the library keeps is no leak of a test": Case(
        """
kept = []

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("leaks", [False, True])
def test_it(ort_library, leaks):
    assert ort_library.ops
    if leaks:
        kept.append(ort.CustomOpDomain("a.test"))
""",
        [
            "PASSED test_it.py::test_it[False]",
            "LEFT test_it.py::test_it[True]: 1 of kind 'custom-op domain'",
        ],
        ("checked_ops.c", "-DKEEPS_DOMAIN"),
    ),
    "what a library leaves is named with the slot that made it": Case(
        KERNEL
        + """
@pytest.mark.ort_no_leaks
def test_it(ort_library): compute(ort_library, "checked:Nothing")
""",
        [
            "1 of kind 'tensor type and shape info'",
            "made by GetTensorTypeAndShape (1), KernelInfoGetAttribute_int64 (1)",
        ],
        LEAKS,
    ),
    "blocks that a kernel leaves are named with their place": Case(
        KERNEL
        + """
@pytest.fixture
def array(ort_allocator):
    return ort_allocator.zeros(3)

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("name", ["Doubles", "KeepsBlock"])
def test_library(ort_library, name): compute(ort_library, f"buggy:{name}")

@pytest.mark.ort_no_leaks
@pytest.mark.parametrize("name", ["Doubles", "KeepsBlock"])
def test_allocator(ort_library, ort_allocator, array, name):
    compute(ort_library, f"buggy:{name}", allocator=ort_allocator)
""",
        [
            *(f"PASSED test_it.py::{test}[Doubles]" for test in ("test_library", "test_allocator")),
            "LEFT test_it.py::test_library[KeepsBlock]: up to 4096 bytes taken at ",
            "LEFT test_it.py::test_allocator[KeepsBlock]: up to 4096 bytes taken at ",
            "test_it.py:7 in compute",
        ],
        BUGGY,
    ),
    "memory beyond a block fails the test": Case(
        """
import ctypes

def test_it(ort_allocator):
    array = ort_allocator.empty(4, "u1")
    ctypes.memset(array.ctypes.data + 4, 0, 1)
""",
        ["the test wrote beyond a block of ", "1 passed, 1 error"],
    ),
    "the plugin is silent where nobody asks": Case(
        "def test_it(): pass", ["1 passed"], without=("ortcffi",)
    ),
    "a host that runs no kernels is skipped with the reason": Case(
        "def test_it(ort_library, ort_api): pass",
        ["1 passed, 1 skipped", "kernels run on the core and on emulated hosts, not on <Api"],
        ("op_library.c",),
        ("--ort-host=core,real",),
    ),
    "a crash in a process of its own is a failed test": Case(
        ISOLATED,
        [
            "test_it.py::test_crashes, in its call: it crashes (SIGSEGV); it printed:",
            "about to read NULL",
            "Fatal Python error: Segmentation fault",
            "in test_crashes",
            "test_it.py::test_ends_the_process, in its call: it ends the process",
            "assert [1] == [2]",
            *("was here", "not here", "at its end"),
            "3 failed, 2 passed, 1 skipped, 1 error",
        ],
        without=("in pytest_pyfunc_call",),
    ),
    "an isolated test has the host, and leaves other tests their fixtures": Case(
        """
import os

ended = []

@pytest.fixture(scope="module")
def shared():
    yield os.getpid()
    ended.append(True)

def test_before(shared): assert shared == os.getpid()

@pytest.mark.ort_isolated
def test_host(ort_api): assert ort_api.version == 17

def test_after(shared): assert shared == os.getpid() and not ended
""",
        ["3 passed"],
        options=("--ort-host=17",),
    ),
    "an isolated test that takes too long fails and says where it was": Case(
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
""",
        [
            "test_it.py::test_sleeps, in its call: it takes longer than 3 seconds",
            *("sleeping", "in test_sleeps"),
            "timeout must be a number of seconds above 0, not -1",
            "unexpected keyword argument 'seconds'",
            "1 failed, 2 errors",
        ],
    ),
    "an isolated test whose file cannot be read again says why": Case(
        """
import os
if os.environ.get("SECOND"): raise RuntimeError("only once")
os.environ["SECOND"] = "1"
@pytest.mark.ort_isolated
def test_it(): pass
""",
        ["in its setup: it ends the process, with exit code", "only once"],
    ),
    "a provider is asked for by the ini file": Case(
        "def test_it(ort_ep): pass", ["ort_ep is not set in the ini file"]
    ),
    "faults of statuses need the provider": Case(
        "@pytest.mark.ort_status_faults\ndef test_it(): pass",
        ["ort_status_faults needs the fixture ort_ep"],
    ),
}


@pytest.mark.usefixtures("real_library")
@pytest.mark.parametrize("name", CASES)
def test_the_plugin(run, compile_c, name, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    text, prints, library, options, without = CASES[name]
    ini = ""
    if library:
        source, *flags = library
        flags += ["-shared", "-fPIC", "-fvisibility=hidden"]
        ini = f"ort_library = {compile_c(CHECKOUT / 'tests/c/clients' / source, *flags)}\n"
    output = run(text, *options, ini=ini)
    for each in prints:
        assert each in (output if "--help" not in options else " ".join(output.split()))
    assert not [each for each in without if each in output.replace("import pytest, ortcffi", "")]


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


# --- tests in processes of their own --------------------------------------------------------------


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


EP_TESTS = """
import numpy as np

@pytest.fixture
def ort_ep_hardware():
    return [ort.HardwareDevice("CPU", vendor="nobody", api=ort.core_api())]

def model():
    graph = ort.Graph()
    graph.input("x", "f4", [2])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", [2])
    return graph.to_model()

def compute(ort_ep):
    with ort_ep.capability(model()) as claims:
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
FAILING_TESTS = """
@pytest.mark.ort_status_faults
@pytest.mark.parametrize("i", range(3))
def test_it_again(ort_ep, i):
    compute(ort_ep)

def test_that_fails(ort_ep):
    with ort_ep.capability(model()) as claims:
        nodes = ort_ep.compile(claims)
        assert nodes == []

def test_after_that(ort_ep):
    compute(ort_ep)
"""


def test_a_provider_computes_though_slots_fail_in_turn(run):
    library = eps.built(eps.ADDING)
    output = run(EP_TESTS, ini=f"ort_ep = {library}")
    assert "2 passed" in output
    assert output.count("begun") > 20


def test_a_test_of_a_provider_leaves_nothing_to_the_next_one(run):
    library = eps.built(eps.ADDING)
    output = run(EP_TESTS + FAILING_TESTS, ini=f"ort_ep = {library}")
    assert "1 failed, 6 passed" in output


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
