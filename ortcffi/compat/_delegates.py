# SPDX-License-Identifier: MIT
"""Methods and properties that only return what an attribute of another object is."""

from operator import attrgetter
from typing import Any


def returned(attribute: str, kind: str = "") -> Any:
    """Return a method for an attribute such as ``_device.name``, or its member of an enum."""
    get = attrgetter(attribute)

    def method(self: Any) -> Any:
        if not kind:
            return get(self)
        from ortcffi.compat import _enums

        return getattr(_enums, kind)(get(self))

    return method


def fact(attribute: str, kind: str = "") -> Any:
    """Return a property that is what the method of `returned` returns."""
    return property(returned(attribute, kind))
