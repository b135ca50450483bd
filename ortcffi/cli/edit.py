# SPDX-License-Identifier: MIT
"""``python -m ortcffi edit``: changes a model, and writes it to a file."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ortcffi._public import quoted
from ortcffi.cli.program import fail, program_name
from ortcffi.errors import OrtError
from ortcffi.models.graph import Graph

DESCRIPTION = """\
Change a model, and write it to a file, which may be the same one: it is replaced when the new one
is complete. First a part is extracted, then dimensions are set, then values and nodes renamed, then
values converted to float16. All names are those that MODEL has."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the process's, and return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("edit"), description=DESCRIPTION)
    add = parser.add_argument
    add("model", metavar="MODEL", help="the path of a model")
    add("-o", "--output", metavar="OUT", required=True, help="the file to write")
    add("--extract", metavar="A,B:Y", help="keep only what makes value Y of values A and B")
    pair: Any = {"metavar": "OLD=NEW", "action": "append", "type": _pair, "default": []}
    text = "set each dimension of a name to a length or another name; can be repeated"
    add("--dim", help=text, **pair)
    add("--batch", type=_size, help="set the first dimension of inputs and outputs")
    add("--rename", help="rename a value or a node; can be repeated", **pair)
    add("--float16", action="store_true", help="convert float32 to float16; needs the package onnx")
    text = "write weights of so many bytes or more, such as 1MB, to a file beside OUT"
    add("--external-data", metavar="BYTES", type=_size, help=text)
    given = parser.parse_args(arguments)
    try:
        graph = Graph(given.model)
        _change(graph, given)
        with _blamed("-o" if given.external_data is None else "--external-data", "external_data "):
            graph.save(given.output, given.external_data)
    except (OrtError, OSError, ValueError) as error:
        return fail(parser.prog, error)
    return 0


def _change(graph: Graph, given: argparse.Namespace) -> None:
    if given.extract is not None:
        with _blamed("--extract", "inputs: ", "outputs: "):
            (inputs, outputs), values = _ends(graph, given.extract), graph.values
            if any(values[each]._message.type is None for each in inputs if each in values):
                graph.infer_shapes()
            graph.extract(inputs, outputs)
    with _blamed("--dim", "lengths: "):
        graph.set_dimensions({old: _size(new) for old, new in given.dim})
    if given.batch is not None:
        with _blamed("--batch", "size "):
            graph.set_batch(given.batch)
    with _blamed("--rename", "names: "):
        graph.rename(dict(given.rename))
    if given.float16:
        with _blamed("--float16"):
            graph.convert_floats("f2")


@contextmanager
def _blamed(option: str, *beginnings: str) -> Iterator[None]:
    """Have errors name an option, in place of a parameter of `Graph` at their beginning."""
    try:
        yield
    except (ImportError, LookupError, TypeError, ValueError) as error:
        reason = str(error)
        for each in beginnings:
            reason = reason.removeprefix(each)
        raise ValueError(f"{option}: {reason}") from None


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not old or not new:
        raise argparse.ArgumentTypeError(f"must be OLD=NEW, not {quoted(text)}")
    return old, new


def _size(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text


def _ends(graph: Graph, text: str) -> tuple[list[str], list[str]]:
    """Return the names of inputs and outputs, which may have colons themselves, such as ``x:0``."""
    places = [i for i, letter in enumerate(text) if letter == ":"]
    if not places:
        raise ValueError(f"must be inputs and outputs, such as A,B:Y, not {quoted(text)}")
    sides = [(_names(text[:i]), _names(text[i + 1 :])) for i in places]
    known = graph.values
    return max(sides, key=lambda both: sum(1 if n in known else -1 for n in (*both[0], *both[1])))


def _names(text: str) -> list[str]:
    return [each for each in text.split(",") if each]
