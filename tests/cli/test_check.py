# SPDX-License-Identifier: MIT
"""The command ``ortcffi check``, on libraries in C that are right or wrong in one way."""

import json
import sys
import time
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support import eps
from support.paths import CHECKOUT

from ortcffi.__main__ import main
from ortcffi.cli import check_ep
from ortcffi.cli.check_report import Report, as_junit
from ortcffi.testing.rules import Result

pytestmark = pytest.mark.slow


@pytest.fixture
def built(compile_c):
    """``built(name, *flags)`` is a library of tests/c/clients."""
    always = ["-shared", "-fPIC", "-fvisibility=hidden"]
    return lambda name, *flags: str(compile_c(CHECKOUT / "tests/c/clients" / name, *always, *flags))


@pytest.fixture
def check_source(built, capfd):
    """``check_source(name, *flags)`` is the exit code and the report on a library in C."""

    def check(name, *flags, options=()):
        code = main(["check", "--json", *options, built(name, *flags)])
        message = capfd.readouterr()
        assert message.err == ""
        [report] = json.loads(message.out)["libraries"]
        must = [finding["text"] for finding in report["findings"] if finding["kind"] == "must"]
        return code, must, report

    return check


CRASHED = "it crashes (SIGABRT), while a kernel is made with attributes {}"


@pytest.fixture
def check(check_source, request):
    """``check(*flags)`` is the same on a library of tests/c/clients/checked_ops.c, by forks."""
    request.getfixturevalue("forks")
    return lambda *flags, **given: check_source("checked_ops.c", *flags, **given)


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("seconds", ["600", "6"])
def test_what_ends_an_op_that_needs_its_attribute_is_told(compile_c, capfd, seconds):
    source = (CHECKOUT / "docs/guide/scale_op.c").read_text()
    wrong = "raise(SIGSEGV);" if seconds == "600" else "for (;;) {}"
    text = source.replace("  for (", f"  {wrong}\n  for (", 1)
    library = compile_c("#include <signal.h>\n" + text, "-shared", "-fPIC")
    code = main(["check", "--json", "--timeout", seconds, str(library)])
    [report] = json.loads(capfd.readouterr().out)["libraries"]
    if seconds == "600":
        [why] = report["untried"].values()
        assert (code, why[:23]) == (3, "it crashes (SIGSEGV), w")
        assert "made-up attributes {'factor': 1.0}" in why
    else:
        assert (code, [each["rule"] for each in report["findings"]]) == (1, ["time"])


def junit_of(file):
    """The suite in a file of JUnit's XML, and its cases that are no success: tag and message."""
    (suite,) = ET.parse(file).getroot()
    cases = {case.get("name"): list(case) for case in suite.iter("testcase")}
    return suite, {
        name: (found[0].tag, found[0].get("message")) for name, found in cases.items() if found
    }


def test_a_good_library_has_no_findings(check_source, tmp_path):
    file = tmp_path / "ops.xml"
    code, findings, report = check_source("checked_ops.c", options=["--junit", str(file)])
    assert (code, findings) == (0, [])
    assert "registers 1 op on the core: checked:Nothing" in report["notes"]
    assert report["summary"][0].startswith("1 of 1 ops were tried, with 20 inputs, on core, 8")
    suite, _ = junit_of(file)
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert "registers 1 op" in suite.findtext("system-out")


KIND, SLOT = "tensor type and shape info", "GetTensorTypeAndShape"
LATE = "KernelInfo_GetOperatorSinceVersion of API version 24"
OF_OP = "checked:Nothing: "
NAMES = "OrtEpApi_ReleaseEpContextConfig_SinceV28", "OrtApi_ExperimentalApiTest_SinceV28"
ASKS = ";".join(f'(void)base->GetApi(28)->GetExperimentalFunction("{name}")' for name in NAMES)
OF_28 = "it asks for experimental functions, which only ONNX Runtime 1.28 to 1.30 has: "
WRONG_OPS = {  # the library and its flags: the beginnings of what is found
    ("checked_ops.c", "-DCRASHES"): [OF_OP + CRASHED],
    ("checked_ops.c", "-DCRASHES_ON_INPUTS"): [
        OF_OP + "it crashes (SIGABRT), with inputs float32[2, 3]"
    ],
    ("checked_ops.c", "-DLEAKS"): [
        f"{OF_OP}200 calls of its kernel leave 200 of kind {KIND!r}, made by {SLOT} (200)",
        f"{OF_OP}200 kernels that were made and destroyed leave 200 of kind 'status', made by ",
    ],
    ("checked_ops.c", "-DLATE", "-DASKS=16"): [
        f"{OF_OP}it calls {LATE}, and asks for version 16, whose table ends before: older hosts "
    ],
    ("checked_ops.c", "-DLATE", "-DASKS=24", "-DOR_ASKS=16"): [
        f"{OF_OP}on 16: it calls {LATE}, and asks for version 16, whose table ends before"
    ],
    ("checked_ops.c", "-DAGAIN=plain_type"): [
        OF_OP + "it is registered twice for one version and the same types of inputs"
    ],
    ("checked_ops.c", "-DLEAVES=0"): [
        OF_OP + "it did not write element 0 of output 0, with inputs float32[2, 3], float32[2"
    ],
    ("checked_ops.c", "-DBY_NAME"): ["it finds OrtGetApiBase by name"],
    ("checked_ops.c", "-DCALLS=cblas_dgemm_of_nobody"): [
        "no library that it needs defines cblas_dgemm_of_nobody: link it with"
    ],
    # The process has libm, so the library loads here, but elsewhere it may not.
    ("checked_ops.c", "-fno-builtin", "-DCALLS=cos"): ["no library that it needs defines cos"],
    ("custom_ops.c", f"-DFIRST={ASKS}", "-DASKED=28"): [OF_28 + NAMES[0]],
}


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("given", WRONG_OPS, ids=lambda given: " ".join(given)[:40])
def test_what_is_wrong_with_a_library_is_a_finding(check_source, given):
    code, findings, _ = check_source(*given)
    assert code == 1
    for text in WRONG_OPS[given]:
        assert [found for found in findings if found.startswith(text)], findings


