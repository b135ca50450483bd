# SPDX-License-Identifier: MIT
"""`SoftBound`: a bound on the memory that official sessions share, which refuses nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ortcffi._public import public
from ortcffi.errors import ErrorCode, OutOfMemory
from ortcffi.memory.handlers import Limiting
from ortcffi.options.run import RunOptions

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator
    from ortcffi.official.attached import Official

__all__ = ["SoftBound"]

TERMINATED = "Exiting due to terminate flag"  # what ONNX Runtime says of such runs


class _Run:
    """A block of `SoftBound.run_options` that is being executed."""

    def __init__(self, options: RunOptions) -> None:
        self.options = options
        self.over = False  # whether the bound set the flag that ends the run


@public
class SoftBound:
    """A bound on the memory that official sessions share; made by `Official.share_soft_bound`.

    ONNX Runtime ends the process when a shared allocator has no block. This one grants what goes
    over the bound too, counts it, and terminates the run that asked for it.

    Attributes
    ----------
    allocator : Limiting
        What the sessions use. Its ``stats`` have the bytes in use.
    limit : int or str
        The bound in bytes.
    on_excess : callable or None
        What is called for each block that leaves more in use, as ``on_excess(bound, size)``.
    terminated : int
        How many runs raised because they were terminated.
    """

    def __init__(
        self,
        official: "Official",
        inner: "Allocator",
        limit: int | str,
        on_excess: "Callable[[SoftBound, int], object] | None",
    ) -> None:
        if on_excess is not None and not callable(on_excess):
            raise TypeError(f"on_excess must be callable, not {type(on_excess).__name__}")
        self.on_excess = on_excess
        self.terminated = 0
        self._official = official
        # By thread, the innermost last. A thread replaces only its own entry, in one step.
        self._runs: dict[int, tuple[_Run, ...]] = {}
        self.allocator = Limiting(inner, limit, soft=True, on_excess=self._exceeded)
        self.limit = self.allocator.limit

    @property
    def excesses(self) -> int:
        """Blocks that were granted above the bound."""
        return self.allocator.excesses

    @property
    def max_excess(self) -> int:
        """The most bytes that were in use above the bound."""
        return self.allocator.max_excess

    @contextmanager
    def run_options(self, options: Any = None) -> Iterator[Any]:
        """Terminate the runs within the block that go over the bound.

        A run is terminated if its own thread takes the block that goes over. If another thread does
        that has no such run, as the library's own do where a session runs nodes in parallel, all
        runs that have such options are terminated.

        ONNX Runtime looks between two nodes whether a run is to end. One that goes over the bound
        in its last node ends as usual, and is only counted.

        Parameters
        ----------
        options : onnxruntime.RunOptions or RunOptions, optional
            Options that are to be used; by default new ones of the official package. They are not
            terminated any more when the block ends.

        Yields
        ------
        onnxruntime.RunOptions or RunOptions
            The options, to which the run must be given.

        Raises
        ------
        OutOfMemory
            A run was terminated. The library's exception is the ``__cause__``.
        """
        given = self._official.module.RunOptions() if options is None else options
        run = _Run(self._checked(given))
        thread = get_ident()
        outer = self._runs.get(thread, ())
        self._runs[thread] = (*outer, run)
        try:
            yield given
        except Exception as error:
            if run.over and TERMINATED in str(error):
                raise self._refusal() from error
            raise
        finally:
            self._runs[thread] = outer
            if not outer:
                del self._runs[thread]
            if run.over:
                run.options.terminated = False

    def _checked(self, options: Any) -> RunOptions:
        if not isinstance(options, RunOptions):
            return self._official.run_options(options)
        if not self._official.same_library(options.api):
            raise ValueError(f"options belong to {options.api}, and the bound to {self._official}")
        return options

    def _exceeded(self, _limiting: Limiting, size: int) -> None:
        own = self._runs.get(get_ident())
        runs = own[-1:] if own else [run for stack in list(self._runs.values()) for run in stack]
        for run in runs:
            run.over = True
            run.options.terminated = True
        if self.on_excess is not None:
            self.on_excess(self, size)

    def _refusal(self) -> OutOfMemory:
        self.terminated += 1
        refusal = OutOfMemory(
            f"the run was terminated: it went over the bound of {self.limit} bytes on the memory "
            "that sessions share",
            "Run",
        )
        refusal.code = ErrorCode.FAIL  # the library's
        return refusal

    def __repr__(self) -> str:
        return f"<SoftBound of {self.limit} bytes around {self.allocator.inner!r}>"
