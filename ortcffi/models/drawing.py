# SPDX-License-Identifier: MIT
"""Pictures of graphs: the first nodes of large ones."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._public import printable, shortened
from ortcffi.models.view import listed

if TYPE_CHECKING:
    from ortcffi.models.model_graph import ModelGraph

_MOST = 600  # nodes that are drawn
_ROW, _HEIGHT, _GAP, _MARGIN = 44, 24, 18, 20
_LETTER = 7.2  # pixels of the font
_STYLE = """\
text { font: 12px ui-monospace, monospace; fill: #24292f; text-anchor: middle; }
.node { fill: #8250df22; stroke: #8250df; }
.port { fill: #1a7f3722; stroke: #1a7f37; }
.edge { fill: none; stroke: #8c959f; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }"""


class _Box(NamedTuple):
    """What is drawn of a node, an input or an output."""

    kind: str
    text: str
    title: str
    reads: Sequence[str]
    makes: Sequence[str]

    @property
    def width(self) -> float:
        return _LETTER * len(self.text) + 16


def svg_of(graph: "ModelGraph") -> str:
    """Draw a graph as SVG. Names are escaped, and those that are long are shortened."""
    nodes = graph.nodes
    left_out = len(nodes) - _MOST
    boxes = [_port(value) for value in graph.inputs]
    makers = {value.name: k for k, value in enumerate(graph.inputs)}
    for node in nodes[:_MOST]:
        makers.update(dict.fromkeys(filter(None, node.outputs), len(boxes)))
        boxes.append(_node(node))
    boxes += [_port(value, is_output=True) for value in graph.outputs]
    edges = sorted(_edges(boxes, makers))
    layers = _layers(len(boxes), edges)
    columns = _columns(boxes, layers, edges)
    note = f"{left_out:,} more nodes are not drawn" if left_out > 0 else ""
    return _picture(boxes, layers, columns, edges, note)


def _port(value: Any, *, is_output: bool = False) -> _Box:
    name = shortened(value.name, 40)
    kind = f"{value.element_type.name.lower()}" if hasattr(value.element_type, "name") else ""
    shape = (
        ""
        if value.shape is None
        else f"[{', '.join('?' if n is None else shortened(str(n), 12) for n in value.shape)}]"
    )
    text = f"{name} {kind}{shape}".strip()
    names = [value.name]
    return _Box(
        "port", text, printable(value.name), names if is_output else (), () if is_output else names
    )


def _node(node: Any) -> _Box:
    inner = len(getattr(node, "subgraphs", ()))
    text = shortened(node.op_type, 40) + (f" ({inner} graphs)" if inner else "")
    title = f"{printable(node.name) or '-'}: {listed(node.inputs)} -> {listed(node.outputs)}"
    reads = [*node.inputs, *getattr(node, "implicit_inputs", ())]
    return _Box("node", text, title, reads, node.outputs)


def _edges(boxes: list[_Box], makers: dict[str, int]) -> set[tuple[int, int]]:
    """Who reads what whom has made."""
    return {
        (makers[name], i)
        for i, box in enumerate(boxes)
        for name in box.reads
        if name in makers and makers[name] < i
    }


def _layers(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """The row of each box: one below those that it reads."""
    layers = [0] * count
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        layers[target] = max(layers[target], layers[source] + 1)
    return layers


def _columns(boxes: list[_Box], layers: list[int], edges: list[tuple[int, int]]) -> list[float]:
    """The middle of each box: below what it reads, as far as there is room."""
    centers = [0.0] * len(boxes)
    sources: list[list[int]] = [[] for _ in boxes]
    for source, target in edges:
        sources[target].append(source)
    rows: dict[int, list[int]] = {}
    for i, layer in enumerate(layers):
        rows.setdefault(layer, []).append(i)
    for layer in sorted(rows):
        row = rows[layer]
        wished = {i: _mean([centers[k] for k in sources[i]]) for i in row}
        row.sort(key=lambda i, wished=wished: wished[i])  # type: ignore[misc]
        right = float("-inf")
        for i in row:
            half = boxes[i].width / 2
            centers[i] = max(wished[i], right + _GAP + half)
            right = centers[i] + half
        shift = _mean([centers[i] - wished[i] for i in row])
        for i in row:
            centers[i] -= shift
    return centers


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _picture(  # as many as there are layers of the picture
    boxes: list[_Box],
    layers: list[int],
    centers: list[float],
    edges: list[tuple[int, int]],
    note: str,
) -> str:
    left = min((c - box.width / 2 for c, box in zip(centers, boxes, strict=True)), default=0)
    right = max((c + box.width / 2 for c, box in zip(centers, boxes, strict=True)), default=0)
    shift = _MARGIN - left
    width = max(right + shift + _MARGIN, len(note) * _LETTER + 2 * _MARGIN)
    height = (max(layers, default=0) + 1) * _ROW + 2 * _MARGIN + (_ROW if note else 0)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{_STYLE}</style>"]

    def top(layer: int) -> float:
        return _MARGIN + layer * _ROW

    for source, target in edges:
        x, y = centers[source] + shift, top(layers[source]) + _HEIGHT
        to_x, to_y = centers[target] + shift, top(layers[target])
        middle = (y + to_y) / 2
        path = (
            f"M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        )
        parts.append(f'<path class="edge" d="{path}"/>')
    for box, layer, center in zip(boxes, layers, centers, strict=True):
        x, label = center + shift - box.width / 2, escape(box.text)
        parts.append(
            f'<g><title>{escape(box.title)}</title><rect class="{box.kind}" x="{x:.1f}" '
            f'y="{top(layer):.1f}" width="{box.width:.1f}" height="{_HEIGHT}" rx="4"/>'
            f'<text x="{center + shift:.1f}" y="{top(layer) + 16:.1f}">{label}</text></g>'
        )
    if note:
        parts.append(f'<text x="{width / 2:.1f}" y="{height - _MARGIN:.1f}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>\n"])
