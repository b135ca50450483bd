# SPDX-License-Identifier: MIT
"""Sessions of the core: models get the types, and the operators, that execution providers want."""

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from ortcffi.ep.devices import EpDevice
from ortcffi.errors import NotImplemented, OrtError
from ortcffi.models.contents import operator_name
from ortcffi.models.editing import fix_dimensions
from ortcffi.models.editor import Parts
from ortcffi.models.model import Model
from ortcffi.models.preparing import MISSING, described_by_others, lacks_types, with_types
from ortcffi.models.view import content_of
from ortcffi.session.creation import Source
from ortcffi.table.engine import ADVICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ortcffi.models.providers import Ep
    from ortcffi.options.session import SessionOptions
    from ortcffi.table.api import Api

__all__ = ["source_on_core"]

_SLOT = "CreateSessionFromModel"


def source_on_core(api: "Api", model: Any, options: "SessionOptions | None") -> Source:
    """A model for the core, which is not copied.

    Where no execution provider takes a node, the operators that ONNX describes by others are
    replaced, and it is tried again.
    """
    given = model if isinstance(model, Model) else Model.load(content_of(model))
    fixed = [] if options is None else options.free_dimensions
    # Types of inner values follow from those lengths, where types are missing.
    known = given._edited(fix_dimensions(given, fixed)) if fixed and lacks_types(given) else given
    typed = with_types(known)

    def create(env: Any, handle: Any, out: Any) -> None:
        parts = Parts(api, _SLOT)
        current, replaced = typed, set[str]()
        while True:
            try:
                return parts.call(_SLOT, env, current.handle, handle, out)
            except NotImplemented as error:
                smaller = _with_fewer_operators(current, options)
                if smaller is None:
                    raise _explained(error, given, options, replaced) from None
                replaced |= (_counts(current) - _counts(smaller)).keys()
                current = smaller

    return Source(create, typed)


def _with_fewer_operators(model: Model, options: "SessionOptions | None") -> Model | None:
    """The model with the operators that no provider takes replaced; None if there are none."""
    if "onnx" not in sys.modules and not _can_import_onnx():
        return None
    left = None
    for ep in _eps_of(options):
        with ep:
            nodes = ep.capability(model).left
            found = {operator_name(node.domain, node.op_type) for node in nodes}
        left = found if left is None else left & found
    operators = described_by_others(left or (), model.opsets)
    if not operators:
        return None
    smaller = model.prepare(operators)
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


def _eps_of(options: "SessionOptions | None") -> "Iterator[Ep]":
    """The execution providers of options, each with its first device."""
    from ortcffi.models.providers import Ep

    if options is None:
        return
    config, names = dict(options.config), set()
    for handle in options._alive.get("ep_devices", ()):
        device = EpDevice(options.api, handle, parent=options)
        if device.name not in names:
            names.add(device.name)
            yield Ep(device, config=config)


def _explained(
    error: OrtError, model: Model, options: "SessionOptions | None", replaced: set[str]
) -> OrtError:
    """The error, with what would help: a provider or a library, or types."""
    if replaced:
        names = ", ".join(sorted(replaced & _counts(model).keys()))
        text = f"it may be of the operators that ONNX describes {names} by, which no provider takes"
        error = type(error)(f"{error.message}; {text}", error.function)
    if options is None or not options._alive.get("ep_devices"):
        missing = ADVICE
    elif lacks_types(model) and not _can_import_onnx():
        missing = MISSING
    else:
        return error
    return type(error)(f"{error.message}; {missing}", error.function)
