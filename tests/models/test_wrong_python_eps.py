# SPDX-License-Identifier: MIT
"""Execution providers in Python that raise, or whose declarations or answers cannot be."""

import re
import sys

import numpy as np
import pytest
from support.graphs import graph_of
from support.python_eps import Opened, Takes, names, negates, provider, takes

import ortcffi as ort

F = np.float32

pytestmark = pytest.mark.usefixtures("leaves_nothing_of_python")


def raises(what):
    """A provider of which one method raises."""

    class Raises(Takes):
        def __init__(self):
            super().__init__(Neg=self.compute)
            self.fail("init")

        def fail(self, method):
            if what == method:
                raise ZeroDivisionError(f"in {what}")

        def capability(self, graph):
            self.fail("capability")
            return super().capability(graph)

        def compile(self, graph):
            self.fail("compile")
            return super().compile(graph)

        def compute(self, x):
            self.fail("compute")
            return x

    return ort.execution_provider(next(names))(Raises)


def open_and_run(api, ep):
    with Opened(api, ep, negates()) as opened:
        opened.run(x=np.ones(3, F))


@pytest.mark.parametrize("what", ["init", "capability", "compile", "compute"])
def test_exceptions_are_causes(api, what):
    if what == "capability" and not api.is_core:
        return  # the real library goes on without the provider
    with pytest.raises(ort.OrtError, match=f"in {what}") as raised:
        open_and_run(api, raises(what))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_real_library_goes_on_without_a_provider_that_raises_then(real_api, monkeypatch):
    found = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: found.append(repr(each.exc_value)))
    with pytest.raises(ort.OrtError, match="assigned to the default CPU EP"):
        open_and_run(real_api, raises("capability"))
    assert found[0] == "ZeroDivisionError('in capability')"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.astype(np.float64), r"output 0 must be float32, not float64"),
        (lambda x: x[:2], r"output 0 has the shape \[2\], and \[3\] in the model"),
        (lambda x: x[None], r"output 0 has the shape \[1, 3\], and \[3\] in the model"),
        (lambda x: (x,), r"output 0 must be an array, not a tuple"),
        (lambda x: [x, x], r"output 0 must be an array, not a list"),
        (lambda _: None, r"output 0 is None"),
        (lambda _: "text", r"output 0"),
    ],
)
def test_wrong_results_are_refused(api, function, message):
    with (
        Opened(api, takes(Neg=function), negates()) as opened,
        pytest.raises(ort.OrtError, match=message),
    ):
        opened.run(x=np.ones(3, F))


def test_a_node_that_fails_on_the_core_is_named_by_what_it_makes(core_api):
    ep = takes(Neg=lambda _: None)
    message = f"^the execution provider {ep.name}, which makes 'y': "
    with (
        Opened(core_api, ep, negates()) as opened,
        pytest.raises(ort.OrtError, match=message),
    ):
        opened.run(x=np.ones(3, F))


def test_results_must_be_as_many_as_outputs(api):
    graph = graph_of("x f4[4]", "a, b = Split(num_outputs=2) x", "a f4[2], b f4[2]")
    with (
        Opened(api, takes(Split=lambda x: (x[:2],)), graph) as opened,
        pytest.raises(ort.OrtError, match="must return a tuple of 2 outputs"),
    ):
        opened.run(x=np.ones(4, F))
    with Opened(api, takes(Split=lambda x: [x[:2], x[2:]]), graph) as opened:
        assert [y.tolist() for y in opened.run(x=np.arange(4, dtype=F))] == [[0, 1], [2, 3]]


NO_LIST = "capability must return a list of nodes or of groups of nodes, not "


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (lambda _: ["Neg"], "groups must be of nodes of the graph"),
        (lambda _: [[]], "a group must have nodes"),
        (lambda graph: [graph.nodes[0], list(graph.nodes)], "in two"),
        (lambda _: None, NO_LIST),
        (lambda _: 5, f"TypeError.*{NO_LIST}"),
        (lambda graph: graph.nodes[0], NO_LIST),
    ],
)
def test_wrong_groups_are_refused(core_api, groups, message):
    class Wrong(Takes):
        def capability(self, graph):
            return groups(graph)

    with pytest.raises(ort.OrtError, match=message):
        Opened(core_api, provider(Wrong()), negates())


def test_what_compile_returns_must_be_a_function_of_the_inputs(core_api):
    for function, message in ((5, "must return a function"), (lambda: 0, "cannot be called")):
        with pytest.raises(ort.OrtError, match=message):
            Opened(core_api, takes(Neg=function), negates())


@pytest.mark.parametrize(
    ("taken", "made", "text"),
    [
        (["n"], None, "not of 'n': give the node itself, and not its name"),
        ([["n"]], None, "not of 'n': give the node itself, and not its name"),
        (None, [np.abs], "called once for each group, and returns one function"),
    ],
)
def test_a_wrong_kind_of_answer_has_a_hint(core_api, taken, made, text):
    class Wrong(Takes):
        def capability(self, graph):
            return graph.nodes if taken is None else taken

    with pytest.raises(ort.OrtError, match=text):
        Opened(core_api, provider(Wrong(Neg=made)), negates())


def test_a_function_that_chooses_devices_may_raise(api):
    def choose(_device):
        raise ZeroDivisionError("no choice")

    with ort.Env("test", api) as env:
        ep = provider(Takes(), devices=choose)
        with pytest.raises(ort.OrtError, match="no choice") as raised:
            env.register_ep(ep)
        assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "name must not be empty"),
        ({"name": 5}, "name"),
        ({"name": "a", "devices": "TPU"}, "devices must be of CPU, GPU, NPU, or a function"),
        ({"name": "a", "version": "1"}, "version must be three numbers"),
        ({"name": "a", "options": {"a": 5}}, "options"),
        ({"name": "a", "vendor": None}, "vendor"),
    ],
)
def test_wrong_declarations(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ort.execution_provider(**arguments)(Takes)
    ep = takes(Neg=np.negative)
    facts = dict(vars(ep))
    with pytest.raises((TypeError, ValueError), match=message):
        ep.__init__(**{"name": ep.name, "function": Takes} | arguments)
    assert vars(ep) == facts, "nothing of it is changed"


def test_a_class_needs_both_methods(core_api):
    class Half:
        def capability(self, _graph):
            return []

    with pytest.raises(TypeError, match=r"needs a method compile\(graph\)"):
        ort.execution_provider("half")(Half)
    with pytest.raises(TypeError, match="must be a class"):
        ort.execution_provider("half")(5)
    with pytest.raises(ort.OrtError, match=re.escape("needs a method compile(graph)")):
        Opened(core_api, provider(Half()), negates())
