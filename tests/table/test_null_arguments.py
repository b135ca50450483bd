# SPDX-License-Identifier: MIT
"""Slots that the core does not implement look at their arguments first."""

import sys
from pathlib import Path

import pytest
from support.behaviour import release_of
from support.null_calls import not_implemented, pointers
from support.processes import run
from support.versions import API_VERSION

# What the real library of this version refuses, of the slots that have ever been stubs in the core.
REFUSED = {
    (f"ort_{file}slots.def", slot, argument)
    for file, slot, arguments in (
        ("ep_", "CreateIfKernel", "kernel_info kernel_out"),
        ("ep_", "CreateLoopKernel", "helper kernel_info"),
        ("ep_", "CreateScanKernel", "helper kernel_info"),
        (
            "ep_",
            "SharedPrePackedWeightCache_StoreWeightData",
            "buffer_data_ptrs buffer_data_sizes prepacked_weight_cache",
        ),
        ("", "EpAssignedNode_GetDomain", "out"),
        ("", "EpAssignedNode_GetName", "out"),
        ("", "EpAssignedNode_GetOperatorType", "out"),
        ("", "EpAssignedSubgraph_GetEpName", "out"),
        ("", "EpAssignedSubgraph_GetNodes", "ep_nodes num_ep_nodes"),
    )
    for argument in arguments.split()
}
REFUSED |= {
    (file, slot.name, argument)
    for file, slot in not_implemented()
    for argument in pointers(slot)
    if file == "ort_model_package_slots.def" and argument not in slot.optional
}

Answers = dict[tuple[str, str, str], tuple[int, str]]


def answers(library: Path) -> Answers:
    """The code and message for each list, slot and argument; none where the call crashed."""
    program = Path(__file__).parents[1] / "support/null_calls.py"
    said = run(sys.executable, program, library, str(API_VERSION)).stdout
    lines = (line.split("\t") for line in said.splitlines())
    return {(file, slot, null): (int(code), text) for file, slot, null, code, text in lines}


@pytest.fixture(scope="module")
def of_the_core(core_library: Path) -> Answers:
    return answers(core_library)


def test_a_null_is_named_unless_the_argument_may_be_null(of_the_core: Answers) -> None:
    expected = {}
    for file, slot in not_implemented():
        for null in pointers(slot):
            if null not in slot.optional:
                said = f"{slot.name}: {null} must not be NULL"
                expected[file, slot.name, null] = 2, said
    assert len(expected) > 50
    assert {key: said for key, said in of_the_core.items() if said[0] == 2} == expected


def test_all_other_calls_are_not_implemented(of_the_core: Answers) -> None:
    others = [(key, said) for key, said in of_the_core.items() if said[0] != 2]
    assert {(file, slot) for (file, slot, _), _ in others} == {
        (file, slot.name) for file, slot in not_implemented()
    }
    for (_, slot, _), (code, text) in others:
        assert code == 9
        assert text.startswith(f"{slot} ")


def test_the_core_refuses_each_null_that_the_real_library_refuses(
    of_the_core: Answers, real_library: Path
) -> None:
    if (release_of(real_library.name) or "").split(".")[1:2] != [str(API_VERSION)]:
        pytest.skip(f"{real_library.name} has other slots")
    real = answers(real_library)
    refused = {
        key
        for key, said in real.items()
        if said[0] == 2 and said != real.get((*key[:2], "")) and "adapter_format" not in said[1]
    }
    stubs = {(file, slot.name) for file, slot in not_implemented()}
    assert refused == {key for key in REFUSED if key[:2] in stubs}
    assert {key for key in refused if of_the_core[key][0] != 2} == set()
