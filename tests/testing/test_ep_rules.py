# SPDX-License-Identifier: MIT
"""Each rule for execution providers, kept by a good one and broken by one that breaks only it."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from support import eps
from support.paths import CHECKOUT
from support.processes import run_in_fork

from ortcffi.cli.check_ep import MODULES
from ortcffi.kernels import child
from ortcffi.testing.ep_model_rules import computes_anew_in_each_call
from ortcffi.testing.rules import RULES, NotTried, Subject, try_rules

BREAKING = CHECKOUT / "tests/c/clients/breaking_ep.c"
OF_EPS = [rule for rule in RULES if rule.check.__module__ in MODULES]
TEXTS = {
    "registers": "EP_FAIL: no factory today",
    "answers-older-hosts-with-a-status": "a host of API version 22 gets success and no factory",
    "does-without-a-logger": "it crashes (SIGABRT)",
    "has-the-functions-of-a-factory": "CreateDataTransfer is NULL, which ONNX Runtime calls",
    "declares-a-version-that-it-asked-for": "declares version 24; it asked for 23",
    "releases-what-its-factories-made": "1 of kind 'status', made by CreateStatus (1)",
    "registers-a-hundred-times": "100 turns leave 100 files open",
    "makes-a-provider": "EP_FAIL: no provider today",
    "compiles-what-it-takes": "EP_FAIL: no compiler",
    "gives-each-node-an-info": "two nodes have one info",
    "computes-what-others-do": "made by ",
    "refuses-shapes-that-do-not-fit": "it adds tensors of shapes [2, 3] and [4, 5]",
    "survives-empty-tensors": "it crashes (SIGABRT)",
    "uses-no-graph-after-its-call": "it crashes (SIGSEGV)",
    "bears-failures-of-the-host": "1 end the process: Graph_GetNumNodes",
}


@pytest.fixture
def try_rule(monkeypatch, request):
    """``try_rule(rule, breaks="")`` tries it in forks, on the first of its hosts."""
    monkeypatch.setattr(child, "run", run_in_fork)
    monkeypatch.setattr(child, "JOBS", 1)  # no forks beside threads

    def attempt(rule, breaks=""):
        monkeypatch.setenv("BREAKS", breaks)
        host = "real" if rule.hosts == "real" else "core"
        request.getfixturevalue(f"{host}_api")
        subject = Subject(str(eps.built(BREAKING)), host, asked=23)
        (result,) = try_rules([rule], subject, failures=20)
        return result

    return attempt


@pytest.fixture(params=OF_EPS, ids=lambda rule: rule.name)
def rule(request):
    return request.param


def test_a_good_provider_keeps_it(try_rule, rule):
    result = try_rule(rule)
    if rule.name == "refuses-shapes-that-do-not-fit":  # it does not look at the shape of the second
        assert result.outcome == "broken"
    else:
        assert (result.outcome, result.rule) == ("kept", rule.name), result.text


def test_a_provider_that_breaks_it_is_found(try_rule, rule):
    result = try_rule(rule, rule.name)
    assert result.outcome == "broken", result.text
    assert TEXTS.get(rule.name, "") in result.text


@pytest.mark.parametrize(
    ("name", "breaks", "text"),
    [
        ("answers-older-hosts-with-a-status", "takes-a-table-for-granted", "it crashes (SIGSEGV)"),
        ("makes-a-provider", "has-nothing-to-say", "answered a status without a message"),
        ("ends-in-any-order", "throws-when-it-ends", "ReleaseEp: an exception left the execution"),
        ("survives-empty-tensors", "throws-for-empty-tensors", "an exception left the execution"),
        ("uses-no-graph-after-its-call", "uses-its-first-graph", "it crashes (SIGSEGV)"),
        ("uses-no-graph-after-its-call", "uses-a-node-after-its-call", "it crashes (SIGSEGV)"),
        ("uses-no-graph-after-its-call", "counts-nodes-after-its-call", "it crashes (SIGSEGV)"),
        ("uses-no-graph-after-its-call", "reads-a-name-after-its-call", "it crashes (SIGSEGV)"),
        ("gives-each-node-an-info", "declares-no-version-of-an-info", "an info declares version 0"),
    ],
)
def test_a_rule_can_be_broken_in_another_way(try_rule, name, breaks, text):
    (rule,) = [each for each in RULES if each.name == name]
    result = try_rule(rule, breaks)
    assert result.outcome == "broken", result.text
    assert text in result.text


def test_a_second_call_is_not_tried_where_its_inputs_could_not_differ():
    provider = SimpleNamespace(
        capability=lambda model: model, compile=lambda _: [SimpleNamespace(inputs=["i", "w"])]
    )
    bench = SimpleNamespace(
        registered=nullcontext,
        tried=lambda _: nullcontext(),
        pair=lambda _: [provider, provider],
        model=lambda: None,
        values=lambda: {"i": np.arange(3), "of no part": np.ones(3)},
    )
    with pytest.raises(NotTried, match="has an input of floats"):
        computes_anew_in_each_call.check(bench)
