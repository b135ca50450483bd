# SPDX-License-Identifier: MIT
"""The magic for IPython, and scopes as a table or as JSON for other programs."""

import json
import re
import sys

import numpy as np
import pytest

import ortcffi as ort

CELL = """\
import numpy as np
def ones(n):
    return np.ones(n, np.uint8)
x = ones(3 << 20)
y = [ones(1000), notebook_helper()]
del x
"""


@pytest.fixture
def shell(tmp_path, monkeypatch):
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = interactive.instance()
    yield shell
    shell.reset()
    shell.user_ns.clear()
    shell.restore_sys_module_state()  # it was the module __main__
    interactive.clear_instance()
    shell.last_execution_result = shell.InteractiveTB.tb = None
    shell.SyntaxTB.clear_err_state()
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):  # of a cell that raised
        vars(sys).pop(name, None)


def test_a_cell_is_shown_with_the_memory_of_each_line(shell, tmp_path, monkeypatch):
    (tmp_path / "own_helper.py").write_text(
        "import numpy as np\ndef helper():\n    return np.zeros(2048, np.uint8)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from own_helper import helper

    shell.user_ns["notebook_helper"] = helper
    shell.run_line_magic("load_ext", "ortcffi")
    found = shell.run_cell_magic("ort_memory", "mine", CELL)
    title, _, *lines = repr(found).splitlines()
    assert title.startswith("scope 'mine': 3.00 MB at the peak, ")
    texts = [" ".join(line.split()) for line in lines]
    assert texts[0] == "1 import numpy as np"
    assert texts[2] == "3.00 MB 1.04 KB 3 return np.ones(n, np.uint8)"
    assert texts[3] == "4 x = ones(3 << 20)"
    assert len(lines) == 7
    assert "2.06 KB" in lines[6]
    assert "own_helper.py:3 in helper" in lines[6]
    assert found._repr_html_().count("<tr>") == 8
    assert shell.user_ns["y"][0].sum() == 1000
    assert found.scope.live == 1000 + 2048 + 2 * 64


def test_a_cell_that_raises_is_shown_as_far_as_it_came(shell, capsys):
    shell.run_line_magic("load_ext", "ortcffi")
    cell = "import numpy\nz = numpy.zeros(1 << 17)\n1 / 0\n"
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("ort_memory", "", cell)
    shown = capsys.readouterr().out.partition("scope 'cell'")[2].splitlines()
    assert shown[3].split()[:2] == ["1.00", "MB"]


@pytest.mark.filterwarnings("ignore:To exit")
@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("raise LookupError('mine')", LookupError),
        ("def (", SyntaxError),
        ("  x = 1\n y = 2", IndentationError),
        ("raise KeyboardInterrupt", KeyboardInterrupt),
        ("raise SystemExit(3)", SystemExit),
    ],
)
def test_a_cell_that_raises_is_an_error_of_the_notebook_shown_once(shell, capsys, cell, kind):
    shell.run_line_magic("load_ext", "ortcffi")
    result = shell.run_cell(f"%%ort_memory\n{cell}\n")
    assert isinstance(result.error_in_exec, kind)
    shown = re.sub(r"\x1b[^m]*m", "", capsys.readouterr().out)
    assert len(re.findall(rf"^{kind.__name__}: ?\S*", shown, re.M)) == 1
    shell.run_cell("raise LookupError('next')")
    assert "LookupError" in capsys.readouterr().out


def test_a_scope_is_a_table_and_json():
    tracking = ort.Tracking(ort.core_api().default_allocator)
    with tracking.scope("<a>") as scope:
        kept = tracking.empty(10, np.uint8)
    data = json.loads(scope.to_json())
    (line,) = data.pop("lines")
    assert data == {"name": "<a>", "peak": 10, "live": 10}
    assert ort.ScopeLine(**line) == scope.by_line()[0]
    assert scope.to_html() == scope._repr_html_()
    assert scope.to_html(0).count("<tr>") == 2
    assert "&lt;a&gt;" in scope.to_html(None)
    assert kept.nbytes == 10
