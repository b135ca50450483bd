# SPDX-License-Identifier: MIT
"""The core's kernel host: its C functions, and what they are given."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import encode, optional_mapping
from ortcffi._handle import out_of, owner_of
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.custom_ops.op_attr import OpAttr
from ortcffi.errors import call, checked
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ortcffi.table.api import Api

__all__ = ["attributes_for", "call_host", "host_function", "table_of_host"]


@cache
def host_function(name: str) -> Any:
    """A function of ``ortcore.h``, by its type, such as ``OrtcoreKernelCreate``."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    found = lib.GetExperimentalFunction(core_api().pointer, words[1:].encode())
    return ffi.cast(name, found)


def table_of_host(api: "Api", *, watch: bool = False) -> tuple[Any, Any]:
    """The base that a library registers with, and the table that its kernels get."""
    if not api.is_core:
        raise ValueError(
            f"api must be the embedded core's table or an emulated one, not {api}: kernels run on "
            f"the core; ortcffi.testing.compare_with_session compares with another library"
        )
    base = host_function("OrtcoreWatchedBase" if watch else "OrtcoreKernelBase")(api.version)
    return base, base.GetApi(api.version)


def call_host(name: str, function: Any, *arguments: Any) -> None:
    """Call a function of the core; raise the exception for a failing status."""
    call(core_api().pointer, name, function, *arguments)


def attributes_for(attributes: "Mapping[str, Any] | None") -> list[OpAttr]:
    """The attributes of a node."""
    found = []
    for name, value in optional_mapping("attributes", attributes).items():
        try:
            found.append(_attribute(name, value))
        except (TypeError, ValueError) as error:
            raise type(error)(f"attributes[{name!r}]: {error}") from None
    return found


def _attribute(name: str, value: Any) -> OpAttr:
    api = core_api()
    if isinstance(value, OpAttr):
        return value
    if isinstance(value, np.ndarray):
        value = Value.from_numpy(value, copy=True, api=api)
    if isinstance(value, Value):
        return _tensor(name, value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        owner = owner_of("OrtOpAttr*", api, lib.ReleaseOpAttr)
        kind, text = lib.ORT_OP_ATTR_STRING, ffi.from_buffer(value)
        called = encode("name", name)
        arguments = (called, text, len(value), kind, out_of(owner))
        checked.CreateOpAttr(api.pointer, *arguments)
        return OpAttr.from_handle(api, owner)
    if isinstance(value, (list, tuple)) and not value:
        raise TypeError("an empty list has no type: use OpAttr(name, [], OpAttrType.INTS)")
    return OpAttr(name, value, api=api)


def _tensor(name: str, value: Value) -> OpAttr:
    owner = owner_of("OrtOpAttr*", core_api(), lib.ReleaseOpAttr)
    make = host_function("OrtcoreTensorAttribute")
    given = (encode("name", name), value.handle, out_of(owner))
    call_host("OrtcoreTensorAttribute", make, *given)
    return OpAttr.from_handle(core_api(), owner)
