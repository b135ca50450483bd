# SPDX-License-Identifier: MIT
"""Sequences without elements that the core makes."""

from typing import TYPE_CHECKING

from ortcffi.kernels.host import call_host, host_function
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["empty_sequence_on_core"]


def empty_sequence_on_core(api: "Api", element: int) -> Value:
    """A sequence without tensors of an element type, of a table of the core."""
    value, out = blank(Value, api)
    call_host("OrtcoreEmptySequence", host_function("OrtcoreEmptySequence"), element, out)
    return value
