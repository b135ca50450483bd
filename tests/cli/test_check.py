# SPDX-License-Identifier: MIT
"""The command ``ortcffi check``, on libraries in C that are right or wrong in one way."""

import json
import time
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support import eps
from support.paths import CHECKOUT

from ortcffi.__main__ import main
from ortcffi.cli import check as command
from ortcffi.cli import check_ep, check_ops
from ortcffi.cli.check_file import missing_symbols, read_facts
from ortcffi.cli.check_report import Finding, Report, as_junit


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
        return code, [finding["text"] for finding in report["findings"]], report

    return check


CRASHED = "checked:Nothing: it crashes (SIGABRT), while a kernel is made with attributes {}"


@pytest.fixture
def check(check_source, request):
    """``check(*flags)`` is the same on a library of tests/c/clients/checked_ops.c, by forks."""
    request.getfixturevalue("forks")
    return lambda *flags, **given: check_source("checked_ops.c", *flags, **given)


@pytest.fixture
def findings_of(built):
    """``findings_of(step, name, *flags)`` has what one step of the command finds in a library."""

    def findings_of(step, name, *flags):
        report = Report(built(name, *flags))
        step(report)
        return [finding.text for finding in report.findings]

    return findings_of


def junit_of(file):
    """The suite in a file of JUnit's XML, and the messages of the failures of each of its cases."""
    (suite,) = ET.parse(file).getroot()
    cases = {
        case.get("name"): [failure.get("message") for failure in case.findall("failure")]
        for case in suite.iter("testcase")
    }
    return suite, cases


def test_a_good_library_has_no_findings(check_source, tmp_path):
    file = tmp_path / "ops.xml"
    code, findings, report = check_source("checked_ops.c", options=["--junit", str(file)])
    assert (code, findings) == (0, [])
    assert "registers 1 op on the core: checked:Nothing" in report["notes"]
    assert report["summary"][0].startswith("1 of 1 ops were tried, with 20 inputs, on the core, a")
    suite, cases = junit_of(file)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "0", "0")
    assert cases == {"the library": [], "checked:Nothing": []}
    assert "registers 1 op" in suite.findtext("system-out")


def test_a_kernel_that_crashes_is_a_finding_and_a_failure_of_its_op_in_junits_xml(check, tmp_path):
    file = tmp_path / "ops.xml"
    code, findings, _ = check("-DCRASHES", options=["--junit", str(file)])
    assert code == 1
    assert findings == [CRASHED]
    suite, cases = junit_of(file)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert cases == {"the library": [], "checked:Nothing": [CRASHED]}
    assert "registers 1 op" in suite.findtext("system-out")


def test_a_file_that_cannot_be_written_is_an_error(tmp_path, capfd):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(SystemExit):
        main(["check", "--junit", str(tmp_path), str(tmp_path / "text.so")])
    assert str(tmp_path) in capfd.readouterr().err


def test_junits_xml_has_no_characters_that_xml_forbids():
    finding = Finding("file", "it has \x00, \ud800 and <")
    (suite,) = ET.fromstring(as_junit([Report("a.so", [finding])]))
    assert suite.find("testcase/failure").get("message") == "it has \ufffd, \ufffd and <"


def test_what_kernels_leave_is_a_finding_with_the_slot_that_made_it(check):
    code, findings, _ = check("-DLEAKS")
    assert code == 1
    [called, made] = findings
    kind, slot = "tensor type and shape info", "GetTensorTypeAndShape"
    left = f"leave 200 of kind {kind!r}, made by {slot} (200)"
    assert called == f"checked:Nothing: 200 calls of its kernel {left}"
    assert "200 kernels that were made and destroyed leave 200 of kind 'status'" in made
    assert "made by KernelInfoGetAttribute_int64 (200)" in made


def test_a_slot_beyond_the_version_that_was_asked_for_is_a_finding(check):
    code, findings, _ = check("-DLATE", "-DASKS=16")
    assert code == 1
    message = (
        "checked:Nothing: it calls KernelInfo_GetOperatorSinceVersion of API version 24, and asks"
    )
    assert findings == [f"{message} for version 16, whose table ends before: older hosts crash"]


def test_a_newer_slot_on_an_older_host_that_the_library_accepts_is_a_finding(check):
    flags = "-DASKS=24", "-DOR_ASKS=16"
    message = (
        "checked:Nothing: on a host of API version 16, for which it asks where there is no newer "
        "one, it calls KernelInfo_GetOperatorSinceVersion of API version 24: such hosts crash"
    )
    assert check("-DLATE", *flags)[:2] == (1, [message])
    assert check("-DLATE=is_new", *flags)[:2] == (0, [])


