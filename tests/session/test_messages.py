# SPDX-License-Identifier: MIT
"""What sessions log: where to, under which name, and which provider runs which nodes."""

import pytest
from support.graphs import graph_of
from support.sessions import options_with

import ortcffi as ort


@pytest.fixture
def adding():
    """The name of a provider in Python that takes each node Add."""

    @ort.execution_provider("adding")
    class Adding:
        def capability(self, graph):
            return [node for node in graph.nodes if node.op_type == "Add"]

        def compile(self, _graph):
            return lambda x, y: x + y

    return "adding"


def of_two_operators() -> bytes:
    """A model whose node Double has an operator of its own."""
    graph = graph_of(
        "x f4[2], y f4[2]",
        "first: sum = Add x y; second: twice = of.test.Double sum; third: z = Add twice y",
        "z f4[2]",
    )
    return graph.to_bytes()


def options_with_double(api, **settings) -> ort.SessionOptions:
    """Options with an op that runs Double."""

    @ort.custom_op("of.test", inputs=["f4"], outputs=["f4"], name="Double")
    def double(x):
        return x * 2

    return options_with("of.test", double, api=api, **settings)


def messages(api, adding, **settings):
    """What a session logs while it is made."""
    said = []
    with options_with_double(api, logger=said.append, **settings) as options:
        ort.Session(of_two_operators(), options, api=api, providers=[adding]).close()
    return said


def test_a_verbose_session_says_which_provider_runs_which_nodes(api, adding):
    texts = [each.text for each in messages(api, adding, log_severity=ort.LogSeverity.VERBOSE)]
    begin = texts.index("Node placements")
    end = begin + 1 + sum("laced on" in text or text.startswith("  ") for text in texts[begin:])
    placed = [text for text in texts[begin:end] if "laced on" in text]
    assert " Node(s) placed on [adding]. Number of nodes: 2" in placed
    assert " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1" in placed
    assert "  Double (second)" in texts[begin:end]


def test_the_core_names_the_nodes_of_the_model(core_api, adding):
    said = messages(core_api, adding, log_severity=ort.LogSeverity.VERBOSE, log_id="mine")
    assert [each.text for each in said] == [
        "Node placements",
        " Node(s) placed on [adding]. Number of nodes: 2",
        "  Add (first)",
        "  Add (third)",
        " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1",
        "  Double (second)",
    ]
    assert {each.log_id for each in said} == {"mine"}


def test_where_one_provider_has_all_nodes_it_alone_is_named(core_api, adding):
    graph, said = ort.Graph(), []
    graph.input("x", "f4", [2])
    graph.input("y", "f4", [2])
    graph.node("Add", ["x", "y"], ["z"])
    graph.output("z", "f4", [2])
    with ort.SessionOptions(core_api, logger=said.append, log_severity=0) as options:
        ort.Session(graph, options, providers=[adding]).close()
    assert said[-1].text == " All nodes placed on [adding]. Number of nodes: 1"


@pytest.mark.parametrize("severity", [ort.LogSeverity.INFO, None])
def test_a_session_that_is_not_verbose_says_no_placements(core_api, adding, severity):
    settings = {} if severity is None else {"log_severity": severity}
    assert messages(core_api, adding, **settings) == []


def test_without_a_logger_of_its_own_a_session_logs_where_its_environment_does(core_api, adding):
    said = []
    with (
        ort.Env("app", core_api, logger=said.append, severity=0),
        options_with_double(core_api) as options,
    ):
        ort.Session(of_two_operators(), options, providers=[adding]).close()
    assert {each.log_id for each in said if "laced on" in each.text} == {""}


def test_loading_that_is_cancelled_beforehand_fails(api, adding):
    with (
        options_with_double(api, loading_cancelled=True) as options,
        pytest.raises(ort.errors.ModelLoadCanceled, match="anceled due to user request"),
    ):
        ort.Session(of_two_operators(), options, api=api, providers=[adding])
