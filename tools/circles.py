# SPDX-License-Identifier: MIT
"""Prints which files of a folder call each other both ways: one concept, or cut wrongly.

    python tools/circles.py

A file of C calls another one whose functions it names, a module of Python one that it imports.
"""

import ast
import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
DEFINED = re.compile(r"^(?!static|typedef)\w[\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)


def calls_of_c(files: list[Path]) -> dict[Path, set[Path]]:
    """The files of the same folder whose functions each file names."""
    texts = {path: re.sub(r"/\*.*?\*/|//.*", "", path.read_text(), flags=re.S) for path in files}
    owner = {name: path for path, text in texts.items() for name in DEFINED.findall(text)}
    return {
        path: {owner[word] for word in set(re.findall(r"\w+", text)) if word in owner} - {path}
        for path, text in texts.items()
    }


def calls_of_python(files: list[Path]) -> dict[Path, set[Path]]:
    """The modules of the same folder that each module imports, but for types alone."""
    modules = {".".join(path.relative_to(CHECKOUT).with_suffix("").parts): path for path in files}
    calls = {}
    for path in files:
        nodes, names = [ast.parse(path.read_text())], set()
        while nodes:
            node = nodes.pop()
            if isinstance(node, ast.ImportFrom):
                names.add(node.module)
            if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
                nodes += ast.iter_child_nodes(node)
        calls[path] = {modules[name] for name in names if name in modules} - {path}
    return calls


def circles_of(calls: dict[Path, set[Path]]) -> list[list[Path]]:
    """The groups of files, each of which leads to all others of its group."""
    reached = {path: set(called) for path, called in calls.items()}
    for between in calls:
        for path in calls:
            if between in reached[path]:
                reached[path] |= reached[between]
    groups = {
        tuple(other for other in calls if other in reached[path] and path in reached[other])
        for path in calls
    }
    return sorted(list(group) for group in groups if len(group) > 1)


def circles() -> list[list[Path]]:
    """The groups of all folders."""
    found = []
    for top, ending, calls_of in (
        ("core/src", "c", calls_of_c),
        ("ortcffi", "c", calls_of_c),
        ("ortcffi", "py", calls_of_python),
    ):
        for folder in sorted({path.parent for path in (CHECKOUT / top).rglob(f"*.{ending}")}):
            found += circles_of(calls_of(sorted(folder.glob(f"*.{ending}"))))
    return found


def main() -> None:
    """Print the groups, and how many there are."""
    groups = circles()
    for group in groups:
        names = " ".join(path.name for path in group)
        sys.stdout.write(f"{group[0].parent.relative_to(CHECKOUT)}: {names}\n")
    sys.stdout.write(f"{len(groups)} circles\n")


if __name__ == "__main__":
    main()
