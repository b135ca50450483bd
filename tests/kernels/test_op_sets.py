# SPDX-License-Identifier: MIT
"""Sets of ops written in Python, and their registration with hosts of any kind."""

import numpy as np
import pytest
from support import models
from support.paths import finds_support
from support.prepared import run_program
from support.threads import run_threads

import ortcffi as ort
from ortcffi._native import ffi, lib

F = np.float32


@pytest.fixture
def leaves_nothing_alive_in_the_core():
    """Does nothing here: what is registered with a host stays to the end of the process."""


def define(name, op_set, function=None):
    decorate = ort.custom_op("my.domain", inputs=[F], outputs=[F], name=name, op_set=op_set)
    return decorate(function or (lambda x: x))


def names(options):
    return [op.name for op in options.custom_ops]


def test_a_host_is_given_the_ops_of_the_set_that_the_thread_chose(core_api, op_set):
    define("A", op_set.name)
    define("B", op_set.name)
    with ort.SessionOptions(core_api) as options:
        options.register_custom_ops(ort.custom_op_library(op_set.name))
        assert names(options) == ["A", "B"]
    with ort.SessionOptions(core_api) as options:
        options.register_custom_ops(ort.custom_op_library("a set without ops"))
        assert names(options) == []


def test_an_op_takes_the_place_of_one_of_the_same_name(core_api, op_set):
    first = define("A", op_set.name)
    second = define("A", op_set.name)
    assert list(op_set) == [second]
    with pytest.raises(LookupError, match="is not in the set"):
        op_set.remove(first)
    op_set.remove(second)
    assert len(op_set) == 0
    with ort.SessionOptions(core_api) as options:
        options.register_custom_ops(ort.custom_op_library(op_set.name))
        assert names(options) == []


def test_an_op_that_was_renamed_can_be_removed(op_set):
    op = define("A", op_set.name)
    op.name = "B"
    op_set.remove(op)
    assert list(op_set) == []


def test_a_set_that_did_not_change_is_registered_without_new_ops(api, op_set):
    define("A", op_set.name)
    library = ort.custom_op_library(op_set.name)
    with ort.SessionOptions(api) as options:
        options.register_custom_ops(library)
    before = lib.ortcffi_live_python_ops()
    for _ in range(5):
        with ort.SessionOptions(api) as options:
            options.register_custom_ops(library)
    assert lib.ortcffi_live_python_ops() == before


@pytest.mark.usefixtures("leaves_no_python_op")
def test_a_domain_describes_ops_written_in_python_as_any_other(api):
    op = ort.custom_op(
        "my.domain",
        inputs=[F, ort.optional(np.int64), ort.variadic(F, 2)],
        outputs=[str],
        versions=(2, 4),
        op_set=None,
    )(lambda *_: "")
    with ort.CustomOpDomain("my.domain", api) as domain:
        domain.add(op)
        [found] = domain.ops
        assert found == op.description._replace(name="<lambda>")
        with ort.SessionOptions(api) as options:
            options.add_custom_op_domain(domain)
            assert options.custom_ops == [found]


@pytest.mark.usefixtures("leaves_no_python_op")
def test_a_cycle_through_a_domain_is_collected(api):
    class Owner:
        def compute(self, x):
            return x

    owner = Owner()
    owner.domain = ort.CustomOpDomain("my.domain", api)
    owner.domain.add(define("A", None, owner.compute))
    del owner


@pytest.mark.parametrize("version", [16, 20, 25])
def test_hosts_get_the_ops_as_of_their_version(op_set, version):
    define("A", op_set.name)
    api = ort.emulate(version)
    with ort.SessionOptions(ort.core_api()) as options:
        op_set.register(options.handle, api.base)
        assert names(options) == ["A"]


def test_a_host_whose_kernels_cannot_fail_is_refused(op_set):
    define("A", op_set.name)
    with (
        ort.SessionOptions(ort.core_api()) as options,
        pytest.raises(ort.errors.NotImplemented, match="needs a host of API version 16 or newer"),
    ):
        op_set.register(options.handle, ort.emulate(15).base)


def test_who_calls_the_registration_is_remembered(real_api):
    with ort.SessionOptions(real_api) as options:
        options.register_custom_ops(ort.custom_op_library("a set without ops"))
    found, i = [], 0
    while base := lib.ortcffi_received_base(i):
        found.append(base)
        i += 1
    assert found
    assert len(set(found)) == len(found)
    assert lib.ortcffi_received_base(10**6) == ffi.NULL


# --- the end of the interpreter -------------------------------------------------------------------