def test_what_kernels_call_counts_for_the_lowest_host(check):
    code, findings, report = check("-DLATE", "-DASKS=28")
    assert (code, findings) == (0, [])
    assert "asks for API version 28, and needs 24: older hosts could run it" in report["notes"]
    _, _, report = check("-DASKS=28")
    assert "asks for API version 28, and needs 8: older hosts could run it" in report["notes"]


@pytest.mark.usefixtures("forks")
def test_experimental_functions_that_newer_libraries_lack_are_a_finding(findings_of):
    names = "OrtEpApi_ReleaseEpContextConfig_SinceV28", "OrtApi_ExperimentalApiTest_SinceV28"
    calls = ";".join(f'(void)base->GetApi(28)->GetExperimentalFunction("{name}")' for name in names)
    flags = f"-DFIRST={calls}", "-DASKED=28"
    [found] = findings_of(command._check_file, "custom_ops.c", *flags)
    assert found == (
        "it asks for experimental functions, which only ONNX Runtime 1.28 to 1.30 has: " + names[0]
    )


@pytest.mark.usefixtures("forks")
def test_an_op_that_is_registered_twice_is_a_finding(findings_of):
    message = "checked:Nothing is registered twice for one version and the same types of inputs"
    flag = "-DAGAIN=plain_type"
    assert findings_of(check_ops._names, "checked_ops.c", flag) == [message]


def test_ops_of_one_name_for_other_types_are_right(check):
    assert check("-DAGAIN=integers")[:2] == (0, [])


def test_an_op_that_could_not_be_tried_is_not_ok(check, tmp_path):
    file = tmp_path / "ops.xml"
    code, findings, report = check("-DREFUSES", options=["--junit", str(file)])
    why = "no kernel was made: Nothing 'node': no kernel today"
    assert (code, findings, report["untried"]) == (3, [], {"checked:Nothing": why})
    suite, _ = junit_of(file)
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    [error] = suite.iter("error")
    assert error.get("message") == f"it could not be tried: {why}"


def test_an_op_that_crashes_only_with_made_up_attributes_could_not_be_tried(check):
    code, findings, report = check("-DCRASHES_ON_ATTRIBUTE")
    why = "it crashes (SIGABRT), while a kernel is made with attributes {'buckets': 1}"
    assert (code, findings, report["untried"]) == (3, [], {"checked:Nothing": why})


def test_an_op_of_several_inputs_may_leave_its_output_if_their_shapes_differ(check):
    code, findings, report = check("-DLEAVES=1")
    assert (code, findings) == (3, [])
    assert "the inputs have as many elements" in report["untried"]["checked:Nothing"]
    code, [found], _ = check("-DLEAVES=0")
    assert code == 1
    assert "it did not write element 0 of output 0, with inputs float32[2, 3], float32[2" in found


def test_a_kernel_that_ends_the_process_as_it_computes_is_a_finding(check):
    code, findings, _ = check("-DCRASHES_ON_INPUTS")
    message = "checked:Nothing: it crashes (SIGABRT), with inputs float32[2, 3]"
    assert (code, findings) == (1, [message])


def test_what_a_library_prints_before_it_ends_the_process_is_shown(check_source):
    # Not in a fork: exit() would wait there for threads of another library that forks have not.
    _, findings, _ = check_source("checked_ops.c", "-DPRINTS")
    message = "on the core: it ends the process, with exit code 1; it printed: a runtime must come"
    assert findings[0].startswith(message)


@pytest.mark.usefixtures("forks")
def test_a_missing_function_is_a_finding(findings_of):
    [found] = findings_of(check_ops._names, "checked_ops.c", "-DLACKS")
    assert "GetExecutionProviderType is NULL" in found


def test_a_host_found_by_name_is_a_finding(check):
    _, findings, _ = check("-DBY_NAME")
    assert any("finds OrtGetApiBase by name" in text for text in findings)


def test_what_is_no_library_is_a_finding(tmp_path, capsys):
    (tmp_path / "text.so").write_text("text")
    assert main(["check", str(tmp_path / "text.so")]) == 1
    assert "FINDING (file): is no ELF file" in capsys.readouterr().out
    (tmp_path / "ep.py").write_text("")
    assert main(["check", str(tmp_path / "ep.py")]) == 1
    text = "FINDING (file): it is no library: try a provider written in Python with ort.Ep"
    assert text in capsys.readouterr().out


def test_an_undefined_symbol_is_missing_unless_a_needed_library_defines_it(compile_c):
    def missing(*flags):
        source, always = CHECKOUT / "tests/c/clients/checked_ops.c", ["-shared", "-fPIC"]
        path = str(compile_c(source, *always, "-fno-builtin", *flags))
        return missing_symbols(path, read_facts(path))

    assert missing("-DCALLS=cblas_dgemm_of_nobody") == ["cblas_dgemm_of_nobody"]
    assert missing("-DCALLS=cos", "-Wl,--no-as-needed", "-lm") == []
    # The process has libm, so the library loads here, but elsewhere it may not.
    assert missing("-DCALLS=cos") == ["cos"]