@pytest.mark.parametrize(
    "flags",
    [
        ["-DLATE=is_new", "-DASKS=24", "-DOR_ASKS=16"],
        ["-DAGAIN=integers"],
        ["-fno-builtin", "-DCALLS=cos", "-Wl,--no-as-needed", "-lm"],
    ],
)
def test_what_is_right_is_no_finding(check, flags):
    assert check(*flags)[:2] == (0, [])


def test_a_crash_is_a_failure_of_its_rule_in_junits_xml(check, tmp_path):
    file = tmp_path / "ops.xml"
    check("-DCRASHES", options=["--junit", str(file)])
    suite, cases = junit_of(file)
    assert suite.get("failures") == "1"
    assert cases["makes-a-kernel of checked:Nothing on core"] == ("failure", CRASHED)


def test_a_rule_that_is_waived_is_no_failure(check, tmp_path):
    file, page = tmp_path / "ops.xml", tmp_path / "ops.md"
    waived = ["--waive", "calls-leave-nothing=known", "--waive", "kernels-leave-nothing=too"]
    given = [*waived, "--junit", str(file), "--statement", str(page)]
    assert check("-DLEAKS", options=given)[0] == 0
    assert junit_of(file)[0].get("failures") == "0"
    assert "| `calls-leave-nothing` | waived | checked:Nothing: 200 calls" in page.read_text()
    assert "Waived: known" in page.read_text()


def test_a_file_that_cannot_be_written_is_an_error(tmp_path, capfd):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(SystemExit):
        main(["check", "--junit", str(tmp_path), str(tmp_path / "text.so")])
    assert str(tmp_path) in capfd.readouterr().err


def test_junits_xml_has_no_characters_that_xml_forbids():
    broken = Result("is-a-library", "", "broken", "it has \x00, \ud800 and <")
    (suite,) = ET.fromstring(as_junit([Report("a.so", results=[broken])]))
    assert suite.find("testcase/failure").get("message") == "it has \ufffd, \ufffd and <"


def test_what_kernels_call_counts_for_the_lowest_host(check):
    code, findings, report = check("-DLATE", "-DASKS=28")
    assert (code, findings) == (0, [])
    assert "asks for API version 28, and needs 24: older hosts could run it" in report["notes"]
    _, _, report = check("-DASKS=28")
    assert "asks for API version 28, and needs 8: older hosts could run it" in report["notes"]


NO_KERNEL = "no kernel was made: Nothing 'node': no kernel today"
UNTRIED = {
    "-DREFUSES": NO_KERNEL,
    "-DCRASHES_ON_ATTRIBUTE": "it crashes (SIGABRT), while a kernel is made with attributes "
    "{'buckets': 1}",
    "-DLEAVES=1": "no kernel computed: checked:Nothing: it did not write element 0 of output 0",
}


@pytest.mark.parametrize("flag", UNTRIED)
def test_an_op_that_could_not_be_tried_is_not_ok(check, tmp_path, flag):
    file = tmp_path / "ops.xml"
    code, findings, report = check(flag, options=["--junit", str(file)])
    assert (code, findings) == (3, [])
    assert report["untried"]["checked:Nothing"].startswith(UNTRIED[flag]) or flag == "-DLEAVES=1"
    suite, cases = junit_of(file)
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    [message] = [text for tag, text in cases.values() if tag == "error"]
    assert message == report["untried"]["checked:Nothing"]


