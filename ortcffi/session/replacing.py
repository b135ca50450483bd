# SPDX-License-Identifier: MIT
"""Models that no provider takes whole: operators are replaced by those that ONNX says they are."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ortcffi.ep.devices import EpDevice
from ortcffi.errors import OrtError
from ortcffi.models.contents import operator_name
from ortcffi.models.model import Model
from ortcffi.models.preparing import MISSING, described_by_others
from ortcffi.models.providers import Ep
from ortcffi.table.engine import advice

if TYPE_CHECKING:
    from ortcffi.options.session import SessionOptions

__all__ = ["explained", "with_fewer_operators"]


def with_fewer_operators(model: Model, options: "SessionOptions | None") -> Model | None:
    """The model with the operators that no provider takes replaced; None if none can be."""
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


def explained(
    error: OrtError, model: Model, options: "SessionOptions | None", tried: Sequence[Model]
) -> OrtError:
    """The error, with what would help: a provider or a library, or types.

    `tried` has the models that sessions were tried of, each with fewer operators.
    """
    if len(tried) > 1:
        counts = [_counts(each) for each in tried]
        replaced = {name for old, new in pairwise(counts) for name in old - new}
        names = ", ".join(sorted(replaced & _counts(model).keys()))
        text = f"it may be of the operators that ONNX describes {names} by, which no provider takes"
        error = type(error)(f"{error.message}; {text}", error.function)
    if options is None or not options._alive.get("ep_devices"):
        missing = advice()
    elif model._untyped() and not _can_import_onnx():
        missing = MISSING
    else:
        return error
    return type(error)(f"{error.message}; {missing}", error.function)
