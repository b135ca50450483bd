# SPDX-License-Identifier: MIT
"""Models compiled without their weights, which the session passes to the provider."""

import pytest
from support.contexts import EXPECTED, compile_for, run, said
from support.releases import needs_release

import ortcffi as ort

pytestmark = needs_release(32, "weightless modes")
NONE, EXTERNAL_ONLY, ALL = ort.WeightlessMode
BOTH = "modes-both answers-3"


@pytest.mark.parametrize(
    "case",
    [
        ("", False, "weightless=0;mode="),
        ("modes-all answers-2", True, "weightless=1;mode= support"),
        ("answers-1", True, "weightless=1;mode= support"),
        ("modes-none", NONE, "weightless=0;mode=0"),
        ("modes-external_only answers-1", EXTERNAL_ONLY, "weightless=1;mode=1 support"),
        ("modes-all answers-2", ALL, "weightless=1;mode=2 support"),
        (BOTH, EXTERNAL_ONLY, "weightless=1;mode=1 support"),
        (BOTH, ALL, "weightless=1;mode=2 support"),
    ],
)
def test_a_provider_leaves_weights_out(api, model, options_for, case):
    words, weightless, seen = case
    options = options_for(api, words)
    made = compile_for(model, options, weightless=weightless)
    assert said() == f"enable=1;embed=1;path= {seen} compile context compile context"
    with ort.Model.load(made) as read:
        inputs = [list(node.inputs) for node in read.graph.nodes if node.op_type == "EPContext"]
        is_without = weightless not in {False, NONE}
        assert inputs == ([["x", "w"], ["k", "v"]] if is_without else [["x"], ["k"]])
        assert sorted(read.graph.initializers) == (["v", "w"] if is_without else [])
        is_mode = type(weightless) is ort.WeightlessMode and is_without
        expected = str(int(weightless)) if is_mode else None
        assert read.metadata.custom.get("weightless_mode") == expected
    assert run(made, options_for(api, words)) == EXPECTED


@pytest.mark.parametrize(
    "case",
    [
        ("", ALL, ort.errors.EPFail, "'all' requested"),
        ("modes-all", EXTERNAL_ONLY, ort.errors.EPFail, "'external_only' requested"),
        ("modes-none answers-3", ALL, ort.errors.EPFail, "'all' requested"),
        ("", True, ort.errors.NotImplemented, "does not implement GetWeightlessSupport"),
        ("modes-all", ALL, ort.errors.NotImplemented, "does not implement GetWeightlessSupport"),
        ("modes-both answers-1", ALL, ort.errors.EPFail, "modes: 'external_only'"),
        ("modes-all answers-0", True, ort.errors.EPFail, "modes: 'none'"),
        ("modes-all answers-9", ALL, ort.errors.EPFail, "does not support it on this device"),
    ],
)
def test_a_provider_that_cannot_leave_weights_out_is_refused(api, model, options_for, case):
    words, weightless, error, message = case
    options = options_for(api, words)
    with pytest.raises(error, match=message):
        compile_for(model, options, weightless=weightless)
    assert "compile" not in said()


@pytest.mark.parametrize(
    ("config", "seen"),
    [
        ({"ep.enable_weightless": "1"}, "weightless=1;mode= support"),
        ({"ep.enable_weightless_mode": "2"}, "weightless=1;mode=2 support"),
        ({"ep.enable_weightless_mode": "0", "ep.enable_weightless": "1"}, "weightless=0;mode=0"),
    ],
)
def test_a_session_has_providers_copy_no_weights(api, model, options_for, config, seen):
    assert run(model, options_for(api, BOTH, config=config)) == EXPECTED
    assert f" {seen} compile compile" in said()


@pytest.mark.parametrize(
    "case",
    [
        ("answers-1", True, (2, "returns 'external_only', but the EP metadata of")),
        ("modes-external_only answers-1", EXTERNAL_ONLY, None),
        (BOTH, EXTERNAL_ONLY, None),
        ("old", True, (1, "was compiled with API version 28")),
    ],
)
def test_it_is_logged_where_it_is_not_sure_that_a_provider_leaves_weights_out(
    api, model, options_for, case
):
    words, weightless, logged = case
    records = []
    with ort.Env("modes", api, logger=records.append, severity=1):
        options = options_for(api, words)
        compile_for(model, options, weightless=weightless)
    found = [each for each in records if "GetWeightlessSupport" in each.text]
    assert len(found) == (logged is not None)
    assert all((each.severity, logged[1] in each.text) == (logged[0], True) for each in found)


@pytest.mark.parametrize("mode", ["3", "0x2", "", "a", "22"])
def test_a_session_refuses_an_unknown_weightless_mode(api, model, options_for, mode):
    options = options_for(api, config={"ep.enable_weightless_mode": mode})
    with pytest.raises(ort.errors.InvalidArgument, match=f"Invalid value '{mode}'"):
        run(model, options)
