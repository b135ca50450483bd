# SPDX-License-Identifier: MIT
"""Statuses as objects, and key-value pairs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import UINT32, decode, encode, integer, of_type
from ortcffi._forks import fork_safe_lock
from ortcffi._handle import FromHandle, Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import ErrorCode, OutOfMemory, error_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api

_lock = fork_safe_lock()  # held while pairs are read or changed: a change frees what was read


@public
class Status(Handle):
    """A code and a message, owned by this object.

    API functions: ``CreateStatus``, ``ReleaseStatus``.

    Parameters
    ----------
    code : int
        An `ErrorCode` or any other number of 32 bits. ``OK`` makes a status as well, although
        functions answer NULL for success.
    message : str, optional
        Text without null characters. A library keeps its first 4096 bytes of UTF-8.
    """

    __slots__ = ()

    _pointer, _release = "OrtStatus*", lib.ReleaseStatus

    def __init__(self, code: int, message: str = "", api: "Api | None" = None) -> None:
        api = table_for(api)
        number, text = integer("code", code, UINT32), encode("message", message)
        out = self._begin_handle(api)
        lib.ortcffi_create_status(api.pointer, number, text, out)
        if not out[0]:
            raise MemoryError("CreateStatus answered NULL")
        self._open_handle()

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


@public
class KeyValuePairs(FromHandle, MutableMapping[str, str]):
    """A mapping of str to str that lives in the library.

    The order is the library's: the core keeps that in which keys were added. API functions:
    ``CreateKeyValuePairs``, ``AddKeyValuePair``, ``GetKeyValue``, ``GetKeyValuePairs``,
    ``RemoveKeyValuePair``, ``ReleaseKeyValuePairs``.
    """

    __slots__ = ()

    _pointer, _release = "OrtKeyValuePairs*", lib.ReleaseKeyValuePairs

    def __init__(
        self,
        pairs: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        api: "Api | None" = None,
    ) -> None:
        api = table_for(api)
        of_type("pairs", pairs, Iterable, "a mapping or an iterable of pairs")
        api.require("CreateKeyValuePairs")
        out = self._begin_handle(api)
        lib.CreateKeyValuePairs(api.pointer, out)
        if not out[0]:
            raise OutOfMemory("there is no memory for an object", "CreateKeyValuePairs")
        self._open_handle()
        try:
            given = dict(pairs)
        except (TypeError, ValueError) as error:
            raise TypeError(f"pairs must be a mapping or an iterable of pairs: {error}") from None
        self.update(given)

    def to_dict(self) -> dict[str, str]:
        """Return a copy of all pairs, in the library's order."""
        with _lock:
            keys, values, count = self._arrays()
            return {decode(keys[i]): decode(values[i]) for i in range(count)}

    def _arrays(self) -> tuple[Any, Any, int]:
        """Return the keys, the values, and how many there are; valid until the pairs change."""
        arrays, count = ffi.new("const char* const*[2]"), ffi.new("size_t*")
        lib.GetKeyValuePairs(self.api.pointer, self.handle, arrays, arrays + 1, count)
        return arrays[0], arrays[1], int(count[0])

    def __getitem__(self, key: str) -> str:
        encode("key", key)
        return self.to_dict()[key]

    def __setitem__(self, key: str, value: str) -> None:
        self._check_writable()
        name = encode("key", key)
        text = encode(f"the value of {key!r}", value)
        if not name:
            raise ValueError("key must not be empty")
        with _lock:
            lib.AddKeyValuePair(self.api.pointer, self.handle, name, text)
            found = lib.GetKeyValue(self.api.pointer, self.handle, name)
            # The function has no status to say so.
            if not found or ffi.string(found) != text:
                message = f"there is no memory for the pair of {key!r}"
                raise OutOfMemory(message, "AddKeyValuePair")

    def __delitem__(self, key: str) -> None:
        self._check_writable()
        name = encode("key", key)
        with _lock:
            if not lib.GetKeyValue(self.api.pointer, self.handle, name):
                raise KeyError(key)
            lib.RemoveKeyValuePair(self.api.pointer, self.handle, name)

    def _check_writable(self) -> None:
        if not self._owned:
            raise TypeError("these KeyValuePairs belong to another object and cannot be changed")
        self.handle  # noqa: B018  # raises if closed

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return self._arrays()[2]

    def __repr__(self) -> str:
        return "<KeyValuePairs closed>" if self.closed else f"KeyValuePairs({self.to_dict()!r})"


def pairs_of(api: "Api", handle: Any) -> dict[str, str]:
    """Return a copy of the pairs that belong to another object; none for NULL."""
    if not handle:
        return {}
    with KeyValuePairs.from_handle(api, ffi.cast("OrtKeyValuePairs*", handle), api) as pairs:
        return pairs.to_dict()


def fact_of_library(slot: str, doc: str, convert: Callable[[Any], Any] | None = None) -> Any:
    """Return a property that is what a function answers for a handle: pairs, or as converted."""
    function = getattr(lib, slot)

    def read(of: Handle) -> Any:
        handle = of.handle  # kept until the answer is read
        answer = function(of.api.pointer, handle)
        return pairs_of(of.api, answer) if convert is None else convert(answer)

    return property(read, None, None, doc)