def test_what_a_library_prints_before_it_ends_the_process_is_shown(check_source):
    # Not in a fork: exit() would wait there for threads of another library that forks have not.
    _, findings, _ = check_source("checked_ops.c", "-DPRINTS")
    message = "on core: it ends the process, with exit code 1; it printed: a runtime must come"
    assert findings[0].startswith(message)


def test_a_missing_function_is_a_finding(check):
    _, findings, _ = check("-DLACKS")
    assert any("GetExecutionProviderType is NULL" in text for text in findings)


def test_what_is_no_library_is_a_finding(tmp_path, capsys):
    (tmp_path / "text.so").write_text("text")
    assert main(["check", str(tmp_path / "text.so")]) == 1
    assert "FINDING (is-a-library): is no ELF file" in capsys.readouterr().out
    (tmp_path / "ep.py").write_text("")
    assert main(["check", str(tmp_path / "ep.py")]) == 1
    text = "FINDING (is-a-library): it is no library: try a provider written in Python with ort.Ep"
    assert text in capsys.readouterr().out


@pytest.fixture
def check_eps(check_source, request, monkeypatch):
    """``check_eps(breaks, *flags)`` is the same on a library of tests/c/clients/breaking_ep.c."""
    request.getfixturevalue("forks")

    def check(breaks, *flags, **given):
        monkeypatch.setenv("BREAKS", breaks)
        return check_source("breaking_ep.c", *flags, **given)

    return check


def test_a_good_library_of_execution_providers_has_no_findings(check_eps):
    code, findings, report = check_eps("finds-a-device")
    assert (code, findings) == (0, [])
    assert "makes a factory of ortcffi 1.0.0 by the guide" in report["notes"]
    assert report["registrations"][0]["asked"] == [23]


