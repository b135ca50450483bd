# SPDX-License-Identifier: MIT
"""Functions of a model put into the places where nodes call them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from ortcffi._native import lib
from ortcffi._public import quoted
from ortcffi.models.editing import graph_of, renamed_node, subgraphs_of, value_names, with_graph
from ortcffi.models.wire import Message

__all__ = ["inline"]

Key = tuple[str, str, str]  # domain, name, overload
_DEEPEST = 64


class Describe(Protocol):
    """What has functions for nodes that call none of the model's."""

    def within(self, graph: Message, /) -> AbstractContextManager[None]:
        """A context in which the nodes of a graph are asked about."""

    def __call__(self, node: Message, /) -> Message | None:
        """The function of a node; None where it stays."""


def inline(skeleton: Message, describe: Describe | None = None) -> Message:
    """Replace each node that calls a function of the model by the nodes of the function.

    `describe` may have functions for further nodes.
    """
    graph = graph_of(skeleton)
    inliner = _Inliner(skeleton, graph, describe)
    inlined = inliner.graph(graph, 0)
    skeleton.set(lib.MODEL_FUNCTION)
    if inliner.added:
        opsets = [*skeleton.messages(lib.MODEL_OPSET), *inliner.added.values()]
        skeleton.set(lib.MODEL_OPSET, *opsets)
    return with_graph(skeleton, inlined)


def _domain(text: str) -> str:
    return "" if text == "ai.onnx" else text