def test_a_missing_symbol_is_a_finding(check):
    code, findings, _ = check("-DCALLS=cblas_dgemm_of_nobody")
    assert code == 1
    assert "no library that it needs defines cblas_dgemm_of_nobody" in findings[0]


@pytest.fixture
def check_eps(check_source, request):
    """``check_eps(*flags)`` is the same on a library of tests/c/clients/ep_factories.c."""
    request.getfixturevalue("forks")
    return lambda *flags, **given: check_source("ep_factories.c", *flags, **given)


def test_a_good_library_of_execution_providers_has_no_findings(check_eps):
    code, findings, report = check_eps()
    assert (code, findings) == (0, [])
    assert "makes a factory of NothingEP 1.2.3 by nobody" in report["notes"]
    assert report["registrations"][0]["asked"] == [23]


@pytest.mark.usefixtures("forks")
def test_rules_are_cases_of_junits_xml_and_rows_of_a_page(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("BREAKS", "computes-what-others-do")
    # The next test tries all rules.
    few = ("registers", "has-the-functions-of-a-factory", "computes-what-others-do")
    rules = [rule for rule in check_ep.RULES if rule.name in few or rule.with_failures]
    monkeypatch.setattr(check_ep, "RULES", rules)
    library = eps.built(CHECKOUT / "tests/c/clients/breaking_ep.c")
    xml, page = tmp_path / "ep.xml", tmp_path / "ep.html"
    files = ["--junit", str(xml), "--html", str(page)]
    given = ["--conformance", "--hosts", "24,core", "--failures", "1", *files, str(library)]
    assert main(["check", *given]) == 1
    printed = capfd.readouterr().out
    assert "FINDING (computes-what-others-do): on 24, core: sum, made by" in printed
    (suite,) = ET.parse(xml).getroot()
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert "differs by 1" in cases["computes-what-others-do on 24"].find("failure").get("message")
    assert cases["registers on core"].find("failure") is None
    assert suite.get("skipped") == "0"
    text = page.read_text()
    assert '<td class="kept" title="">kept</td>' in text
    assert '<h2 id="computes-what-others-do">' in text


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


def test_arguments_that_are_wrong_are_refused(capfd):
    for wrong, text in [
        (["--option", "key"], "expected KEY=VALUE, not 'key'"),
        (["--hardware", "FPGA"], "kind must be one of CPU, GPU, NPU, not 'FPGA'"),
        (["--hosts", "99"], "99"),
        (["--rtol", "nan"], "--rtol: expected a number of 0 or more, not 'nan'"),
        (["--atol", "-1"], "--atol: expected a number of 0 or more, not '-1'"),
        (["--failures", "-3"], "--failures: expected a whole number of 0 or more, not '-3'"),
        (["--html", "no/such/page.html"], "--html: no/such/page.html cannot be written: its"),
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


def test_the_page_of_a_path_that_is_not_utf_8_is_written(tmp_path):
    page = tmp_path / "page.html"
    assert main(["check", "--html", str(page), str(tmp_path / "a\udcff.so")]) == 1
    assert "<h1>a\\udcff.so</h1>" in page.read_text("utf-8")


def test_what_a_factory_lacks_is_a_finding(check_eps):
    _, findings, _ = check_eps("-DWRONG", options=["--hosts", "core"])
    [found] = [text for text in findings if "NothingEP first" in text]
    for message in [
        "GetVendor is NULL, which ONNX Runtime calls",
        "GetVendorId is NULL, which ONNX Runtime calls",
        "CreateDataTransfer is NULL, which ONNX Runtime calls",
        "it has only one of CreateAllocator and ReleaseAllocator",
        "its version 'first' is no semantic version, such as 1.2.3",
    ]:
        assert f"NothingEP first: {message}" in found


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("-DCRASHES", "on the core: it crashes (SIGABRT)"),
        ("-DREFUSES", "on the core: EP_FAIL: no factory today"),
        ("-DENDLESS", "on the core: it does not define ReleaseEpFactory, with which the factories"),
    ],
)
def test_factories_that_are_not_made_or_ended_are_a_finding(check_eps, flag, message):
    code, findings, _ = check_eps(flag)
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


@pytest.mark.parametrize("wrong", ["0", "-1", "nan", "soon"])
def test_a_limit_must_be_a_number_of_seconds(wrong, capfd):
    with pytest.raises(SystemExit):
        main(["check", "--timeout", wrong, "a.so"])
    assert "expected a number of seconds above 0" in capfd.readouterr().err
