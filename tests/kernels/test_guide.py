# SPDX-License-Identifier: MIT
"""The examples of the guide for authors of custom ops, in C and in C++."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.prepared import printed_by, run_program
from support.processes import run, run_pytest_in_fork

import ortcffi as ort
from ortcffi.__main__ import main
from ortcffi.cli.check_client import examine
from ortcffi.testing import compare_with_session

GUIDE = CHECKOUT / "docs/guide"
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def build(compiler, source, *flags):
    """The path of the library of an example."""
    path = build_folder(compiler, "guide") / f"{Path(source).stem}.so"
    flags = [*flags, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    include = f"-I{CHECKOUT / 'core/include'}"
    return compile_shared(path, [GUIDE], *compiler, *flags, include, GUIDE / source, "-o", path)


@pytest.fixture(scope="module")
def scale_library(c_compiler):
    return build(c_compiler, "scale_op.c")


@pytest.fixture(scope="module")
def checked_library(cxx_compiler):
    return build(cxx_compiler, "checked_op.cc", "-std=c++17")


@pytest.fixture(scope="module")
def scale(scale_library):
    return ort.CustomOpLibrary(scale_library)["my.domain", "Scale"]


@pytest.fixture(scope="module")
def checked(checked_library):
    return ort.CustomOpLibrary(checked_library)["my.domain", "Checked"]


def test_the_example_in_c_scales(scale):
    with scale.kernel({"factor": 2.0}) as kernel:
        np.testing.assert_array_equal(kernel(X), 2 * X)


@pytest.mark.usefixtures("forks")
def test_the_example_in_c_does_the_same_in_a_session(scale, real_api):
    compare_with_session(scale, [X], {"factor": 2.0}, api=real_api)


def test_a_missing_attribute_is_what_the_kernel_says(scale):
    with pytest.raises(ort.errors.Fail, match="factor"):
        scale.kernel()


def test_an_attribute_of_another_type_is_what_the_kernel_says(scale):
    with pytest.raises(ort.errors.Fail, match="type"):
        scale.kernel({"factor": "two"})


def test_the_example_in_cxx_throws_and_the_text_is_the_message(checked):
    with checked.kernel() as kernel:
        assert kernel([1, 2]).tolist() == [1, 2]
        with pytest.raises(ort.errors.RuntimeException, match="element 1 is negative"):
            kernel([1, -2])


def test_the_example_in_c_leaves_nothing_when_it_is_unloaded(scale_library):
    program = f"""
import ortcffi as ort
from ortcffi.testing.live_objects import left_alive, live_objects
before = live_objects()
for _ in range(2):
    with ort.CustomOpLibrary({str(scale_library)!r}) as library:
        assert library.ops
    del library
    assert not left_alive(before), left_alive(before)
"""
    printed_by(program)


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("example", ["scale_library", "checked_library"])
def test_an_example_refuses_a_host_that_is_too_old(request, example):
    found = examine(str(request.getfixturevalue(example)), "1.1")
    assert "needs ONNX Runtime 1." in found.problem


PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "ortcffi.testing.pytest_plugin"]
PYTEST += ["-p", "no:cacheprovider"]
PYTEST_ENVIRONMENT = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture
def project(tmp_path):
    """A folder with the tests and the ini file of the guide."""
    text = (GUIDE / "custom_ops.md").read_text()
    (tests,) = re.findall(r"```python\n(import numpy as np\nimport pytest.*?)```", text, re.DOTALL)
    (ini,) = re.findall(r"```ini\n(.*?)```", text, re.DOTALL)
    (tmp_path / "test_scale.py").write_text(tests)
    (tmp_path / "pytest.ini").write_text(ini)
    (tmp_path / "build").mkdir()
    return tmp_path


def test_the_example_for_pytest_passes(scale_library, project):
    shutil.copy(scale_library, project / "build/libmy_ops.so")
    output = run_pytest_in_fork(project)
    assert "3 passed" in output
    assert "LEFT" not in output


@pytest.mark.slow
@pytest.mark.usefixtures("forks")
def test_every_line_from_a_formula_to_an_op_runs(cxx_compiler, tmp_path, monkeypatch, capfd):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    page = (GUIDE / "custom_ops.md").read_text()
    text = page.split("## From a formula to an op")[1].split("\n## ")[0]
    program = []
    for language, lines in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        if language == "python":
            program.append(lines)
            continue
        for line in lines.splitlines():
            command, *words = line.replace("$(ortcffi config --cflags)", "").split()
            if command == "c++":
                source, output, library = words[-3:]
                assert output == "-o"
                shutil.copy(build(cxx_compiler, source, *words[:-3]), library)
            else:
                assert command == "ortcffi"
                assert main(words) == 0
                assert "nothing is wrong" in capfd.readouterr().out
    names = {}
    exec("\n".join(program), names)
    names.clear()  # CPython 3.13t keeps functions, and so what they know
    output = capfd.readouterr().out
    shown = re.findall(r"print\(.*\)  # (.*)", text)
    assert shown
    for printed in shown:
        assert printed in output


@pytest.mark.slow
@pytest.mark.parametrize("is_wrong", [False, True])
def test_a_sanitizer_sees_what_the_guide_says(project, is_wrong):
    text = (GUIDE / "custom_ops.md").read_text()
    build, tests = re.findall(r"```sh\n(cc -g -fsanitize.*?)\n(LD_PRELOAD.*?)\n```", text)[0]
    if shutil.which("gcc") is None:
        pytest.skip("no gcc, whose sanitizer the guide's line loads")
    source = (GUIDE / "scale_op.c").read_text()
    if is_wrong:
        source = source.replace("malloc(sizeof *kernel)", "malloc(sizeof(void*))")
    (project / "scale_op.c").write_text(source)
    for name, command in (
        ("cc -", "gcc -"),
        ("$(ortcffi config --cflags)", f"-I{CHECKOUT / 'core/include'}"),
        ("pytest ", f"{shlex.join(PYTEST)} "),
    ):
        build, tests = build.replace(name, command), tests.replace(name, command)
    run("sh", "-c", build, cwd=project)
    done = run("sh", "-c", tests, code=None, cwd=project, env=PYTEST_ENVIRONMENT)
    if is_wrong:  # the test that is isolated shows what its process wrote
        assert "AddressSanitizer: heap-buffer-overflow" in done.stdout
        assert re.search(r"in \w+ .*scale_op\.c:\d+", done.stdout)
    else:
        assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_a_library_can_be_opened_without_a_copy(checked_library):
    code = (
        "import sys, ortcffi as ort;"
        "print([ort.CustomOpLibrary(sys.argv[1], copy=copy).is_copy for copy in (False, True)])"
    )
    assert run_program(code, checked_library).stdout == "[False, True]\n"
