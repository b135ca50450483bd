# SPDX-License-Identifier: MIT
"""The counts of each model in a process: they outlive its sessions, and other workers read them.

With ``PROMETHEUS_MULTIPROC_DIR`` each process has a file there for each of its models. The file is
mapped, so that C counts into it, and locked as long as the process lives.
"""

import os
import warnings
from _thread import RLock
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._forks import after_fork
from ortcffi.errors import ErrorCode
from ortcffi.session.compiled import open_sessions

if TYPE_CHECKING:
    from ortcffi.session.session import Session

RUNS, WAITS, BATCH_WAITS, ROWS, BYTES = range(5)  # as `enum histograms` in C
_SIZE = 8192  # of the name in a file, and of the counts after it
_MOST = 1000  # models that are told apart
_OTHERS = "others"


class Series(NamedTuple):
    """The counts of a model in a worker."""

    worker: str  # the number of the process
    model: str
    counts: tuple[Any, ...]  # as `counts_in` has them
    alive: bool = True  # whether the worker is there


_COUNTS = Struct("116qd" * 5 + "16q" + "7q" + "qq")  # as `struct counts` in C


def counts_in(content: Any) -> tuple[Any, ...]:
    """Return what sessions have counted: histograms, errors, endings, refused and running.

    Of each histogram it is the counts of its ranges, and the sum of what was counted.
    """
    numbers = _COUNTS.unpack_from(content)
    histograms = tuple((numbers[i : i + 116], numbers[i + 116]) for i in range(0, 585, 117))
    return histograms, numbers[585:601], numbers[601:608], *numbers[608:]


_buffers: dict[str, Any] = {}  # by model
_files: dict[str, Any] = {}  # of this process by path, locked
_numbers = count()
_lock = RLock()  # while the counts of a model are made; the child of a fork has another one


def model_of(session: "Session") -> str:
    """Return what a session was made of: the path of its model, if it has one."""
    source = getattr(session._source, "model", session._source)  # whose weights are shared
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    return "made in Python" if source is None else "bytes"


def attach(session: "Session") -> None:
    """Have a session count for its model, which the option ``log_id`` names, if it is set."""
    options = session._options
    named = None if options is None else options._values.get("log_id")
    model = named or model_of(session)
    with _lock:
        if model not in _buffers and len(_buffers) >= _MOST:
            model = _OTHERS
        if model not in _buffers:
            _buffers[model] = _room_for(model)
    session._count_into(_buffers[model])


def _room_for(model: str) -> Any:
    """Zeroed memory, in a file where other processes are to see it."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder:
        try:
            return _file_for(model, folder)
        except (ImportError, OSError) as error:
            warnings.warn(
                f"other workers do not see the counts of this one: {error}",
                RuntimeWarning,
                stacklevel=5,
            )
    return memoryview(bytearray(_SIZE))


def _file_for(model: str, folder: str) -> memoryview:
    from fcntl import LOCK_EX, flock
    from mmap import mmap

    path = os.path.join(folder, f"ortcffi_{os.getpid()}_{next(_numbers)}")
    file = open(f"{path}.new", "w+b")  # noqa: SIM115  # open as long as the process lives
    flock(file, LOCK_EX)
    name = model.encode(errors="backslashreplace")[:_SIZE]
    file.write(name.ljust(_SIZE, b"\0") + bytes(_SIZE))  # real bytes, which a full disk refuses
    file.flush()
    path = f"{path}.counts"
    os.rename(file.name, path)
    _files[path] = file
    with open(path, "r+b") as other:  # what keeps the map in a child does not keep the lock
        return memoryview(mmap(other.fileno(), 2 * _SIZE))[_SIZE:]


def _begin_child() -> None:
    global _lock  # noqa: PLW0603  # another thread of the parent may hold it
    _lock = RLock()
    for file in _files.values():
        file.close()  # the lock stays the parent's
    _files.clear()
    _buffers.clear()
    for session in open_sessions():
        attach(session)


after_fork(_begin_child)


def all_series() -> Iterator[Series]:
    """Yield the counts of this process, and of the others that have files in the same folder."""
    for model, buffer in sorted(_buffers.items()):
        yield Series(str(os.getpid()), model, counts_in(buffer))
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder and _files:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.startswith("ortcffi_") and name.endswith(".counts") and path not in _files:
                with suppress(FileNotFoundError):  # another worker has removed it
                    yield _series_in(path, name.split("_")[1])


def _series_in(path: str, worker: str) -> Series:
    """Return the counts of another worker. After its end they are read once more, and removed."""
    from fcntl import LOCK_NB, LOCK_SH, flock

    with open(path, "rb") as file:
        try:
            flock(file, LOCK_SH | LOCK_NB)
            alive = False
        except BlockingIOError:
            alive = True
        model, counts = file.read(_SIZE).rstrip(b"\0").decode(errors="replace"), file.read(_SIZE)
    if not alive:
        os.remove(path)
    return Series(worker, model, counts_in(counts.ljust(_COUNTS.size, b"\0")), alive)


# --- what is counted ------------------------------------------------------------------------------

# As `enum ending` in C.
ENDINGS = [
    None,
    "CANCELLED",
    "TIMEOUT",
    "INTERRUPTED",
    "QUEUE_TIMEOUT",
    "OVERLOADED",
    "OUT_OF_MEMORY",
]


def errors_of(counts: tuple[Any, ...]) -> dict[str, int]:
    """How many runs failed, by the names of `SessionMetrics.errors`."""
    _, by_code, endings, refused, _ = counts
    errors = {ErrorCode(code).name: count for code, count in enumerate(by_code) if count}
    errors |= {name: n for name, n in zip(ENDINGS, endings, strict=True) if name and n}
    return errors | ({"REFUSED": refused} if refused else {})


# Durations are counted by ranges, four for each power of two nanoseconds: as part_of() in
# boundary/session/counts.c.
_FIRST_POWER, _PARTS = 8, 4


def end_of(place: int) -> float:
    """Return the nanoseconds that end a range."""
    power, part = divmod(place, _PARTS)
    return (1 << (power + _FIRST_POWER)) * (1 + (part + 1) / _PARTS)
