# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi check`` finds out about the registration of custom ops."""

import json
import os

import pytest
from support.paths import CHECKOUT
from support.versions import API_VERSION, VERSION_STRING

from ortcffi._native import slots
from ortcffi.cli import check_client
from ortcffi.table.trace import Needs

SLOTS = list(slots())
SOURCE = CHECKOUT / "tests/c/clients/custom_ops.c"
STATUS = 'api->ReleaseStatus(api->CreateStatus(ORT_FAIL,""))'
PAIRS = "api->ReleaseKeyValuePairs(NULL)"
REGISTRATION = {"CreateCustomOpDomain": 1, "CustomOpDomain_Add": 1, "AddCustomOpDomain": 1}


@pytest.fixture
def library(compile_c):
    """``library(ASKED=12)`` is custom_ops.c of tests/c/clients, which explains the words."""

    def library(*flags: str, **words: object) -> str:
        defined = [f"-D{name}={value}" for name, value in words.items()]
        return str(compile_c(SOURCE, "-shared", "-fPIC", *defined, *flags))

    return library


@pytest.fixture(autouse=True)
def by_forks(request):
    """But for tests whose name says so, no child starts Python anew."""
    if "in_a_new_process" not in request.node.name:
        request.getfixturevalue("forks")


def test_what_it_asks_for_and_calls_in_a_new_process_is_reported(library):
    found = check_client.examine(library(ASKED=12, WITH_TABLE=STATUS))
    assert found.host == f"ONNX Runtime {VERSION_STRING}"
    assert (found.asked, found.granted) == ((12,), True)
    assert found.called == {"CreateStatus": 1, "ReleaseStatus": 1, **REGISTRATION}
    assert found.needs == Needs(1, tuple(sorted(found.called, key=SLOTS.index)))
    assert found.problem is None


SAYS = "(unsigned)strtoul(base->GetVersionString()+2,NULL,10)"
NOISE = 'puts("[1]\\n{\\"done\\":0}\\n{");fputs("to stderr",stderr);fflush(stdout)'
REFUSE = 'if(!base->GetApi(24))return base->GetApi(1)->CreateStatus(ORT_FAIL,"too old")'
NEWEST = {"ASKED": 22, "WITH_TABLE": f"{STATUS};{PAIRS}"}
NEEDS_22 = {"needs": Needs(22, ("ReleaseKeyValuePairs",)), "asked": (22,)}
OLD = "ONNX Runtime 1.17.0"
EXAMINED = {  # the words of the library, the host, and some of what is found
    "the need is that of the newest slot": (NEWEST, "core", NEEDS_22),
    "so it is on an older host": (NEWEST, "22", NEEDS_22),
    "and on a real library": (NEWEST, "real", NEEDS_22),
    "a host that is too old grants nothing": (
        {"ASKED": 16, "WITH_TABLE": STATUS},
        "15",
        {"host": "ONNX Runtime 1.15.0", "asked": (16,), "granted": False, "called": {}},
    ),
    "one that asks for a fixed version does not adapt": (
        {"ASKED": API_VERSION},
        "core",
        {"asked": (API_VERSION,), "adapts": False},
    ),
    "one that asks for what the host says adapts": (
        {"ASKED": SAYS},
        "core",
        {"asked": (API_VERSION,), "adapts": True},
    ),
    "one that asks for an older version to refuse does not": (
        {"FIRST": REFUSE, "ASKED": 24},
        "24",
        {"asked": (24,), "adapts": False},
    ),
    "what it writes is no answer": (
        {"FIRST": NOISE},
        "core",
        {"problem": None, "printed": "to stderr"},
    ),
    **{
        f"{host} names a release": ({"ASKED": 1}, host, {"host": OLD, "host_version": 17})
        for host in ("17", "1.17", "1.17.3")
    },
}


@pytest.mark.usefixtures("real_api")
@pytest.mark.parametrize("name", EXAMINED)
def test_a_library_is_examined(library, name):
    words, host, facts = EXAMINED[name]
    found = check_client.examine(library(**words), host)
    assert {fact: getattr(found, fact) for fact in facts} == facts
    assert found.granted == bool(found.registered)
    assert found.granted or "only API versions [1, 15]" in found.printed


