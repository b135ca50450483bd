# SPDX-License-Identifier: MIT
"""`Status`: an ``OrtStatus``, for callbacks and tests. Failing calls raise without it."""

from typing import TYPE_CHECKING

from ortcffi._convert import UINT32, decode, encode, integer
from ortcffi._native import lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import ErrorCode, error_for
from ortcffi.platform.handle import Handle, out_of, owner_of

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Status"]


@public
class Status(Handle):
    """A code and a message, owned by this object.

    Parameters
    ----------
    code : int
        An `ErrorCode` or any other number of 32 bits. ``OK`` makes a status as well, although
        functions answer NULL for success.
    message : str, optional
        Text without null characters. A library keeps its first 4096 bytes of UTF-8.
    api : Api, optional
        The table that makes the status, by default the one of `default_api`.

    Raises
    ------
    ValueError
        The code has more than 32 bits or is negative, or the message cannot be a UTF-8 string of C.

    Notes
    -----
    API functions: ``CreateStatus``, ``ReleaseStatus``.
    """

    __slots__ = ()

    def __init__(self, code: int, message: str = "", api: "Api | None" = None) -> None:
        api = table_for(api)
        number, text = integer("code", code, UINT32), encode("message", message)
        owner = owner_of("OrtStatus*", api, lib.ReleaseStatus)
        out = out_of(owner)
        lib.ortcffi_create_status(api.pointer, number, text, out)
        if not out[0]:
            raise MemoryError("CreateStatus answered NULL")
        super().__init__(api, owner)

    @property
    def code(self) -> ErrorCode:
        """The code. API function: ``GetErrorCode``."""
        return ErrorCode(lib.GetErrorCode(self.api.pointer, self.handle))

    @property
    def message(self) -> str:
        """The message, with replacement characters for what is not UTF-8.

        API function: ``GetErrorMessage``.
        """
        handle = self.handle  # kept until the text is decoded
        return decode(lib.GetErrorMessage(self.api.pointer, handle))

    @property
    def ok(self) -> bool:
        """Whether the code is ``OK``."""
        return self.code == ErrorCode.OK

    def raise_(self, function: str | None = None) -> None:
        """Raise what a call that answered with this status would raise; nothing if it is `ok`.

        Parameters
        ----------
        function : str, optional
            The name of the function that failed, for the exception.
        """
        if not self.ok:
            raise error_for(self.code, self.message, function)

    def __repr__(self) -> str:
        if self.closed:
            return "<Status closed>"
        return f"<Status {self.code.name}: {self.message!r}>"