@pytest.mark.usefixtures("forks")
def test_rules_are_cases_of_junits_xml_and_rows_of_a_statement(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("BREAKS", "computes-what-others-do")
    # The next test tries all rules.
    few = ("registers", "has-the-functions-of-a-factory", "computes-what-others-do")
    rules = [rule for rule in check_ep.RULES if rule.name in few or rule.with_failures]
    monkeypatch.setattr(check_ep, "RULES", rules)
    library = eps.built(CHECKOUT / "tests/c/clients/breaking_ep.c")
    xml, page = tmp_path / "ep.xml", tmp_path / "ep.md"
    files = ["--junit", str(xml), "--statement", str(page)]
    given = ["--conformance", "--hosts", "24,core", "--failures", "1", *files, str(library)]
    assert main(["check", *given]) == 1
    printed = capfd.readouterr().out
    assert "FINDING (computes-what-others-do): on 24, core: sum, made by" in printed
    suite, cases = junit_of(xml)
    tag, message = cases["computes-what-others-do on 24"]
    assert tag == "failure"
    assert "differs by 1" in message
    assert "registers on core" not in cases
    assert suite.get("skipped") == "0"
    rows = [line.replace(" ", "") for line in page.read_text().splitlines()]
    assert "|24|2|2|0|0|0|" in rows  # passed, failed, waived, may, not tried
    assert "| `computes-what-others-do` | must | on 24, core: sum, made by" in page.read_text()


@pytest.mark.usefixtures("forks")
def test_a_library_is_checked_with_a_model_and_its_inputs(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("BREAKS", raising=False)
    model, inputs = tmp_path / "add.onnx", tmp_path / "inputs.npz"
    eps.added().save(model)
    np.savez(inputs, x=np.ones(3, np.float32))
    library = str(eps.built(eps.ADDING))
    files = ["--model", str(model), "--inputs", str(inputs), "--against", library]
    assert main(["check", *files, "--hosts", "core", "--failures", "0", library]) == 0
    assert "28 of 31 rules are kept on core, 3 not tried, in " in capfd.readouterr().out


@pytest.mark.usefixtures("forks")
def test_a_model_whose_types_nobody_can_infer_is_not_ok(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("BREAKS", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    graph = eps.added().edit()
    graph.node("Add", ["y", "y"], ["z"])
    graph.output("z")
    del graph.outputs["y"]
    graph.save(tmp_path / "untyped.onnx")
    library = str(eps.built(eps.ADDING))
    few = ["--hosts", "core", "--failures", "0", library]
    assert main(["check", "--conformance", *few]) == 0
    assert "28 of 31 rules are kept on core" in capfd.readouterr().out
    model = ["--model", str(tmp_path / "untyped.onnx"), "--against", library]
    assert main(["check", *model, *few]) == 3
    printed = capfd.readouterr().out
    assert "NOT TRIED: rules about values between nodes: types of inner values come" in printed
    assert "not ok: nothing is known to be wrong, but not all could be tried" in printed


def test_arguments_that_are_wrong_are_refused(capfd):
    for wrong, text in [
        (["--option", "key"], "expected KEY=VALUE, not 'key'"),
        (["--hardware", "FPGA"], "kind must be one of CPU, GPU, NPU, not 'FPGA'"),
        (["--hosts", "99"], "99"),
        (["--hosts", "core,nope"], "'nope' is no host: give core, real, a release"),
        (["--rtol", "nan"], "--rtol: expected a number of 0 or more, not 'nan'"),
        (["--atol", "-1"], "--atol: expected a number of 0 or more, not '-1'"),
        (["--failures", "-3"], "--failures: expected a whole number of 0 or more, not '-3'"),
        (["--statement", "no/such/page.md"], "--statement: no/such/page.md cannot be written: its"),
        (["--waive", "nothing=why"], "--waive: there is no rule 'nothing'"),
        (["--conformance", "--inputs", "x.npz"], "--inputs needs --model"),
        (["--conformance", "--against", "onnx"], "--against needs --model"),
        (["reference"], "'reference' is a provider in Python: give a library"),
        (["nxrtt"], "'nxrtt' is no file and no provider: did you mean 'nxrt'?"),
        *(
            (["--timeout", wrong], "expected a number of seconds above 0")
            for wrong in ("0", "-1", "nan", "soon")
        ),
        (["--junit", "."], "--junit: . cannot be written: it is a folder"),
    ]:
        with pytest.raises(SystemExit):
            main(["check", *wrong, "a.so"])
        assert text in capfd.readouterr().err


def test_inputs_that_are_no_arrays_by_name_are_refused(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("BREAKS", raising=False)
    model, inputs = tmp_path / "add.onnx", tmp_path / "x.npy"
    eps.added().save(model)
    np.save(inputs, np.ones(3, np.float32))
    with pytest.raises(SystemExit):
        main(["check", "--model", str(model), "--inputs", str(inputs), str(eps.built(eps.ADDING))])
    assert f"--inputs: {inputs} is no file of numpy.savez" in capfd.readouterr().err


def test_the_report_of_a_path_that_is_not_utf_8_is_written(tmp_path):
    file = tmp_path / "check.xml"
    assert main(["check", "--junit", str(file), str(tmp_path / "a\udcff.so")]) == 1
    assert "a\ufffd.so" in file.read_text("utf-8")


def test_what_a_factory_lacks_is_a_finding(check_eps):
    _, findings, _ = check_eps("has-many-functions", options=["--hosts", "core"])
    [found] = [text for text in findings if "ortcffi first" in text]
    for message in [
        "GetVendor is NULL, which ONNX Runtime calls",
        "GetVendorId is NULL, which ONNX Runtime calls",
        "CreateDataTransfer is NULL, which ONNX Runtime calls",
        "it has only one of CreateAllocator and ReleaseAllocator",
        "its version 'first' is no semantic version, such as 1.2.3",
    ]:
        assert f"ortcffi first: {message}" in found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["returns-from-registration"], "on core: it crashes (SIGABRT)"),
        (["registers"], "on core: EP_FAIL: no factory today"),
        (
            ["", "-DENDLESS"],
            "on core: it does not define ReleaseEpFactory, with which the factories",
        ),
    ],
)
def test_factories_that_are_not_made_or_ended_are_a_finding(check_eps, words, message):
    code, findings, _ = check_eps(*words)
    assert code == 1
    assert findings[0].startswith(message)


UP = "not all was tried within 2 seconds, the limit that --timeout sets"


def test_ops_that_hang_take_no_longer_than_the_limit(check_source):
    begin = time.monotonic()
    code, findings, _ = check_source("checked_ops.c", "-DHANGS", options=["--timeout", "2"])
    assert time.monotonic() - begin < 30
    assert code == 1
    assert findings[0].startswith("checked:Nothing: it does not return within ")
    assert findings[-1] == UP


@pytest.mark.usefixtures("forks")
def test_rules_are_tried_no_longer_than_the_limit(monkeypatch, capfd):
    library = eps.built(CHECKOUT / "tests/c/clients/breaking_ep.c")
    monkeypatch.setenv("BREAKS", "hangs-in-compile")
    given = ["check", "--conformance", "--hosts", "core", "--failures", "0", "--timeout", "2"]
    assert main([*given, str(library)]) == 1
    output = capfd.readouterr().out
    assert f"FINDING (time): {UP}" in output
    assert "not tried on core, because the time of the whole check is up: " in output


def test_a_provider_that_is_not_installed_is_named_with_its_package(monkeypatch, capfd):
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(SystemExit):
        main(["check", "ggml"])
    assert "'ggml' is not installed: run 'pip install onnxruntime-ggml'" in capfd.readouterr().err
