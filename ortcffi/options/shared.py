# SPDX-License-Identifier: MIT
"""What sessions share: options of thread pools, and containers of prepacked weights."""

from typing import TYPE_CHECKING, Any

from ortcffi._handle import Handle
from ortcffi._native import lib
from ortcffi._public import public
from ortcffi._table import table_for
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


@public
class PrepackedWeights(Handle):
    """A container in which sessions share prepacked weights.

    Close the sessions that use it before you close it. API functions:
    ``CreatePrepackedWeightsContainer``, ``ReleasePrepackedWeightsContainer``, since version 8.

    Parameters
    ----------
    api : Api, optional
        The table that makes the container, by default the one of `default_api`.
    """

    __slots__ = ()

    _pointer = "OrtPrepackedWeightsContainer*"
    _release = lib.ReleasePrepackedWeightsContainer

    def __init__(self, api: "Api | None" = None) -> None:
        self._create(table_for(api), "CreatePrepackedWeightsContainer")

    def __repr__(self) -> str:
        return f"<PrepackedWeights {'closed' if self.closed else f'of {self.api}'}>"
