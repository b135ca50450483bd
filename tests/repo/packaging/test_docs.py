# SPDX-License-Identifier: MIT
"""The documentation: it builds without a warning, its examples run, it leaves no name out."""

import ast
import builtins
import doctest
import importlib.util
import re
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from slots import INCLUDE, slots_of
from support.paths import CHECKOUT
from support.processes import run

import ortcffi
from ortcffi._native import lib

DOCS = CHECKOUT / "docs"
NEEDED = ["sphinx", "furo", "myst_parser"]
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if ">>> " in page.read_text(encoding="utf-8")]


def build(builder: str, output: Path) -> CompletedProcess[str]:
    for module in NEEDED:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install 'ortcffi[docs]'")
    command = [sys.executable, "-P", "-m", "sphinx", "-W", "--keep-going", "-b", builder]
    # The pages without what furo puts beside each, a tree of all pages: that takes a fourth.
    command.append("-Dhtml_theme=basic")
    command += ["-d", str(output / "read"), str(DOCS), str(output / builder)]
    return run(*command, code=None)


pytestmark = pytest.mark.xdist_group("docs")


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """Where both builders find what the first of them has read."""
    return tmp_path_factory.mktemp("docs")


@pytest.fixture(scope="module")
def html(output):
    done = build("html", output)
    assert done.returncode == 0, done.stderr
    return output / "html"


def test_the_documentation_builds_without_a_warning(html):
    assert (html / "index.html").exists()


@pytest.mark.usefixtures("real_api")  # the examples load it
def test_the_examples_of_the_documentation_print_what_it_shows(output):
    done = build("doctest", output)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"summary\n=+\n +(\d+) tests", done.stdout)[1]) > 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_use_no_name_that_the_page_does_not_show(page):
    examples = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    nodes = [node for each in examples for node in ast.walk(ast.parse(each.source))]
    shown = {alias.asname or alias.name for alias in nodes if isinstance(alias, ast.alias)}
    shown |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    shown |= {node.name for node in nodes if hasattr(node, "name")}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    shown |= {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    assert {name.id for name in names} - shown - set(vars(builtins)) == set()


def test_every_public_name_is_in_the_reference(html):
    from sphinx.util.inventory import InventoryFile

    with (html / "objects.inv").open("rb") as file:
        known = InventoryFile.load(file, "", lambda _, name: name)
    described = {name for kind, names in known.items() if kind.startswith("py:") for name in names}
    public = {f"ortcffi.{name}" for name in ortcffi.__all__}
    assert public - described == set()


def test_every_slot_of_every_table_is_in_the_reference(html):
    from sphinx.util.inventory import InventoryFile

    with (html / "objects.inv").open("rb") as file:
        known = InventoryFile.load(file, "", lambda _, name: name)
    files = [path.name for path in INCLUDE.glob("*_slots.def")]
    rows = [slot.name for file in files for slot in slots_of(file)]
    assert len(rows) > lib.ORTCFFI_SLOTS
    assert set(rows) - set(known["c:function"]) == set()


def test_the_client_of_the_guide_does_what_the_guide_says(compile_c, core_library):
    program = compile_c(
        DOCS / "guide/client.c", str(core_library), f"-Wl,-rpath,{core_library.parent}"
    )
    done = run(program, code=None)
    said = re.sub("0x[0-9a-f]+", "0x", done.stdout + done.stderr)
    shown = re.search(r"```text\n(.*?)```", (DOCS / "guide/c.md").read_text(), re.DOTALL)[1]
    assert said == re.sub("0x[0-9a-f]+", "0x", shown)
