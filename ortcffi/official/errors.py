# SPDX-License-Identifier: MIT
"""Official exceptions as exceptions of `ortcffi.errors`."""

from types import TracebackType

from ortcffi.errors import OFFICIAL_MESSAGE, OrtError, error_for

__all__ = ["Translation"]


def translated(error: BaseException) -> BaseException | None:
    """The exception that the status of an official one stands for; None where it has none."""
    if isinstance(error, OrtError):
        return None
    found = OFFICIAL_MESSAGE.search(str(error))
    return error_for(int(found[1]), found[2], None) if found else None


class Translation:
    """A context manager that raises `ortcffi.errors` for official exceptions."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is not None and (ours := translated(error)) is not None:
            raise ours from error
