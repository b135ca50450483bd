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


@pytest.mark.usefixtures("real_api")
@pytest.mark.parametrize("host", ["core", "22", "real"])
def test_the_need_is_that_of_the_newest_slot_on_each_host(library, host):
    found = check_client.examine(library(ASKED=22, WITH_TABLE=f"{STATUS};{PAIRS}"), host)
    assert found.needs == Needs(22, ("ReleaseKeyValuePairs",))
    assert found.asked == (22,)
    assert [(op.domain, op.name) for op in found.ops] == [("test.doctor", "Nothing")]


def test_a_host_that_is_too_old_grants_nothing(library):
    found = check_client.examine(library(ASKED=16, WITH_TABLE=STATUS), "15")
    assert (found.host, found.asked) == ("ONNX Runtime 1.15.0", (16,))
    assert not found.granted
    assert found.called == {}
    assert "only API versions [1, 15]" in found.printed


SAYS = "(unsigned)strtoul(base->GetVersionString()+2,NULL,10)"


@pytest.mark.parametrize(("asked", "adapts"), [(API_VERSION, False), (SAYS, True)])
def test_one_adapts_that_asks_for_what_the_host_says(library, asked, adapts):
    found = check_client.examine(library(ASKED=asked))
    assert (found.asked, found.adapts) == ((API_VERSION,), adapts)


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


def test_what_the_struct_of_an_op_relies_on_counts(library):
    fields = ".GetInputTypeCount=none,.GetOutputTypeCount=none,.CreateKernelV2=create_v2"
    found = check_client.examine(library(ASKED=16, OP_VERSION=16, OP_FIELDS=fields))
    (op,) = found.ops
    assert (op.version, op.needs, op.fields) == (16, 16, ("CreateKernelV2", "KernelComputeV2"))


def test_an_op_that_older_hosts_can_run_does_not_need_the_version_of_its_struct(library):
    fields = ".CreateKernel=create,.CreateKernelV2=create_v2"
    (op,) = check_client.examine(library(OP_VERSION=22, OP_FIELDS=fields)).ops
    assert (op.version, op.needs) == (22, 1)


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo.so")
    found = check_client.examine(str(tmp_path / "fifo.so"))
    assert found.problem == f"it cannot be loaded: {tmp_path / 'fifo.so'}: is not a regular file"


def test_what_it_writes_is_no_answer(library):
    noise = 'puts("[1]\\n{\\"done\\":0}\\n{");fputs("to stderr",stderr);fflush(stdout)'
    found = check_client.examine(library(FIRST=noise))
    assert (found.problem, found.printed) == (None, "to stderr")


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


@pytest.mark.parametrize("host", ["17", "1.17", "1.17.3"])
def test_a_release_is_named_by_its_number_or_its_api_version(library, host):
    found = check_client.examine(library(ASKED=1), host)
    assert (found.host, found.host_version) == ("ONNX Runtime 1.17.0", 17)


def test_one_that_asks_for_an_older_version_to_refuse_does_not_adapt(library):
    refuse = 'if(!base->GetApi(24))return base->GetApi(1)->CreateStatus(ORT_FAIL,"too old")'
    found = check_client.examine(library(FIRST=refuse, ASKED=24), "24")
    assert (found.asked, found.adapts) == ((24,), False)


def test_json_has_every_field(library):
    client = check_client.as_document(check_client.examine(library(WITH_TABLE=STATUS)))
    assert set(json.loads(json.dumps(client))) == set(check_client.Client._fields)
    assert client["needs"]["version"] == 1
    assert client["ops"][0]["name"] == "Nothing"