class _Inliner:
    """The functions of a model, and the names that are in use."""

    def __init__(self, skeleton: Message, graph: Message, describe: Describe | None) -> None:
        self.describe = describe
        self.functions: dict[Key, Message] = {}
        for each in skeleton.messages(lib.MODEL_FUNCTION):
            domain, name = _domain(each.text(lib.FUNCTION_DOMAIN)), each.text(lib.FUNCTION_NAME)
            self.functions[domain, name, each.text(lib.FUNCTION_OVERLOAD)] = each
        self.opsets = _opsets(skeleton, lib.MODEL_OPSET)
        self.added: dict[str, Message] = {}  # operator sets that only functions use
        self.numbers: dict[str, int] = {}  # the last one that a name of calls got
        self.prefixes: set[str] = set()  # what names begin with, up to each slash
        for name in value_names(graph):
            self.note(name)

    def graph(self, graph: Message, depth: int) -> Message:
        """A graph without calls, also in its subgraphs."""
        types: list[bytes] = []
        with nullcontext() if self.describe is None else self.describe.within(graph):
            nodes = [
                made
                for each in graph.messages(lib.GRAPH_NODE)
                for made in self.node(each, types, depth)
            ]
        graph.set(lib.GRAPH_NODE, *nodes)
        for each in types:
            graph.add(lib.GRAPH_VALUE, each)
        return graph

    def node(self, node: Message, types: list[bytes], depth: int) -> Iterator[Message]:
        """The node itself, or what stands for it."""
        if any(True for _ in subgraphs_of(node)):
            node = self.subgraphs(node, depth)
        domain, operator = _domain(node.text(lib.NODE_DOMAIN)), node.text(lib.NODE_OPERATOR)
        function = self.functions.get((domain, operator, node.text(lib.NODE_OVERLOAD)))
        if function is None and self.describe is not None:
            function = self.describe(node)
        if function is None:
            yield node
            return
        if depth == _DEEPEST:
            raise ValueError(f"the function {quoted(operator)} calls itself, or {_DEEPEST} others")
        self.check_opsets(operator, function)
        for each in self.body(function, node, types):
            yield from self.node(each, types, depth + 1)

    def subgraphs(self, node: Message, depth: int) -> Message:
        def attribute(content: bytes) -> Message:
            message = Message(content)
            for number in (lib.ATTRIBUTE_GRAPH, lib.ATTRIBUTE_GRAPHS):
                message.map(number, lambda each: self.graph(Message(each), depth))
            return message

        return node.map(lib.NODE_ATTRIBUTE, attribute)

    def check_opsets(self, name: str, function: Message) -> None:
        """Functions must use the operators in the versions that the model uses."""
        for domain, opset in _opsets(function, lib.FUNCTION_OPSET).items():
            known = self.opsets.setdefault(domain, opset)
            if known is opset:
                self.added[domain] = opset
            own, other = (int(each.get(lib.OPSET_VERSION, 0)) for each in (known, opset))
            if own != other:
                raise ValueError(
                    f"the function {quoted(name)} uses version {other} of the operators of "
                    f"{domain or 'ONNX'!r}, and the model version {own}"
                )

    def body(self, function: Message, call: Message, types: list[bytes]) -> Iterator[Message]:
        """The nodes of a function, with the values and attributes of a call."""
        names = self.names(function, call)
        prefix = self.prefix(call)

        def of_value(name: str) -> str:
            if name and name not in names:
                names[name] = prefix + name
                self.note(names[name])
            return names.get(name, "")

        def of_node(name: str) -> str:
            return prefix + name if name else name

        for formal in function.texts(lib.FUNCTION_OUTPUT):
            if "\0" + formal in names:  # an input that is an output, which no node makes
                yield _identity(names[formal], names["\0" + formal])
        attributes = {
            each.text(lib.ATTRIBUTE_NAME): each
            for each in function.messages(lib.FUNCTION_ATTRIBUTE)
        }
        attributes |= {
            each.text(lib.ATTRIBUTE_NAME): each for each in call.messages(lib.NODE_ATTRIBUTE)
        }
        for each in function.messages(lib.FUNCTION_NODE):
            yield renamed_node(_with_attributes(each, attributes), of_value, of_node)
        for value in function.messages(lib.FUNCTION_VALUE):
            name = value.text(lib.VALUE_NAME)
            if names.get(name, "").startswith(prefix):  # those of the call have their types
                types.append(bytes(value.set(lib.VALUE_NAME, names[name])))

    def names(self, function: Message, call: Message) -> dict[str, str]:
        """The values of a call by the names that the function has for them."""
        names = {"": ""}
        given = call.texts(lib.NODE_INPUT)
        for i, formal in enumerate(function.texts(lib.FUNCTION_INPUT)):
            names[formal] = given[i] if i < len(given) else ""
        made = call.texts(lib.NODE_OUTPUT)
        for i, formal in enumerate(function.texts(lib.FUNCTION_OUTPUT)):
            if i < len(made) and made[i]:
                names["\0" + formal if formal in names else formal] = made[i]
        return names

    def prefix(self, call: Message) -> str:
        """What the names inside a call begin with; no other name does."""
        name = call.text(lib.NODE_NAME) or call.text(lib.NODE_OPERATOR)
        number = self.numbers.get(name, -1) + 1
        while (prefix := f"{name}_{number}/" if number else f"{name}/") in self.prefixes:
            number += 1
        self.numbers[name] = number
        self.prefixes.add(prefix)
        return prefix

    def note(self, name: str) -> None:
        self.prefixes.update(name[: i + 1] for i, letter in enumerate(name) if letter == "/")


def _opsets(message: Message, number: int) -> dict[str, Message]:
    return {_domain(each.text(lib.OPSET_DOMAIN)): each for each in message.messages(number)}


def _identity(source: str, target: str) -> Message:
    node = Message().add(lib.NODE_INPUT, source).add(lib.NODE_OUTPUT, target)
    return node.add(lib.NODE_OPERATOR, "Identity")


def _with_attributes(node: Message, given: dict[str, Message]) -> Message:
    """A node whose references to attributes of the function are those of the call."""
    kept = []
    for attribute in node.messages(lib.NODE_ATTRIBUTE):
        name, reference = (
            attribute.text(lib.ATTRIBUTE_NAME),
            attribute.text(lib.ATTRIBUTE_REFERENCE),
        )
        if reference:
            if reference in given:
                kept.append(Message(bytes(given[reference])).set(lib.ATTRIBUTE_NAME, name))
            continue
        for number in (lib.ATTRIBUTE_GRAPH, lib.ATTRIBUTE_GRAPHS):
            attribute.map(number, lambda each: _graph_with_attributes(Message(each), given))
        kept.append(attribute)
    return node.set(lib.NODE_ATTRIBUTE, *kept)


def _graph_with_attributes(graph: Message, given: dict[str, Message]) -> Message:
    return graph.map(lib.GRAPH_NODE, lambda each: _with_attributes(Message(each), given))
