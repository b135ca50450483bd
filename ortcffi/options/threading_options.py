# SPDX-License-Identifier: MIT
"""Options of the thread pools that sessions share."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.options.settings import Option, Options

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class ThreadingOptions(Options):
    """Options of the thread pools that an environment has for all its sessions.

    An environment copies them when it is created, and keeps the same objects alive. API functions:
    ``CreateThreadingOptions``, ``ReleaseThreadingOptions``, since version 3.

    Parameters
    ----------
    **settings
        Any of the attributes below.

    Examples
    --------
    >>> with ThreadingOptions(intra_op_threads=4, spinning=False) as threads:
    ...     threads.intra_op_threads, threads.inter_op_threads, threads.spinning
    (4, 0, False)
    """

    __slots__ = ()

    _pointer, _release = "OrtThreadingOptions*", lib.ReleaseThreadingOptions
    _rows = lib.CORE_OF_THREADING
    intra_op_threads = Option[int]()
    """int: Threads that compute one node, including the caller's; 0: the library chooses."""
    inter_op_threads = Option[int]()
    """int: Threads that run nodes in parallel; 0: the library chooses."""
    spinning = Option[bool]()
    """bool: Whether idle threads spin, for low latency, or sleep, which saves CPU time."""
    denormal_as_zero = Option[bool]()
    """bool: Whether the threads treat denormal numbers as 0. Set to True, it cannot be set to False
    again. Since version 6."""
    affinity = Option[str]()
    """str: The processors of each thread, numbered from 1, such as ``"1,2;3-4"``. Since version
    14."""

    def __init__(self, api: "Api | None" = None, **settings: Any) -> None:
        self._begin(api, "CreateThreadingOptions")
        self._set_all(settings)
