# SPDX-License-Identifier: MIT
"""What all objects share that a ``with`` block closes."""

from types import TracebackType
from typing import Self

from ortcffi._public import public

__all__ = ["Closing"]


@public
class Closing:
    """Closes the object at the end of a ``with`` block, which a closed one cannot begin."""

    __slots__ = ()

    def __enter__(self) -> Self:
        if getattr(self, "closed", False):
            raise ValueError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what the object has."""
        raise NotImplementedError
