# SPDX-License-Identifier: MIT
"""Copies of the core's session options and values for the library that runs a model."""

from typing import TYPE_CHECKING, Any

from ortcffi.options.session_options import SessionOptions
from ortcffi.values.element_types import PACKED, ElementType, ValueKind

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def session_options_for(api: "Api", options: SessionOptions | None) -> SessionOptions | None:
    """Session options of the engine's library: those given, or a copy of those of the core."""
    if options is None:
        return None
    if api.same_library(options.api):
        return options
    options._refuse_other_library(api)
    for name in ("custom_ops", "op_domains", "weightless_source", "device_selector"):
        if options._values.get(name) or (name == "custom_ops" and options.custom_ops):
            raise ValueError(
                f"options belong to {options.api} and have {name}, which {api} cannot be given: "
                "make them with api= of that library"
            )
    copy = SessionOptions(api, config=dict(options.config))
    options._set_changed(copy)
    for fixed in options.free_dimensions:
        copy.fix_dimension(fixed.name, fixed.value, is_denotation=fixed.is_denotation)
    for name, value in options.initializers.items():
        copy.add_initializer(name, value_for(api, value))
    external = options.external_initializers
    if external:
        copy.add_external_initializers({name: value_for(api, external[name]) for name in external})
    if options.external_files:
        copy.add_external_files(options.external_files)
    return copy


def value_for(api: "Api", value: Any) -> Any:
    """Return a value that a library can use: itself, or one of that library over the same memory.

    Tensors of strings and of packed elements, and values that are no dense tensors, are copied.
    """
    if api.same_library(value.api):
        return value
    kind = type(value)
    is_tensor = value.kind is ValueKind.TENSOR
    if not is_tensor or value.element_type in (ElementType.STRING, *PACKED):
        make, arguments = value.__reduce_ex__(4)
        return make(*arguments, api=api)
    return kind._borrow(
        api._maker,
        value._data,
        value.nbytes,
        value.shape,
        value.element_type,
        value,
        value.readonly,
    )
