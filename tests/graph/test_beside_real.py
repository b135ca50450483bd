# SPDX-License-Identifier: MIT
"""What graphs answer: the core's, and those that the real library shows to a provider.

A program prints all that the slots say of a model's graph as sorted lines (``dump_graph.c``), with
views of each node and of half of the nodes. Lines may differ for the reasons in `is_allowed`.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support import eps
from support.compilers import build_folder, compile_shared
from support.node_models import node_models
from support.paths import CHECKOUT
from support.processes import run

onnx = pytest.importorskip("onnx")

CLIENTS = CHECKOUT / "tests/c/clients"
Dump = Callable[[Path, list[Path]], dict[str, list[str]]]

pytestmark = pytest.mark.xdist_group("beside_real")


@pytest.fixture(scope="module")
def dump(c_compiler: list[str]) -> Dump:
    """``dump(library, models)`` gives the lines of each model."""
    folder = build_folder(c_compiler, "dump_graph")
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'core/include'}"]
    program, reader = folder / "dump_graph", eps.build(c_compiler, eps.READER)
    words = [CLIENTS / "dump_graph.c", "-o", program, "-ldl"]
    compile_shared(program, [CLIENTS], *c_compiler, *flags, *words)

    def dump(library: Path, models: list[Path]) -> dict[str, list[str]]:
        environment = {**os.environ, "GRAPH_READER": str(reader)}
        paths = "".join(f"{model}\n" for model in models)
        done = run(program, library, input=paths, env=environment)
        records = (record.split("\n") for record in done.stdout.split("\x1e")[1:])
        return {path: [line for line in lines if line] for path, *lines in records}

    return dump


# --- what may differ ------------------------------------------------------------------------------


def tensor(text: str) -> tuple[str, list[str] | None] | None:
    """The element type of a tensor's type, and its dimensions."""
    found = re.fullmatch(r"(\w+\(\d+\))(?:\[(.*)\])?", text)
    return found and (found[1], None if found[2] is None else found[2].split())


def is_inferred(ours: str, theirs: str) -> bool:
    """Whether a type is one that the real library has made more precise."""
    mine, other = tensor(ours), tensor(theirs)
    if mine is None or other is None:  # of elements of sequences it forgets the shape
        return re.sub(r"\[.*?\]", "", ours) == re.sub(r"\[.*?\]", "", theirs)
    if mine[0] != other[0] or mine[1] is None or other[1] is None:
        return mine[0] == other[0] and mine[1] is None
    return len(mine[1]) == len(other[1]) and all(
        a in (b, "-1") or not a.lstrip("-").isdigit() or b.startswith("unk__")
        for a, b in zip(mine[1], other[1], strict=True)
    )


def is_allowed(ours: str, theirs: str, version: int) -> bool:
    """Whether two lines about the same thing may differ."""
    what, mine = ours.split(": ", 1) if ": " in ours else (ours, "")
    if re.search(r"(^|>> )type ", what):
        return is_inferred(mine, theirs.split(": ", 1)[1])
    if version < 4 and ours.startswith("graph takes"):  # constants are inputs there
        return set(ours.split()) <= set(theirs.split())
    return False


def subject(line: str) -> str:
    """What a line is about."""
    if re.match(r"(.*>> )?attribute ", line):
        return line.rpartition(" type ")[0]
    return line.partition(": ")[0] if ": " in line else " ".join(line.split(" ")[:2])


def differences(ours: list[str], theirs: list[str]) -> list[str]:
    """The lines that only one of the libraries has and that may not differ."""
    version = int(re.findall(r"^graph '.*' version (\d+) nodes", "\n".join(ours), re.MULTILINE)[0])
    # The real library also lists operator sets that it knows without an import.
    other = {subject(x): x for x in set(theirs) - set(ours) if not x.startswith("opset ")}
    left = []
    for line in sorted(set(ours) - set(theirs)):
        about = subject(line)
        if about in other and is_allowed(line, other[about], version):
            del other[about]
        else:
            left.append(f"core: {line}")
    return left + [f"real: {line}" for line in other.values()]


# --- models ---------------------------------------------------------------------------------------


def names_read(node: "onnx.NodeProto") -> set[str]:
    """The names of all values that a node reads, also in its subgraphs."""
    graphs = [g for each in node.attribute for g in (each.g, *each.graphs)]
    inner = [names_read(each) | {x.name for x in g.output} for g in graphs for each in g.node]
    return set(node.input).union(*inner)


def has_dead_nodes(path: Path) -> bool:
    """Whether some node leads to no output: the real library shows it, if it does not optimize."""
    graph = onnx.load(path).graph
    needed = {each.name for each in graph.output}
    for node in reversed(graph.node):
        if needed.isdisjoint(node.output):
            return True
        needed |= names_read(node)
    return False


def compare(models: list[Path], dump: Dump, core: Path, real: Path) -> int:
    """Compare the lines of all models; how many the real library has shown."""
    ours, theirs = dump(core, models), dump(real, models)
    shown = {path for path in ours if not theirs[path][0].startswith("not shown")}
    found = {path: differences(ours[path], theirs[path]) for path in sorted(shown)}
    assert {path: lines for path, lines in found.items() if lines} == {}
    return len(shown)


def test_graphs_of_the_models_of_onnx_answer_alike(dump, core_library, real_library):
    models = sorted((Path(onnx.__file__).parent / "backend/test/data").glob("**/*.onnx"))
    assert compare(models, dump, core_library, real_library) > 140


@pytest.mark.slow
def test_graphs_of_all_operators_answer_alike(dump, core_library, real_library):
    models = [each for each in node_models() if not has_dead_nodes(each)]
    assert compare(models, dump, core_library, real_library) > 1700
