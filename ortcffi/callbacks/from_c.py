# SPDX-License-Identifier: MIT
"""The guard around each Python function that C calls.

No exception may pass through C.

A topic defines its callbacks beside what they serve, under `called_from_c`, with one of three
policies for an exception: `make_status` where the signature has a status, `keep_exception` where
the library fails for NULL, else `report_exception`. The module
`ortcffi.errors` explains how an exception gets back to the caller in Python.

A callback finds its Python object by the ``context`` that C passes. A library may keep the context
for longer than the Python object lives. So it is a number, not an address: the number of a deleted
object is not found, while an address of freed memory would be read. Nothing about numbers takes a
lock, so a fork or a destructor at any point does no harm.

CFFI takes the GIL, also in threads that Python did not start. The core calls back under no lock.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import ref

from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi.errors import status_for

if TYPE_CHECKING:
    from ortcffi._ort import Cdata
    from ortcffi.table.api import Api

F = TypeVar("F", bound=Callable[..., Any])
# What C gets instead of an answer: called with the exception and the arguments of the callback.
Policy = Callable[[BaseException, tuple[Any, ...]], Any]


def called_from_c(name: str, policy: Policy) -> Callable[[F], F]:
    """Define the C function of that name, declared in ``boundary/python.h``."""

    def define(function: F) -> F:
        def guarded(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as error:  # noqa: BLE001  # nothing may pass through C
                return policy(error, arguments)

        def interrupted(_kind: type, error: BaseException, traceback: Any) -> Any:
            """Tell whether an interrupt came before the guard's `try`, or while it answered."""
            arguments = traceback.tb_frame.f_locals.get("arguments", ()) if traceback else ()
            return policy(error, arguments)

        ffi.def_extern(name=name, onerror=interrupted)(guarded)
        return function

    return define


def keep_exception(what: str) -> Policy:
    """Answer NULL; leave the exception with the call under way, or report it if there is none."""

    def policy(error: BaseException, _arguments: tuple[Any, ...]) -> Any:
        if not compiled.keep(error):
            report(error, what)
        return ffi.NULL

    return policy


def make_status(table: Callable[..., Any] | None = None) -> Policy:
    """Answer a status for the exception, which the call under way keeps.

    `table` gets the arguments of the callback and returns the table that the status is to belong
    to, or None for the core's.
    """

    def policy(error: BaseException, arguments: tuple[Any, ...]) -> Any:
        return status_for(error, table(*arguments) if table else None)

    return policy


# --- the numbers ---

_known: "dict[int, ref[Context]]" = {}


def find(pointer: "Cdata") -> Any:
    """Return the object of a context argument, or None if it was deleted."""
    known = _known.get(address_of(pointer))
    context = known() if known else None
    return None if context is None else context.subject


class Context:
    """The number of an object, while this lives: the collector sees their cycles."""

    __slots__ = ("__weakref__", "number", "subject")

    def __init__(self, subject: object) -> None:
        self.subject = subject
        self.number = lib.ortcffi_next_number()  # before it is known: an interrupt may come between
        _known[self.number] = ref(self)

    def __del__(self, known: dict[int, Any] = _known) -> None:
        known.pop(getattr(self, "number", 0), None)

    @property
    def pointer(self) -> "Cdata":
        """The number as the context argument for C."""
        return ffi.cast("void*", self.number)


class Subject(NamedTuple):
    """What the number stands for that C has for a function: that, and the table of its statuses."""

    function: Callable[..., Any]
    api: "Api"


def _table_of(context: "Cdata", *_arguments: Any) -> Any:
    subject = find(context)
    return subject.api.pointer if subject else None


make_status_of_subject = make_status(_table_of)


def report_exception(what: str, answer: Any = None) -> Policy:
    """Pass the exception to ``sys.unraisablehook``, since no caller can receive it."""

    def policy(error: BaseException, _arguments: tuple[Any, ...]) -> Any:
        report(error, what)
        return answer

    return policy


def report(error: BaseException, what: str) -> None:
    """Report an exception that no caller can receive, as Python does for destructors."""
    compiled.report(error, what)
