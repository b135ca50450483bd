# SPDX-License-Identifier: MIT
"""What is measured, and the goals: one table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from .subjects import Subject
from .tasks import SLOTS, LoopTask, Task

KIB = 1 << 10
MIB = 1 << 20


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    make : callable
        The task that samples the figure of a subject.
    needs_table : bool
        False if plain allocators can do it as well.
    required, wanted : str
        Goals of the core, separated by commas; see `goals`.
    """

    name: str
    title: str
    make: Callable[[Subject], Task]
    needs_table: bool
    required: str
    wanted: str
    unit: str = "ns"
    scale: float = 1.0


def _table(name: str, title: str, required: str, wanted: str, loop: str, **job: object) -> Row:
    return Row(name, title, partial(LoopTask, loop=loop, **job), True, required, wanted)


def _blocks(name: str, title: str, required: str, wanted: str, loop: str, **job: object) -> Row:
    return Row(name, title, partial(LoopTask, loop=loop, **job), False, required, wanted)


ROWS = (
    _table("status-55", "create + release a status, 55 bytes", "4.5x", "5.5x",
           "STATUS", message=b"x" * 55),
    _table("status-1000", "create + release a status, 1000 bytes", "3.8x", "4.5x",
           "STATUS", message=b"x" * 1000),
    _table("fail-alloc", "failing AllocatorAlloc, status read", "100x", "150x",
           "FAIL_ALLOC", size=1 << 50),
    _table("fail-memory-info", "failing CreateMemoryInfo, status read", "7x", "10x", "FAIL_INFO"),
    _table("read-status", "code and message of a status", "<= real + 0.3", "<= real + 0.1",
           "READ_STATUS", message=b"x" * 55),
    _table("get-api", "GetApi", "<= real + 0.3", "<= real + 0.1", "GET_API"),
    _table("release-null", "ReleaseStatus(NULL)", "<= real + 0.3", "<= real + 0.1",
           "RELEASE_NULL"),
    _blocks("alloc-16", "alloc + free, 16 B", "10x", "15x, <= tcmalloc", "PAIR", size=16),
    _blocks("alloc-64", "alloc + free, 64 B", "10x", "15x, <= tcmalloc", "PAIR", size=64),
    _blocks("alloc-1K", "alloc + free, 1 KB", "20x", "26x", "PAIR", size=KIB),
    _blocks("alloc-64K", "alloc + free, 64 KB", "20x", "26x", "PAIR", size=64 * KIB),
    _blocks("alloc-1M", "alloc + free, 1 MB", "20x", "26x", "PAIR", size=MIB),
    _blocks("alloc-16M", "alloc + free, 16 MB", "20x", "26x", "PAIR", size=16 * MIB),
    _blocks("alloc-64M", "alloc + free, 64 MB", "100x", "1000x", "PAIR", size=64 * MIB),
    _blocks("batch-64K", "64 blocks of 64 KB, then freed", "8x", "15x",
            "BATCH", size=64 * KIB, slots=64),
    _blocks("lifetimes", "random lifetimes, 16 B to 64 KB", "15x", "20x, <= tcmalloc",
            "LIFETIMES", slots=SLOTS, planned=True),
    _blocks("two-threads", "the same on two threads", "12x", "20x",
            "TWO_THREADS", slots=2 * SLOTS, planned=True),
    _blocks("handover", "one thread allocates, another frees", "4x", "6x",
            "HANDOVER", planned=True),
    Row("touch-64M", "64 MB taken, touched, freed", partial(LoopTask, loop="TOUCH", size=64 * MIB),
        False, "40x", "100x", unit="ms", scale=1e-6),
)
