# SPDX-License-Identifier: MIT
"""Small graphs in one call, whose parts are text."""

import ast
import re
from typing import Any

import ortcffi as ort

PORT = re.compile(r"(\S+?)(?: (\w+|\?)(?:\[(.*?)\])?)?(?:, |$)")  # name, element type, dimensions
NODE = re.compile(r"(?:(\S+): )?(.*?) ?= (?:([\w.]+)\.)?(\w+)(\(.*\))?((?: .*)?)")


def ports_of(text: str) -> list[Any]:
    """The names, element types and shapes of inputs or outputs; '?' is a dimension without name."""
    found = []
    for name, kind, shape in (match.groups() for match in PORT.finditer(text)):
        given = shape.split(",") if shape else []
        lengths = [int(n) if n.isdecimal() else None if n == "?" else n for n in given]
        found.append((name, kind, None if shape is None else lengths))
    return found


def add_nodes(graph: ort.Graph, nodes: str) -> None:
    """Add nodes to a graph, such as "h = Neg x; last: y, z = my.domain.Op(axis=1) h w"."""
    for text in filter(None, re.split(r";\s*", nodes)):
        match = NODE.fullmatch(text)
        assert match, text
        name, made, domain, op, attributes, read = match.groups("")
        call: Any = ast.parse(f"f{attributes or '()'}", mode="eval").body
        values = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        outputs = made.split(", ") if made else []
        graph.node(op, read.split(), outputs, domain=domain, name=name, attributes=values)


def graph_of(
    inputs: str, nodes: str, outputs: str, opsets: dict[str, int] | None = None, **weights: Any
) -> ort.Graph:
    """A graph of inputs, such as "x f4[n,3], s f4[]", nodes and outputs; weights are arrays."""
    graph = ort.Graph(opsets) if opsets else ort.Graph()
    for port in ports_of(inputs):
        graph.input(*port)
    for name, array in weights.items():
        graph.initializer(name, array)
    add_nodes(graph, nodes)
    for port in ports_of(outputs):
        graph.output(*port)
    return graph


def parsed(text: str, opsets: str = '"": 18', ir_version: int = 8) -> bytes:
    """The bytes of a model in the text format of the package onnx."""
    from onnx import parser

    head = f"<ir_version: {ir_version}, opset_import: [{opsets}]>"
    return bytes(parser.parse_model(f"{head} {text}").SerializeToString())
