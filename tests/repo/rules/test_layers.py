# SPDX-License-Identifier: MIT
"""The topics have an order: a file includes or imports only what its topic may know."""

import ast
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import circles
import pytest
from support.paths import CHECKOUT

# From the lowest to the highest. Those of one line know what is above, and not each other.
ORDER = """
platform
handle
heap
object
status
callbacks
memory
adaptors strings
arena values
ep sparse onnx
custom_ops
graph
model
kernels
options
env compile
table
models
session
official
compat
testing
conformance
cli
bench
"""
# Topics of the core that are a part of another one on the floors above it.
WHOLE = {"adaptors": "memory", "arena": "memory", "strings": "values", "sparse": "values"}
LEVELS = {topic: level for level, line in enumerate(ORDER.split("\n")) for topic in line.split()}
PACKAGE = CHECKOUT / "ortcffi"
INCLUDED = re.compile(r'^#include "(?:boundary/)?(?!boundary/)(\w+)/\w', re.MULTILINE)


def knows(topic: str, other: str) -> bool:
    """Whether files of a topic may use those of another."""
    return topic == other or LEVELS[topic] > LEVELS[other]


# --- C --------------------------------------------------------------------------------------------


def includes() -> Iterator[tuple[Path, str]]:
    """Each file of the core and the boundary with the topic of a header that it includes."""
    for folder, names in ((CHECKOUT / "core/src", {}), (PACKAGE / "boundary", WHOLE)):
        for path in sorted(folder.glob("*/*.[ch]")):
            for topic in INCLUDED.findall(path.read_text()):
                yield path, names.get(topic, topic)


def test_c_files_include_headers_of_lower_topics_only():
    found = list(includes())
    assert len(found) > 100
    upwards = [
        f"{path.relative_to(CHECKOUT)} includes a header of {topic}"
        for path, topic in found
        if not knows(path.parent.name, topic)
    ]
    assert upwards == []


# --- Python ---------------------------------------------------------------------------------------


def module_of(path: Path) -> str:
    """The name that a file is imported by."""
    return ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def for_types_only(tree: ast.Module) -> set[ast.AST]:
    """The nodes below ``if TYPE_CHECKING:``, which never run."""
    conditions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    return {inner for node in conditions for part in node.body for inner in ast.walk(part)}


def imports_of(module: str) -> set[str]:
    """The modules of the package that a module imports, inside of functions as well."""
    tree = ast.parse(MODULES[module].read_text())
    unused, names = for_types_only(tree), set()
    for node in ast.walk(tree):
        if node in unused:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # A name of a package may be one of its modules.
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= (inner & MODULES.keys()) or {node.module}
    return names & MODULES.keys() - {module, "ortcffi"}


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """What each module of the package imports from it."""
    return {module: imports_of(module) for module in MODULES}


def place_of(module: str) -> str:
    """The topic of a module, or the name of what stands beside the topics."""
    return MODULES[module].relative_to(PACKAGE).with_suffix("").parts[0]


def topic_of(module: str) -> str | None:
    """The topic of a module; None for one that stands below all of them."""
    place = place_of(module)
    return place if place in LEVELS else None


def test_modules_import_those_of_lower_topics_only(imports):
    upwards = []
    for module in MODULES.keys() - {"ortcffi", "ortcffi.__main__"}:
        topic = topic_of(module)
        for other in imports[module]:
            above = topic_of(other)
            if above is not None and (topic is None or not knows(topic, above)):
                upwards.append(f"{module} imports {other}")
    assert upwards == []


def test_no_modules_import_each_other_in_a_circle(imports):
    assert len(list(graphlib.TopologicalSorter(imports).static_order())) == len(MODULES)


def test_few_files_of_a_folder_call_each_other_both_ways():
    found = circles.circles()
    assert len(found) <= 10, "tools/circles.py shows them: join or cut these files"
