# SPDX-License-Identifier: MIT
"""Sessions of the core: models are given the types that providers need."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._table import editor_of
from ortcffi.errors import NotImplemented, OrtError, check
from ortcffi.models.by_onnx import MISSING, with_types
from ortcffi.models.graph import Graph
from ortcffi.models.graph_dimensions import fix_dimensions
from ortcffi.models.model import Model
from ortcffi.session.creation import Source
from ortcffi.table.engine import advice

if TYPE_CHECKING:
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.table.api import Api

_SLOT = "CreateSessionFromModel"


def source_on_core(api: "Api", model: Any, options: "SessionOptions | None") -> Source:
    """Return a model for the core, which is not copied.

    The types of inner values that it lacks come from the package onnx, if that is installed. Nodes
    that call a function of the model are replaced by its nodes where nobody takes them.
    """
    editor = editor_of(api, _SLOT)
    if isinstance(model, Model):
        given = model
    else:
        given = model.to_model() if isinstance(model, Graph) else Model.load(model)
    typed = _with_types(given, options) if given._untyped() else given

    def create_of(tried: Model, env: Any, handle: Any, out: Any) -> None:
        check(
            api.pointer, lib.CreateSessionFromModel(editor, env, tried.handle, handle, out), _SLOT
        )

    def create(env: Any, handle: Any, out: Any) -> None:
        try:
            create_of(typed, env, handle, out)
        except NotImplemented as error:
            if not typed.functions or not _has_onnx():
                raise _explained(error, typed, options) from None
            create_of(typed.prepare(), env, handle, out)

    return Source(create, typed)


def _has_onnx() -> bool:
    return find_spec("onnx") is not None


def _with_types(model: Model, options: "SessionOptions | None") -> Model:
    fixed = [] if options is None else options.free_dimensions
    if fixed:  # types of inner values follow from those lengths
        graph = model.edit()
        fix_dimensions(graph, fixed)
        model = graph._model()
    return with_types(model)


def _explained(error: OrtError, model: Model, options: "SessionOptions | None") -> OrtError:
    """Return the error, with what would help: a provider or a library, or types."""
    if options is None or not options._alive.get("ep_devices"):
        missing = advice()
    elif model._untyped() and not _has_onnx():
        missing = MISSING
    else:
        return error
    return type(error)(f"{error.message}; {missing}", error.function)
