# SPDX-License-Identifier: MIT
"""Sessions of the core: models are given the types and operators that providers need.

Of models that no provider takes whole, operators are replaced by their functions in ONNX.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._public import quoted
from ortcffi._table import editor_of
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import NotImplemented, OrtError, check
from ortcffi.models.contents import operator_name
from ortcffi.models.model import Model
from ortcffi.models.preparing import MISSING, described_by_others, with_types
from ortcffi.models.providers import Ep
from ortcffi.models.view import content_of
from ortcffi.session.creation import Source
from ortcffi.table.engine import advice

if TYPE_CHECKING:
    from ortcffi.models.parts import ModelNode
    from ortcffi.options.session import SessionOptions
    from ortcffi.table.api import Api

__all__ = ["source_on_core"]


def with_fewer_operators(model: Model, options: "SessionOptions | None") -> Model | None:
    """The model with what no provider takes replaced, operators and calls of functions.

    None if nothing can be.
    """
    if not _can_import_onnx():
        return None
    left = None
    for ep in _eps_of(options):
        with ep:
            nodes = ep.capability(model).left
            found = {operator_name(node.domain, node.op_type) for node in nodes}
        left = found if left is None else left & found
    operators = described_by_others(left or (), model.opsets)
    functions = {operator_name(each.domain, each.name) for each in model.functions}
    if not operators and (left is None or functions.isdisjoint(left)):
        return None
    try:
        smaller = model.prepare(operators)
    except ValueError:
        return None
    # Of operator sets older than its description, an operator stays.
    return None if _counts(smaller) == _counts(model) else smaller


def _counts(model: Model) -> Counter[str]:
    return Counter(operator_name(node.domain, node.op_type) for node in model.graph.nodes)


def _can_import_onnx() -> bool:
    try:
        import onnx  # noqa: F401
    except ImportError:
        return False
    return True


def _eps_of(options: "SessionOptions | None") -> Iterator[Ep]:
    """The execution providers of options, each with its first device."""
    if options is None:
        return
    config, names = dict(options.config), set()
    for handle in options._alive.get("ep_devices", ()):
        device = EpDevice(options.api, handle, parent=options)
        if device.name not in names:
            names.add(device.name)
            yield Ep(device, config=config)


def _node_of_model(message: str, last: Model, model: Model) -> "ModelNode | None":
    """The node of a model that was replaced by nodes of the last one, of which an error names one.

    What the others make leads to an output of that node. None if it is the node itself.
    """

    def is_named(name: str) -> bool:  # the core cuts names
        return f"which makes '{name.encode()[:100].decode(errors='replace')}'" in message

    own = {name: node for node in model.graph.nodes for name in node.outputs if name}
    users: dict[str, list[ModelNode]] = {}
    queue: list[ModelNode] = []
    for node in last.graph.nodes:
        for name in (*node.inputs, *node.implicit_inputs):
            users.setdefault(name, []).append(node)
        if not queue and any(map(is_named, node.outputs)):
            queue.append(node)
    for node in queue:
        for name in node.outputs:
            if name in own:
                is_same = node is queue[0] and own[name].op_type == node.op_type
                return None if is_same else own[name]
            queue += (each for each in users.get(name, ()) if each not in queue)
    return None


def explained(
    error: OrtError, model: Model, options: "SessionOptions | None", tried: Sequence[Model]
) -> OrtError:
    """The error, with what would help: a provider or a library, or types.

    `tried` has the models that sessions were tried of, each with fewer operators.
    """
    whole = _node_of_model(error.message, tried[-1], model)
    if whole is not None:
        made = next(filter(None, whole.outputs))
        operator = operator_name(whole.domain, whole.op_type)
        node = f"{quoted(whole.name)}, which makes {quoted(made)}: {operator}"
        text = f"it is a part of the model's node {node}"
        error = type(error)(f"{error.message}; {text}", error.function)
    if options is None or not options._alive.get("ep_devices"):
        missing = advice()
    elif model._untyped() and not _can_import_onnx():
        missing = MISSING
    else:
        return error
    return type(error)(f"{error.message}; {missing}", error.function)


_SLOT = "CreateSessionFromModel"


def source_on_core(api: "Api", model: Any, options: "SessionOptions | None") -> Source:
    """A model for the core, which is not copied.

    Where no execution provider takes a node, the operators that ONNX describes by others are
    replaced, and it is tried again.
    """
    editor = editor_of(api, _SLOT)
    given = model if isinstance(model, Model) else Model.load(content_of(model))
    typed = _with_types(given, options) if given._untyped() else given

    def create(env: Any, handle: Any, out: Any) -> None:
        tried = [typed]
        while True:
            arguments = editor, env, tried[-1].handle, handle, out
            try:
                return check(api.pointer, lib.CreateSessionFromModel(*arguments), _SLOT)
            except NotImplemented as error:
                smaller = with_fewer_operators(tried[-1], options)
                if smaller is None:
                    raise explained(error, given, options, tried) from None
                tried.append(smaller)

    return Source(create, typed)


def _with_types(model: Model, options: "SessionOptions | None") -> Model:
    from ortcffi.models.editing import fix_dimensions

    fixed = [] if options is None else options.free_dimensions
    # Types of inner values follow from those lengths.
    return with_types(model._edited(fix_dimensions(model, fixed)) if fixed else model)
