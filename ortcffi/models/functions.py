# SPDX-License-Identifier: MIT
"""`ModelFunction`: what `Model.functions` lists."""

from typing import TYPE_CHECKING, NamedTuple

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.models.model_graph import ModelGraph

if TYPE_CHECKING:
    from ortcffi.models.model import Model
    from ortcffi.models.wire import Message

__all__ = ["ModelFunction", "functions_of"]


@public
class ModelFunction(NamedTuple):
    """A function of a model: an operator that is described by other operators.

    Attributes
    ----------
    domain, name, overload : str
        What nodes that call it have as domain, operator and overload.
    attributes : tuple of str
        The names of its attributes, with a default or without.
    opsets : dict of str to int
        The version of each operator set that it uses, by domain.
    graph : ModelGraph
        Its inputs, nodes and outputs. Values have no types, and attributes that refer to those of
        the function are None.
    """

    domain: str
    name: str
    overload: str
    attributes: tuple[str, ...]
    opsets: dict[str, int]
    graph: ModelGraph


def functions_of(model: "Model") -> tuple[ModelFunction, ...]:
    """The functions of a model, in the order of the file."""
    found = model._skeleton().messages(lib.MODEL_FUNCTION)
    first = lib.ORTCORE_FUNCTIONS
    return tuple(_function(each, model._graph(first + i)) for i, each in enumerate(found))


def _function(message: "Message", graph: ModelGraph) -> ModelFunction:
    defaults = message.messages(lib.FUNCTION_ATTRIBUTE)
    return ModelFunction(
        message.text(lib.FUNCTION_DOMAIN),
        message.text(lib.FUNCTION_NAME),
        message.text(lib.FUNCTION_OVERLOAD),
        (
            *message.texts(lib.FUNCTION_ATTRIBUTE_NAME),
            *(each.text(lib.ATTRIBUTE_NAME) for each in defaults),
        ),
        graph.opsets,
        graph,
    )
