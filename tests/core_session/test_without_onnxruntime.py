# SPDX-License-Identifier: MIT
"""Models run where neither onnxruntime nor onnx is installed, in an environment of its own."""

import re

import pytest
from support import eps
from support.paths import CHECKOUT

import ortcffi as ort
from ortcffi.ep import installed
from ortcffi.ep.installed import InstalledEp
from ortcffi.table.engine import advice

LACKING = "import importlib.util as u; print([n for n in {} if u.find_spec(n)])"


def example(path, words=""):
    """The lines of Python with these words that a page shows, and what they are to print."""
    blocks = re.findall(r"```python\n(.*?)```", (CHECKOUT / path).read_text(), re.DOTALL)
    program = "\n".join(block for block in blocks if words in block)
    return program, re.findall(r"print\(.*\)  # (.*)", program)


def untyped(path):
    """The file of a model that does not say the types of all values."""
    eps.untyped().save(path)
    return path


def test_neither_onnxruntime_nor_onnx_is_there(bare):
    assert bare(LACKING.format(["onnxruntime", "onnx", "numpy"])).stdout.strip() == "['numpy']"


def test_the_first_lines_of_the_guide_run(bare):
    pytest.importorskip("nxrt_ep_cpu")
    program, expected = example("docs/guide/without_onnxruntime.md")
    first, _, _ = program.partition("model = ")
    assert bare(first).stdout.splitlines() == expected[:2]


def test_the_other_lines_of_the_guide_run_with_onnx():
    program, expected = example("docs/guide/without_onnxruntime.md")
    _, imports, rest = program.partition("import numpy as np\nimport ortcffi as ort\n")
    _, graph, rest = rest.rpartition("graph = ort.Graph()\n")
    rest, _, _ = rest.partition("entries = {")  # of OpenVINO
    printed = []
    exec(
        imports + graph + rest,
        {"print": lambda *message: printed.append(" ".join(map(str, message)))},
    )
    assert printed == expected[2:]


ASK = """
import sys, ortcffi
try:
    ortcffi.Session(sys.argv[1], providers=sys.argv[2:] or None)
except (ImportError, OSError) as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("providers", "texts"),
    [
        ([], ["pip install onnxruntime", "pass providers=['nxrt']"]),
        (
            ["nxtr"],
            ["providers has 'nxtr', which the core does not host", "pip install onnxruntime"],
        ),
        (["NXRT"], ["did you mean 'nxrt'?", "pip install onnxruntime"]),
        (["reference"], ["by the package onnx, which is not installed: run 'pip install onnx'"]),
    ],
)
def test_the_error_says_what_is_wrong_and_what_to_install(bare, tmp_path, providers, texts):
    printed = bare(ASK, untyped(tmp_path / "model.onnx"), *providers).stdout
    assert [text for text in texts if text not in printed] == []


@pytest.mark.parametrize(
    ("names", "end"),
    [
        ([], "; or run 'pip install nxrt-ep-cpu' and pass providers=['nxrt']"),
        (["ggml", "qnn"], "; or pass providers=['ggml']"),
    ],
)
def test_no_installed_provider_is_to_be_installed(names, end, monkeypatch):
    found = [InstalledEp(name, "a package", "a path", {}) for name in names]
    monkeypatch.setattr(installed, "installed_eps", lambda: found)
    assert advice() == f"pass api=ortcffi.load(){end}"


RUN = """
import sys
import numpy as np, ortcffi
try:
    session = ortcffi.Session(sys.argv[1], providers=[sys.argv[2]])
    print(session.run(x=np.zeros(3, np.float32))[0].tolist())
except ortcffi.errors.NotImplemented as error:
    print(error)
"""


def test_a_model_without_types_says_what_is_missing_and_one_prepared_elsewhere_runs(
    bare, tmp_path, c_compiler
):
    library, model = eps.build(c_compiler, eps.ADDING), untyped(tmp_path / "model.onnx")
    (message,) = bare(RUN, model, library).stdout.splitlines()
    assert "operator Add" in message
    assert "pip install onnx'" in message
    ort.Model.load(model).prepare().save(tmp_path / "prepared.onnx")
    assert bare(RUN, tmp_path / "prepared.onnx", library).stdout == "[1.0, 1.0, 1.0]\n"
