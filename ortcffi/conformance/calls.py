# SPDX-License-Identifier: MIT
"""The functions of a library's tables as rows call them: arguments of Python, answers as text.

A slot takes the arguments of its C function. Out-parameters at the end may be left out: they are
made, and what the slot wrote to them is what the call returns. A failing status is returned as
`Failed`; given to another call, it ends the row.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from ortcffi._native import ffi, lib, slot_since
from ortcffi._table import HIGHEST_VERSION, api_version_of
from ortcffi.testing.rules import NotTried

# The getter of each table beside OrtApi; its slots before a place came with an API version.
TABLES: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {
    "OrtModelEditorApi": ("GetModelEditorApi", ((20, 22),)),
    "OrtCompileApi": ("GetCompileApi", ((9, 22), (14, 23), (15, 25), (16, 30), (19, 31), (20, 32))),
    "OrtEpApi": ("GetEpApi", ((2, 22), (16, 23), (50, 24), (73, 25), (78, 31))),
    "OrtInteropApi": ("GetInteropApi", ((11, 24), (13, 25))),
    "OrtModelPackageApi": ("GetModelPackageApi", ((16, 31),)),
}
LOWEST_VERSION = 11  # of the API that the suite asks
UNTOUCHED = 0x10  # what pointers are before a call: an address that no page has
FILLED = b"\x10"  # each byte of an out-parameter before a call
KEPT: list[Any] = []  # what C may read until the process ends
CODES = {
    getattr(lib, name): name.removeprefix("ORT_") for name in ffi.typeof("OrtErrorCode").relements
}


class Failed(NamedTuple):
    """A failing status, which was released, and out-parameters that were written nevertheless."""

    slot: str
    code: str
    message: str
    written: str


class Stopped(Exception):
    """Make a call failed on which the rest of a row depends."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.slot}: {failed.code}: {failed.message}")
        self.failed = failed


class Asked(Exception):
    """Make a call got the NULL that its row asks for: it is the last one of the row."""

    def __init__(self, answer: Any) -> None:
        super().__init__("a call got NULL")
        self.answer = answer


class Table:
    """The functions of a library, by the names of their slots, at its highest API version."""

    def __init__(self, path: str, entry: str = "OrtGetApiBase") -> None:
        if (function := getattr(ctypes.CDLL(path), entry, None)) is None:
            raise ValueError(f"exports no {entry}")
        function.restype = ctypes.c_void_p
        if not (base := function()):
            raise ValueError(f"{entry} returns NULL")
        self.base = ffi.cast("OrtApiBase*", base)
        self.release = ffi.string(self.base.GetVersionString()).decode()
        self.version = min(api_version_of(self.release), HIGHEST_VERSION)
        self.api = self.base.GetApi(self.version)
        if self.version < LOWEST_VERSION or not self.api:
            raise ValueError(f"{self.release} has no API of version {LOWEST_VERSION} or newer")
        self.null: tuple[str, int] | None = None  # the argument of a slot that is to be NULL
        self.slots: dict[str, Slot] = {}
        for table in ("OrtApi", *TABLES):
            for name, field in ffi.typeof(table).fields:
                self.slots.setdefault(name, Slot(self, table, name, field.type))
        self.sure = {name: slot.must for name, slot in self.slots.items()}

    def of(self, name: str) -> Any:
        """Return the table of that name."""
        return self.api if name == "OrtApi" else getattr(self.api, TABLES[name][0])()


