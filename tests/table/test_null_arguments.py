# SPDX-License-Identifier: MIT
"""NULL for each pointer of each slot: refused by its name, unless its row allows it."""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from support.null_calls import all_slots, kind_of, pointers
from support.processes import run
from support.versions import API_VERSION, release_of

SLOTS = all_slots()
PROGRAM = Path(__file__).parents[1] / "support/null_calls.py"
# Whose `out` is looked at after the context, which is wrong where it leads to zeroed memory.
AFTER_OTHERS = [
    f"KernelContext_Get{what}" for what in ("Input", "InputCount", "Output", "OutputCount")
]
# What functions refuse whose rows leave it to them.
CHECKED = """
ort_allocator: AllocatorAlloc AllocatorFree
out: AllocatorAlloc
info1: CompareMemoryInfo
mem_info: CreateAndRegisterAllocator CreateAndRegisterAllocatorV2 GetSharedAllocator
mem_info: UnregisterAllocator
logid: CreateEnv CreateEnvWithCustomLogger CreateEnvWithCustomLoggerAndGlobalThreadPools
logid: CreateEnvWithGlobalThreadPools
filepath: CreateExternalInitializerInfo
config_key: GetSessionConfigEntry HasSessionConfigEntry
kernel_def_builder: KernelDefBuilder_AddInputOutputAliases
kernel_def_builder: KernelDefBuilder_AddInputOutputMutableAliases
kernel_def_builder: KernelDefBuilder_AddTypeConstraint KernelDefBuilder_Build
kernel_def_builder: KernelDefBuilder_SetDomain KernelDefBuilder_SetExecutionProvider
kernel_def_builder: KernelDefBuilder_SetInputMemType KernelDefBuilder_SetOperatorType
kernel_def_builder: KernelDefBuilder_SetOutputMemType KernelDefBuilder_SetSinceVersion
ptr: MemoryInfoGetId MemoryInfoGetMemType MemoryInfoGetName MemoryInfoGetType
library_handle: RegisterCustomOpsLibrary
library_path: RegisterCustomOpsLibrary
options: RegisterCustomOpsLibrary RegisterCustomOpsLibrary_V2 RegisterCustomOpsUsingFunction
library_name: RegisterCustomOpsLibrary_V2
registration_func_name: RegisterCustomOpsUsingFunction
env: RegisterExecutionProviderLibrary
path: RegisterExecutionProviderLibrary
registration_name: RegisterExecutionProviderLibrary UnregisterExecutionProviderLibrary
"""

pytestmark = pytest.mark.slow


class Answer(NamedTuple):
    """What a call answered, and "written" if it wrote to the memory that it was given."""

    said: str
    written: str


Answers = dict[tuple[str, str, str], Answer]


def answers(library: Path, folder: Path) -> Answers:
    """What each list, slot and argument is answered; nothing where the call crashed."""
    said = run(sys.executable, PROGRAM, library, str(API_VERSION), cwd=folder).stdout
    lines = (line.split("\t") for line in said.splitlines())
    return {(file, slot, null): Answer(*rest) for file, slot, null, *rest in lines}


@pytest.fixture(scope="module")
def of_the_core(core_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return answers(core_library, tmp_path_factory.mktemp("nulls"))


def refused(said: Answers) -> set[tuple[str, str, str]]:
    """The NULLs that a library of this kind names, as an invalid argument or a failure."""
    return {
        key
        for key, answer in said.items()
        if answer.said.startswith(
            tuple(f"{code} {key[1]}: {key[2]} must not be NULL" for code in (2, 6))
        )
    }


def test_a_null_is_refused_by_the_name_of_its_argument_if_not_taken(of_the_core: Answers) -> None:
    every = {
        (file, slot.name, null)
        for file, slot in SLOTS
        if kind_of(slot) == "status"
        for null in pointers(slot)
    }
    may_be = {(slot.name, null) for _, slot in SLOTS for null in slot.optional}
    taken = {key[1:] for key in every - refused(of_the_core)}
    lines = (line.split(": ") for line in CHECKED.split("\n") if line)
    checked = {(slot, null) for null, slots in lines for slot in slots.split()}
    assert taken - may_be == {(slot, "out") for slot in AFTER_OTHERS}
    assert (may_be - taken) & {key[1:] for key in every} == checked
    assert len(every) > 4 * len(taken)


def test_a_call_that_refuses_a_null_writes_nothing(of_the_core: Answers) -> None:
    assert [key for key in refused(of_the_core) if of_the_core[key].written] == []


def test_a_null_ends_no_process_that_other_memory_does_not_end(of_the_core: Answers) -> None:
    ended = {(file, slot.name) for file, slot in SLOTS if (file, slot.name, "") not in of_the_core}
    others = [(file, slot) for file, slot in SLOTS if (file, slot.name) not in ended]
    assert len(others) > 500
    for file, slot in others:
        for null in pointers(slot):
            assert (file, slot.name, null) in of_the_core


def test_a_call_without_status_answers_a_null_with_nothing(of_the_core: Answers) -> None:
    others = [(file, slot) for file, slot in SLOTS if kind_of(slot) != "status"]
    for file, slot in others:
        for null in pointers(slot):
            if slot.name != "CreateStatus":
                assert of_the_core[file, slot.name, null].said in ("", "''", "0"), (slot.name, null)


def test_all_other_calls_of_stubs_are_not_implemented(of_the_core: Answers) -> None:
    stubs = {(file, slot.name) for file, slot in SLOTS if slot.who in ("ENGINE", "NOT_YET")}
    others = {key for key in of_the_core.keys() - refused(of_the_core) if key[:2] in stubs}
    assert {key[:2] for key in others if of_the_core[key].said[:1] == "9"} == {
        (file, slot.name)
        for file, slot in SLOTS
        if (file, slot.name) in stubs and kind_of(slot) == "status"
    }
    for key in others:
        said = of_the_core[key].said
        assert said in ("", "0") or said.startswith(f"9 {key[1]} "), key


def test_the_core_refuses_each_null_that_the_real_library_refuses(
    of_the_core: Answers, real_library: Path, tmp_path: Path
) -> None:
    if (release_of(real_library.name) or "").split(".")[1:2] != [str(API_VERSION)]:
        pytest.skip(f"{real_library.name} has other slots")
    real = answers(real_library, tmp_path)
    status = {(file, slot.name) for file, slot in SLOTS if kind_of(slot) == "status"}
    refuses = {
        key
        for key, answer in real.items()
        if key[:2] in status and answer.said[:2] == "2 " and answer != real.get((*key[:2], ""))
    }
    assert len(refuses) > 200
    taken = {key for key in refuses if of_the_core[key].said[:2] not in ("2 ", "6 ")}
    assert taken == set()