ODD = 'return api->CreateStatus(77,"odd")'
REFUSES = 'return api->CreateStatus(ORT_INVALID_GRAPH,"I will not")'
PROBLEMS = [  # words and flags of the library, what is wrong, and what it had called
    (["-DWITH_TABLE=" + REFUSES], "INVALID_GRAPH: I will not", {"CreateStatus": 1}),
    (["-DWITH_TABLE=" + ODD], "error code 77: odd", {"CreateStatus": 1}),
    *(
        ([f"-DWITH_TABLE={STATUS};{end}"], problem, {"CreateStatus": 1, "ReleaseStatus": 1})
        for end, problem in {
            "abort()": "it crashes (SIGABRT)",
            "raise(SIGSEGV)": "it crashes (SIGSEGV)",
            "_exit(3)": "it ends the process, with exit code 3",
            "_exit(0)": "it ends the process, with exit code 0",
        }.items()
    ),
    (["-DNO_OP"], "RegisterCustomOps succeeded but registered no op", {}),
    (["-DOP_FIELDS=.GetInputTypeCount=most"], f"declares {2**64 - 1} inputs", REGISTRATION),
]


@pytest.mark.parametrize(("flags", "problem", "called"), PROBLEMS)
def test_what_is_wrong_is_reported_with_what_it_called_before(library, flags, problem, called):
    found = check_client.examine(library(*flags))
    assert problem in found.problem
    assert found.called == called or "-DNO_OP" in flags


def test_what_it_called_before_it_hung_is_reported(library):
    path = library(WITH_TABLE=f"{STATUS};for(;;)pause()")
    found = check_client.examine(path, seconds=1)
    assert found.problem == "it does not return within 1 seconds"
    assert found.called == {"CreateStatus": 1, "ReleaseStatus": 1}


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ({"ASKED": 16, "OP_VERSION": 16}, (16, 16, ["CreateKernelV2", "KernelComputeV2"])),
        # Older hosts can run one that has both.
        ({"OP_VERSION": 22, "MORE": ".CreateKernel=create,"}, (22, 1, [])),
    ],
)
def test_what_the_struct_of_an_op_relies_on_counts(library, words, facts):
    fields = words.pop("MORE", ".GetInputTypeCount=none,.GetOutputTypeCount=none,")
    found = check_client.examine(library(**words, OP_FIELDS=f"{fields}.CreateKernelV2=create_v2"))
    assert [(op.version, op.needs, op.fields) for op in found.ops] == [facts]


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo.so")
    found = check_client.examine(str(tmp_path / "fifo.so"))
    assert found.problem == f"it cannot be loaded: {tmp_path / 'fifo.so'}: is not a regular file"


def test_one_that_finds_the_entry_by_name_in_a_new_process_is_helped(library):
    path = library(FIRST="if(OrtGetApiBase()->GetApi(ORT_API_VERSION)==NULL)abort()")
    found = check_client.examine(path)
    assert found.problem is None
    assert "needs ortcffi.expose_symbols()" in found.printed


def test_one_without_the_entry_is_no_custom_op_library(compile_c):
    path = compile_c("int nothing;", "-shared", "-fPIC")
    found = check_client.examine(str(path))
    assert found.problem == "it does not define RegisterCustomOps, as custom-op libraries do"


def test_a_host_that_cannot_be_loaded_is_named(library, tmp_path):
    found = check_client.examine(library(), str(tmp_path / "missing.so"))
    assert "missing.so' does not exist" in found.problem
    assert found.host == ""


def test_json_has_every_field(library):
    client = check_client.as_document(check_client.examine(library(WITH_TABLE=STATUS)))
    assert set(json.loads(json.dumps(client))) == set(check_client.Client._fields)
    assert client["needs"]["version"] == 1
    assert client["ops"][0]["name"] == "Nothing"
