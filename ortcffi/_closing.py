# SPDX-License-Identifier: MIT
"""What all objects share that a ``with`` block closes."""

from types import TracebackType
from typing import Any, Self

from ortcffi._public import public

__all__ = ["Closing"]


@public
class Closing:
    """Closes the object at the end of a ``with`` block, which a closed one cannot begin."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the finalizer of a compiled type where a subclass has a ``__del__`` of its own.

        By it a session is released before the collector clears what the library borrows for it.
        """
        super().__init_subclass__(**options)
        own: Any = vars(cls).get("__del__")
        finalize: Any = getattr(super(cls, cls), "__del__", None)
        if own is not None and finalize is not None:

            def finalize_both(self: Any) -> None:
                try:
                    own(self)
                finally:
                    finalize(self)

            cls.__del__ = finalize_both  # type: ignore[attr-defined]

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