class Slot:
    """Make a function of a table."""

    def __init__(self, table: Table, of: str, name: str, kind: Any) -> None:
        self.table, self.of, self.name = table, of, name
        self.arguments, self.result = kind.args, kind.result
        self.since = since(name)

    def _function(self) -> Any:
        if self.since > self.table.version:
            raise NotTried(f"{self.name} came with API version {self.since}")
        return getattr(self.table.of(self.of), self.name)

    def is_there(self) -> bool:
        """Whether the function is no NULL."""
        return bool(self._function() != ffi.NULL)

    def __call__(self, *given: Any) -> Any:
        """Call the function; return what it answers."""
        null = self.table.null
        if null is None or null[0] != self.name:
            return self._answer(given, None)
        self.table.null = None
        answer = self._answer(given, null[1])
        raise Asked(answer if isinstance(answer, Failed) else "returned")

    def _answer(self, given: tuple[Any, ...], null: int | None) -> Any:
        function = self._function()
        arguments = [converted(*pair) for pair in zip(self.arguments, given, strict=False)]
        outs = [filled(kind) for kind in self.arguments[len(given) :]]
        arguments += outs
        if null is not None:
            arguments[null] = ffi.cast(self.arguments[null], ffi.NULL)
        KEPT.append((arguments, outs))
        answer = function(*arguments)
        if self.result.cname.startswith("struct OrtStatus") and self.name != "CreateStatus":
            if answer:
                return self._failed(answer, outs)
            answer = None
        values = [read(out) for out in outs]
        if self.result.cname == "char *":
            return text_of(answer)
        if answer is not None:
            values.append(answer)
        return "OK" if not values else values[0] if len(values) == 1 else tuple(values)

    def must(self, *given: Any) -> Any:
        """Call the function, which must not fail: otherwise the row ends."""
        answer = self(*given)
        if isinstance(answer, Failed):
            raise Stopped(answer)
        return answer

    def _failed(self, status: Any, outs: list[Any]) -> Failed:
        api: Any = self.table.api
        code, message = api.GetErrorCode(status), text_of(api.GetErrorMessage(status))
        api.ReleaseStatus(status)
        written = [
            "NULL" if not any(ffi.buffer(out)) else "set"
            for out in outs
            if ffi.buffer(out)[:] != FILLED * len(ffi.buffer(out)) and not _is_untouched(out)
        ]
        return Failed(self.name, CODES.get(code, f"code {code}"), message or "", ", ".join(written))


@cache
def _later() -> dict[str, int]:
    """Return the API version of each slot of the other tables."""
    return {
        name: next(version for end, version in ends if index < end)
        for table, (_, ends) in TABLES.items()
        for index, (name, _) in enumerate(ffi.typeof(table).fields)
    }


def since(name: str) -> int:
    """Return the API version that a slot of any table came with; 0 where there is none."""
    return slot_since(name) or _later().get(name, 0)


def filled(kind: Any) -> Any:
    """Make an out-parameter that shows whether it was written."""
    if kind.kind != "pointer":
        raise TypeError(f"an argument is missing: {kind.cname}")
    out = ffi.new(kind)
    if kind.item.kind == "pointer":
        out[0] = ffi.cast(kind.item, UNTOUCHED)
    else:
        ffi.buffer(out)[:] = FILLED * len(ffi.buffer(out))
    return out


def _is_untouched(out: Any) -> bool:
    return ffi.typeof(out).item.kind == "pointer" and out[0] == ffi.cast("void*", UNTOUCHED)


def read(out: Any) -> Any:
    """Return what an out-parameter holds; a text for ``char*``."""
    item = ffi.typeof(out).item
    if item.kind == "struct":
        return out
    if item.cname == "char *":
        return "untouched" if _is_untouched(out) else text_of(out[0])
    if item.kind == "enum":
        return int(ffi.cast("int", out[0]))
    return out[0]


def text_of(pointer: Any) -> str | None:
    """Return a text of C; bytes that are not UTF-8 as escapes."""
    if pointer == ffi.NULL:
        return None
    text: Any = ffi.string(pointer)
    return text if isinstance(text, str) else str(text, errors="backslashreplace")


def converted(kind: Any, given: Any) -> Any:  # a kind of argument each
    """Convert an argument for C, and keep what it points to."""
    if isinstance(given, Failed):
        raise Stopped(given)
    if kind.kind in ("primitive", "enum"):
        return ffi.cast(kind, given) if isinstance(given, int) else given
    if given is None:
        return ffi.cast(kind, ffi.NULL)
    if isinstance(given, str | bytes):
        wide = kind.item.cname == "wchar_t"
        raw = given.encode() if not wide and isinstance(given, str) else given
        return ffi.cast(kind, _kept(ffi.new("wchar_t[]" if wide else "char[]", raw)))
    if isinstance(given, list | tuple):
        texts = any(isinstance(each, str) for each in given)
        item = ffi.typeof("char*") if texts else kind.item
        items = [converted(item, each) for each in given]
        return ffi.cast(kind, _kept(ffi.new(f"{item.cname}[]", items or 1)))
    return ffi.cast(kind, given)


def _kept(made: Any) -> Any:
    KEPT.append(made)
    return made


def buffer(kind: str, fill: Any = None) -> Any:
    """Make an array for what a slot writes; `fill` is what it begins with."""
    return _kept(ffi.new(kind) if fill is None else ffi.new(kind, fill))


def callback(kind: str, function: Callable[..., Any]) -> Any:
    """Make a C function of a Python function, as long as the process lives."""
    return _kept(ffi.callback(kind, function))
