# SPDX-License-Identifier: MIT
"""NumPy's own arrays in the memory of an allocator."""

from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.errors import NotImplemented, add_cause
from ortcffi.memory.allocator import Allocator

__all__ = ["numpy_allocator"]

# The previous handlers, to be restored on exit. They are in the context, like NumPy's own handler,
# so that two contexts which inherit from the same one do not change each other's.
_before: ContextVar[tuple[Any, ...]] = ContextVar("ortcffi_numpy_handlers", default=())


@public
class numpy_allocator:  # noqa: N801  # used like a function, as contextlib's are
    """Allocate the arrays that NumPy makes in a ``with`` block from an allocator.

    That applies to results and temporaries of any operation. The arrays outlive the block and keep
    the allocator alive; each takes 64 bytes more than its data. NumPy stores the allocator in a
    context variable (NEP 49), so the block applies to its own thread, the coroutines that it
    starts, and threads that run in a copy of its context:
    ``Thread(target=copy_context().run, args=(f,))``.

    Parameters
    ----------
    allocator : Allocator
        Any allocator of CPU memory: the core's, an adaptor, a real library's.

    Examples
    --------
    >>> import numpy as np
    >>> from ortcffi import Tracking, core_api
    >>> pool = Tracking(core_api().default_allocator)
    >>> with numpy_allocator(pool):
    ...     y = np.ones(1000) * 2
    >>> pool.num_allocations >= 2, y.ctypes.data % 64
    (True, 0)
    """

    __slots__ = ("_allocator",)

    def __init__(self, allocator: Allocator) -> None:
        if not isinstance(allocator, Allocator):
            raise TypeError(f"allocator must be an Allocator, not {type(allocator).__name__}")
        self._allocator = allocator

    def __enter__(self) -> Self:
        before = _before.get()
        try:
            if not lib.ortcffi_numpy_enter(self._allocator.handle, _before):
                raise NotImplemented("this NumPy has no handlers of memory", "PyDataMem_SetHandler")
            return self
        except BaseException:  # an interrupt, after which nobody calls __exit__
            if _before.get() is not before:
                lib.ortcffi_numpy_leave(_before)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not lib.ortcffi_numpy_leave(_before):
            raise RuntimeError("this numpy_allocator was not entered in this context")
        if isinstance(error, MemoryError):
            add_cause(error)
