# SPDX-License-Identifier: MIT
"""The examples of the README print what it shows."""

import re
import sys

import pytest
from support.paths import CHECKOUT
from support.processes import run

TEXT = (CHECKOUT / "README.md").read_text()


@pytest.mark.usefixtures("real_api")  # the tour loads it
def test_the_examples_of_the_readme_print_what_it_shows(tmp_path):
    pytest.importorskip("onnxruntime_extensions")
    examples = tmp_path / "examples.txt"
    examples.write_text("\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL)))
    # In a process of its own: the library of custom ops keeps its domains to the end.
    assert run(sys.executable, "-m", "doctest", examples, cwd=tmp_path).stdout == ""
    assert examples.read_text().count(">>> ") > 30


def test_the_provider_of_the_readme_computes_in_the_official_package(tmp_path):
    pytest.importorskip("onnxruntime")
    (block,) = (b for b in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "NumpyEp" in b)
    program = f"{block}\nassert NumpyEp.name in session.get_providers()"
    printed = run(sys.executable, "-c", program, cwd=tmp_path).stdout
    assert printed == "[array([0., 2.], dtype=float32)]\n"


def test_the_picture_of_peaks_shows_each_line_that_has_memory(tmp_path):
    pytest.importorskip("matplotlib")
    import draw_pictures

    draw_pictures.peaks(tmp_path / "peaks.svg")
    assert (tmp_path / "peaks.svg").read_text().count("<!-- 8 MB -->") == 3


def test_every_picture_of_the_readme_is_there():
    pictures = re.findall(r"!\[[^]]+\]\((.*?)\)", TEXT)
    assert len(pictures) == 3
    assert [path for path in pictures if not (CHECKOUT / path).exists()] == []
