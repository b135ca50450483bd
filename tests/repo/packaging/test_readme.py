# SPDX-License-Identifier: MIT
"""The examples of the README print what is shown."""

import re
import sys

import pytest
from support.paths import CHECKOUT
from support.processes import run

README = (CHECKOUT / "README.md").read_text()


@pytest.mark.usefixtures("real_api")  # the examples load it
def test_the_examples_print_what_is_shown(tmp_path):
    pytest.importorskip("onnxruntime_extensions")
    examples = tmp_path / "examples.txt"
    examples.write_text("\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)))
    # In a process of its own: the library of custom ops keeps its domains to the end.
    assert run(sys.executable, "-m", "doctest", examples, cwd=tmp_path).stdout == ""
    assert examples.read_text().count(">>> ") > 10


def test_the_help_of_the_command_begins_as_the_readme():
    said = run(sys.executable, "-m", "ortcffi", "--help").stdout
    sentence = README.split("\n\n")[1]
    assert " ".join(sentence.split()) in " ".join(said.split())


def test_the_picture_of_peaks_shows_each_line_that_has_memory(tmp_path):
    pytest.importorskip("matplotlib")
    import draw_pictures

    draw_pictures.peaks(tmp_path / "peaks.svg")
    assert (tmp_path / "peaks.svg").read_text().count("<!-- 8 MB -->") == 3
