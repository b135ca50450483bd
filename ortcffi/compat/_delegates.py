# SPDX-License-Identifier: MIT
"""Methods and properties that only return what an attribute of another object is."""

from operator import attrgetter
from typing import Any


def returned(attribute: str, what: str, kind: str = "") -> Any:
    """A method without arguments that returns an attribute, such as ``_device.name``.

    Where a `kind` is given, the result is the member of the enum of that name; `what` the result is
    stands in the docstring.
    """
    get = attrgetter(attribute)

    def method(self: Any) -> Any:
        if not kind:
            return get(self)
        from ortcffi.compat import _enums

        return getattr(_enums, kind)(get(self))

    method.__doc__ = f"Return {what}."
    return method


def fact(attribute: str, what: str, kind: str = "") -> Any:
    """A property that is what the method of `returned` returns."""
    return property(returned(attribute, what, kind), doc=f"{what[0].upper()}{what[1:]}.")