EXIT = """
import atexit, sys
import numpy as np, onnxruntime, ortcffi as ort
from support import models

F = np.float32
ort.custom_op("d", inputs=[F], outputs=[F], name="Same")(lambda x: x)
options = onnxruntime.SessionOptions()
options.register_custom_ops_library(ort.custom_op_library())
names = [f"t{i}" for i in range(51)]
nodes = [models.node("Same", [a], [b], "d") for a, b in zip(names, names[1:])]
model = models.of_ops(nodes, {"t0": "f4"}, {"t50": "f4"}, "d")
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
x = {"t0": np.ones(4, F)}
assert session.run(None, x)[0].sum() == 4


if sys.argv[1] == "late":
    sys.modules["kept"] = session
elif sys.argv[1] == "cycle":
    cycle = [session, options]
    cycle.append(cycle)
    del session, options
elif sys.argv[1] == "atexit":
    atexit.register(lambda: session.run(None, x))
print("made")
"""


@pytest.mark.parametrize("state", ["plain", "late", "cycle", "atexit"])
@pytest.mark.usefixtures("real_library")
def test_the_interpreter_may_end_while_sessions_know_the_ops(state):
    done = run_program(EXIT, state, env=finds_support())
    assert (done.stdout, done.stderr) == ("made\n", "")


def test_an_op_runs_in_threads_at_once(op_set, official):
    define("Same", op_set.name)
    node = models.node("Same", ["x"], ["y"], "my.domain")
    session = official(models.of_ops([node], {"x": "f4"}, {"y": "f4"}, "my.domain"))

    def work():
        sums.extend(session.run(None, {"x": np.full(100, n, F)})[0].sum() for n in range(50))

    sums = []
    run_threads(*[work] * 4)
    assert sorted(sums) == [100 * number for number in range(50) for _ in range(4)]


# --- ops that are given to a session --------------------------------------------------------------


def calling(op):
    """The bytes of a model whose only node calls an op."""
    node = models.node(op, ["x"], ["y"], "my.domain")
    return models.of_ops([node], {"x": "f4"}, {"y": "f4"}, "my.domain")


def test_a_session_takes_ops_in_python_and_libraries(api):
    double = define("Double", None, lambda x: 2 * x)
    with ort.Session(calling("Double"), api=api, custom_ops=[double]) as session:
        assert session.run(x=[1, 2])[0].tolist() == [2, 4]
    define("Triple", "", lambda x: 3 * x)
    library = ort.custom_op_library()
    with ort.Session(calling("Triple"), api=api, custom_ops=[library]) as session:
        assert session.run(x=[1, 2])[0].tolist() == [3, 6]


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (RuntimeError("Failed to allocate memory for a plan"), ort.errors.RuntimeException),
        (ort.errors.Fail("Available memory of 3"), ort.errors.Fail),
        (ValueError("out of memory"), ort.errors.InvalidArgument),
        (KeyError("bad_alloc"), ort.errors.RuntimeException),
        (MemoryError("Failed to allocate memory"), ort.errors.OutOfMemory),
        (MemoryError("no"), ort.errors.OutOfMemory),
    ],
)
def test_the_words_of_an_exception_do_not_make_it_a_lack_of_memory(api, raised, kind):
    def fail(_x):
        raise raised

    op = define("Fails", None, fail)
    with op.kernel() as kernel, pytest.raises(kind) as caught:
        kernel(np.ones(1, F))
    with (
        ort.Session(calling("Fails"), api=api, custom_ops=[op]) as session,
        pytest.raises(kind) as caught_by_run,
    ):
        session.run(x=[1])
    for each in (caught.value, caught_by_run.value):
        assert type(each) is kind
        assert each.__cause__ is raised


def test_the_error_names_an_op_that_this_process_has(api):
    define("Unknown", "")
    for given in (None, [define("Other", None)]):
        with pytest.raises(
            ort.errors.OrtError, match=r"this process has it: custom_ops=\[Unknown\]"
        ):
            ort.Session(calling("Unknown"), api=api, custom_ops=given)
    with pytest.raises(ort.errors.OrtError) as caught:
        ort.Session(calling("Nowhere"), api=api)
    assert "custom_ops" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("power", "custom_ops must be a list, not str"),
        (5, "custom_ops must be a list, not int"),
        ([5], "custom_ops must have ops in Python or paths, not int"),
    ],
)
def test_wrong_ops_of_a_session_are_named(given, message):
    with pytest.raises(TypeError, match=message):
        ort.Session(calling("Any"), api=ort.core_api(), custom_ops=given)
