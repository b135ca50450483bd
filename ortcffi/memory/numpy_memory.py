# SPDX-License-Identifier: MIT
"""NumPy's own arrays in the memory of an allocator."""

from typing import Self

from ortcffi._convert import of_type
from ortcffi._native import address_of, compiled
from ortcffi._public import public
from ortcffi.errors import OutOfMemory, add_cause
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.blocks import NO_BLOCK, with_limits


@public
class numpy_allocator:  # noqa: N801  # used like a function, as contextlib's are
    """Allocate the arrays that NumPy makes in a ``with`` block from an allocator.

    That applies to results and temporaries of any operation. The arrays outlive the block and keep
    the allocator alive; each takes 64 bytes more than its data. NumPy stores the allocator in a
    context variable (NEP 49), so the block applies to its own thread, the coroutines that it
    starts, and threads that run in a copy of its context,
    ``Thread(target=copy_context().run, args=(f,))``.

    Parameters
    ----------
    allocator : Allocator
        Any allocator of CPU memory: the core's, an adaptor, a real library's. NumPy's `MemoryError`
        where a `Limiting` refuses has an `OutOfMemory` with the limit as its cause.

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
        self._allocator = of_type("allocator", allocator, Allocator)

    def __enter__(self) -> Self:
        before = compiled.numpy_handler()
        try:
            compiled.numpy_enter(address_of(self._allocator.handle))
            return self
        except BaseException:  # an interrupt, after which nobody calls __exit__
            compiled.numpy_use(before)
            raise

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        if not compiled.numpy_leave():
            raise RuntimeError("this numpy_allocator was not entered in this context")
        if not isinstance(error, MemoryError):
            return
        add_cause(error)
        if error.__cause__ is None and (limits := self._allocator._limits()):
            error.__cause__ = with_limits(OutOfMemory(NO_BLOCK, "Alloc"), limits)
