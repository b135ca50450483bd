# SPDX-License-Identifier: MIT
"""Sessions of the core: models are given the types and operators that providers need."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._table import editor_of
from ortcffi.errors import NotImplemented, check
from ortcffi.models.model import Model
from ortcffi.models.view import content_of
from ortcffi.session.creation import Source

if TYPE_CHECKING:
    from ortcffi.options.session import SessionOptions
    from ortcffi.table.api import Api

__all__ = ["source_on_core"]

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
                from ortcffi.session.replacing import explained, with_fewer_operators

                smaller = with_fewer_operators(tried[-1], options)
                if smaller is None:
                    raise explained(error, given, options, tried) from None
                tried.append(smaller)

    return Source(create, typed)


def _with_types(model: Model, options: "SessionOptions | None") -> Model:
    from ortcffi.models.editing import fix_dimensions
    from ortcffi.models.preparing import with_types

    fixed = [] if options is None else options.free_dimensions
    # Types of inner values follow from those lengths.
    return with_types(model._edited(fix_dimensions(model, fixed)) if fixed else model)
