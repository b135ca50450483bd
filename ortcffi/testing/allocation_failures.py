# SPDX-License-Identifier: MIT
"""What a piece of code does when memory is refused."""

from collections.abc import Callable
from typing import Any

from ortcffi._table import core_api
from ortcffi.errors import OrtError
from ortcffi.kernels.make_kernel import OPS_USED
from ortcffi.memory.adaptors import Failing
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.tracking import Tracking

MOST = 10_000


def sweep_allocation_failures(
    call: Callable[[Allocator], Any], allocator: Allocator | None = None
) -> int:
    """Call a function again and again, with one more allocation that succeeds each time.

    In the first call all allocations fail, in the second all but the first, and so on. It ends with
    a call in which none fails.

    Parameters
    ----------
    call : callable
        ``call(allocator)`` does what is tested, with `allocator` as the allocator of a kernel, for
        instance. What it returns is dropped.
    allocator : Allocator, optional
        What gives the memory, by default the default allocator of the embedded core.

    Returns
    -------
    int
        How many allocations a call makes.

    Raises
    ------
    AssertionError
        A call succeeded although an allocation failed, raised something that is neither an
        `OrtError` nor a `MemoryError`, or left blocks that are not freed. The message names the ops
        of which the call made kernels.

    Examples
    --------
    >>> from ortcffi.testing import sweep_allocation_failures
    >>> sweep_allocation_failures(lambda allocator: allocator.zeros(100, np.float32))
    1
    """
    __tracebackhide__ = True
    if not callable(call):
        raise TypeError(f"call must be callable, not {type(call).__name__}")
    inner = core_api().default_allocator if allocator is None else allocator
    used: set[str] = set()
    token = OPS_USED.set(used)
    try:
        return _sweep(call, inner)
    except _WrongError as error:
        ops = "".join(f"{op}: " for op in sorted(used))
        raise AssertionError(f"{ops}{error}") from error.__cause__
    finally:
        OPS_USED.reset(token)


class _WrongError(Exception):
    """What is wrong, with the exception of the call as its cause."""


def _sweep(call: Callable[[Allocator], Any], inner: Allocator) -> int:
    __tracebackhide__ = True
    for number in range(1, MOST):
        with Tracking(inner) as tracking:
            failing = Failing(tracking, number - 1)
            error = _call(call, failing, number)
            failed = failing.refused > 0
            failing.close()
            left = tracking.bytes_allocated
            if left:
                raise _WrongError(
                    f"{left} bytes are left after a call whose allocation {number} failed"
                ) from error
            if not failed:
                return number - 1
            if error is None:
                raise _WrongError(f"the call succeeded although its allocation {number} failed")
            error = None
    raise _WrongError(f"a call makes more than {MOST} allocations")


def _call(call: Callable[[Allocator], Any], failing: Failing, number: int) -> Exception | None:
    __tracebackhide__ = True
    try:
        call(failing)
    except Exception as error:
        if failing.refused == 0:
            raise
        if isinstance(error, (OrtError, MemoryError)):
            return error.with_traceback(None)
        message = f"allocation {number} failed, and the call raised {type(error).__name__}: {error}"
        raise _WrongError(message) from error
    return None
