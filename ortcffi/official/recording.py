# SPDX-License-Identifier: MIT
"""What sessions do while a program runs: `ortcffi top` asks for it.

The methods of ``onnxruntime.InferenceSession`` are wrapped when the package is imported, by the
program or by what it imports. The program sees no difference but the time of a wrapper's call. The
sessions of this package, and of its drop-in, count their runs by themselves; wrapped is only their
end, to read the counts for the last time.
"""

import atexit
import importlib.abc
import importlib.util
import os
import pickle
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from ortcffi._forks import after_fork
from ortcffi._new_file import write_whole
from ortcffi.callbacks.logs import as_line
from ortcffi.official.records import Sample, SessionRecord

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from ortcffi.callbacks.logs import LogMessage
    from ortcffi.official.attach import Official
    from ortcffi.session.session import Session

MODULE = "onnxruntime.capi.onnxruntime_inference_collection"
OUR_MODULE = "ortcffi.session.session"
RUNS = ("run", "run_with_ort_values", "run_with_iobinding", "run_async")
_MOST_SAMPLES = 2000  # of a session: when there are more, every second one is dropped
_SHARE = 0.02  # of the time that may go into writing


def record_in(folder: str, started: float) -> None:
    """Record this process and its forks, and write what there is to a folder until they end.

    Each process has a file, so that no end of the process leaves nothing. `ortcffi top` has it
    called in each Python process.
    """
    recorder = Recorder(folder=folder)
    recorder.started = started
    recorder.install()
    atexit.register(recorder.finish)


class Recorder:
    """Records all sessions that are made after `install`.

    It looks at the arenas in a period of seconds, and then writes what it has to a folder, if any.
    """

    def __init__(self, period: float = 0.2, folder: str | None = None) -> None:
        self.records: list[SessionRecord] = []
        self.started = time.monotonic()
        self._period = period
        self._folder = folder
        self._writing = threading.Lock()
        # Reentrant, because the collector may end a session while this thread adds another.
        self._guard = threading.RLock()
        self._watcher: threading.Thread | None = None
        self._has_looked = False
        self._views: weakref.WeakKeyDictionary[Any, Session] = weakref.WeakKeyDictionary()
        self._of: weakref.WeakKeyDictionary[Any, SessionRecord] = weakref.WeakKeyDictionary()
        self._ours: dict[int, SessionRecord] = {}  # by the session's number
        self._began: dict[int, float] = {}  # when those were made that have no record yet
        self._metrics: ModuleType | None = None  # of our sessions, once there are any
        self._ended = threading.Event()

    def install(self) -> None:
        """Wrap the sessions, now or when their modules are imported."""
        for name, wrap in ((MODULE, self._wrap), (OUR_MODULE, self._wrap_ours)):
            if name in sys.modules:
                wrap(sys.modules[name])
            else:
                sys.meta_path.insert(0, _Finder(name, wrap))
        after_fork(self._begin_in_fork)

    def finish(self) -> None:
        """Read the statistics for the last time."""
        self._ended.set()
        self.sample()
        self._write()

    def sample(self) -> None:
        """Look at all open sessions."""
        for official, view in self._open():
            self._read(self._of[official], view)
        if self._metrics is not None:
            for session in self._metrics.sessions():
                self._read_ours(session)

    def _open(self) -> "list[tuple[Any, Session]]":
        with self._guard:
            while True:
                with suppress(RuntimeError):  # the collector ended a session in between
                    return list(self._views.items())

    def _begin_in_fork(self) -> None:
        self._guard = threading.RLock()  # a thread may have held it that the child does not have
        self._writing = threading.Lock()
        for record in self.records:
            record.begin_in_fork(self._now())
        if self.records:
            self._begin_to_watch()

    def _write(self) -> None:
        """Write what the sessions did here, unless no session was made here, and none ran."""
        if self._folder is None:
            return
        with self._writing, suppress(OSError, RuntimeError):  # full, gone, or changed meanwhile
            records = list(self.records)
            own = [record.of_process() for record in records]
            if any(record.is_made_here for record in records) or any(each.runs for each in own):
                path = os.path.join(self._folder, f"{os.getpid()}.records")
                write_whole(path, pickle.dumps(own))

    # --- wrappers ---------------------------------------------------------------------------------

    def _wrap(self, module: "ModuleType") -> None:
        if module.__name__ != MODULE:  # the drop-in, installed under the official name
            return
        kind = module.InferenceSession
        kind.__init__ = self._wrapped_init(kind.__init__)
        kind.__del__ = self._wrapped_del(getattr(kind, "__del__", None))
        if hasattr(kind, "_reset_session"):
            kind._reset_session = self._wrapped_reset(kind._reset_session)
        for name in RUNS:
            if hasattr(kind, name):
                setattr(kind, name, self._wrapped_run(getattr(kind, name)))

    def _wrap_ours(self, module: "ModuleType") -> None:
        from ortcffi.session import metrics  # not later, when two threads could begin the import

        self._metrics = metrics
        kind = module.Session
        make, close, delete = kind._open, kind.close, kind.__del__

        @wraps(make)
        def make_and_note(session: "Session", *arguments: Any, **named: Any) -> None:
            began = self._now()
            make(session, *arguments, **named)
            self._began[session._number] = began
            self._look_once(session)
            self._begin_to_watch()

        @wraps(close)
        def close_and_read(session: "Session", *arguments: Any, **named: Any) -> Any:
            self._read_ours(session)
            try:
                return close(session, *arguments, **named)
            finally:
                self._read_ours(session)

        def delete_and_read(session: "Session") -> None:
            self._read_ours(session)
            delete(session)
            with suppress(KeyError):  # a session that is not recorded, or was never made
                self._ours[getattr(session, "_number", 0)].is_open = False

        kind._open, kind.close, kind.__del__ = make_and_note, close_and_read, delete_and_read

    def _wrapped_init(self, original: Callable[..., None]) -> Callable[..., None]:
        @wraps(original)
        def init(
            session: Any, path_or_bytes: Any, sess_options: Any = None, *rest: Any, **named: Any
        ) -> None:
            record = SessionRecord(_described(path_or_bytes), began=self._now())
            options = self._options(sess_options, record)
            original(session, path_or_bytes, options, *rest, **named)
            self._add(session, record)

        return init

    def _wrapped_del(self, original: Callable[[Any], None] | None) -> Callable[[Any], None]:
        def delete(session: Any) -> None:
            with self._guard:
                view = self._views.pop(session, None)
            if view is not None:
                self._read(self._of[session], view)  # for the last time
            if original is not None:
                original(session)

        return delete

    def _wrapped_reset(self, original: Callable[..., None]) -> Callable[..., None]:
        """``set_providers`` ends the session of the library and makes another one."""

        @wraps(original)
        def reset(session: Any, *arguments: Any, **named: Any) -> None:
            with self._guard:
                self._views.pop(session, None)
            original(session, *arguments, **named)
            if (record := self._of.get(session)) is not None:
                self._view(session, record)

        return reset

    def _wrapped_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def run(session: Any, *arguments: Any, **named: Any) -> Any:
            record = self._of.get(session)
            begin, failed = time.perf_counter(), True
            try:
                answer = original(session, *arguments, **named)
                failed = False
                return answer
            finally:
                if record is not None:
                    record.add_run(time.perf_counter() - begin, failed)

        return run

    def _options(self, given: Any, record: SessionRecord) -> Any:
        """Options whose log messages are counted, and written as they would have been."""
        try:
            import onnxruntime

            options = given or onnxruntime.SessionOptions()
            _official().options(options).logger = _Counting(record)
        except Exception as error:  # noqa: BLE001  # the program must not notice
            record.problem = f"log messages are not counted: {error}"
            return given
        return options

    def _add(self, session: Any, record: SessionRecord) -> None:
        with self._guard:
            self.records.append(record)
            self._of[session] = record
        is_seen = self._view(session, record)
        self._begin_to_watch()
        if is_seen:
            weakref.finalize(session, setattr, record, "is_open", False)

    def _view(self, session: Any, record: SessionRecord) -> bool:
        """Look at what a session has in the library; whether that can be."""
        from ortcffi._native import ffi
        from ortcffi.official.layout import session_pointer
        from ortcffi.session.session import Session

        try:
            # Not Official.session, which keeps the official object: it must be free to go.
            binding = session._sess
            official = _official()
            address = session_pointer(binding, official.version_string)
            handle = ffi.cast("OrtSession*", address)
            view = Session.from_handle(official, handle, parent=binding)
        except Exception as error:  # noqa: BLE001  # the program must not notice
            record.problem = f"the arena's statistics cannot be read: {error}"
            return False
        self._look_once(view)
        with self._guard:
            self._views[session] = view
        return True

    # --- statistics -------------------------------------------------------------------------------

    def _now(self) -> float:
        return time.monotonic() - self.started

    def _look_once(self, session: "Session") -> None:
        """Import what looking needs, in the thread that makes the session.

        If the watching thread imported it, the child of a fork in that moment would wait for ever
        for the lock of the import.
        """
        if not self._has_looked:
            self._has_looked = True
            self._read(SessionRecord("", began=self._now()), session)

    def _begin_to_watch(self) -> None:
        with self._guard:
            if self._watcher is None or not self._watcher.is_alive():  # as in the child of a fork
                self._watcher = threading.Thread(
                    target=self._watch, name="ortcffi-top", daemon=True
                )
                self._watcher.start()

    def _watch(self) -> None:
        due = 0.0
        while not self._ended.wait(self._period):
            self.sample()
            begin = time.monotonic()
            if begin >= due:
                self._write()
                due = begin + (time.monotonic() - begin) / _SHARE

    def _read_ours(self, session: "Session") -> None:
        """Read the counts and the arena of a session of this package, which may be closed."""
        assert self._metrics is not None  # noqa: S101  # for the type checker
        number = getattr(session, "_number", 0)
        if not number:
            return  # a session that is not recorded, or was never made
        with self._guard:
            record = self._ours.get(number)
            if record is None:
                kind = "Session" if type(session) is self._metrics.Session else "drop-in"
                model = self._metrics.model_of(session)
                began = self._began.pop(number, self._now())
                record = SessionRecord(model, kind, began=began)
                self.records.append(record)
                self._ours[number] = record
        counts = self._metrics.counts_of(session)
        record.durations, record.total_seconds = counts.durations, counts.seconds
        record.failures = sum(counts.errors.values())
        record.is_open = not session.closed
        if record.is_open and session._is_here():
            self._read(record, session)

    def _read(self, record: SessionRecord, view: "Session") -> None:
        record.seen = self._now()
        try:
            stats = view.allocator().stats
        except Exception as error:  # noqa: BLE001  # the program must not notice
            if not view.closed:  # as the program may have done in between
                record.problem = f"the arena's statistics cannot be read: {error}"
            return
        record.stats = stats
        if stats.bytes_allocated is not None:
            reserved = stats.bytes_reserved or stats.bytes_allocated
            record.samples.append(Sample(record.seen, stats.bytes_allocated, reserved, record.runs))
        if len(record.samples) > _MOST_SAMPLES:
            del record.samples[1:-1:2]


class _Counting:
    """A logger that counts messages and writes them to stderr as ONNX Runtime does."""

    def __init__(self, record: SessionRecord) -> None:
        self.record = record

    def __call__(self, message: "LogMessage") -> None:
        severity = message.severity
        name = getattr(severity, "name", str(int(severity)))
        self.record.messages[name] += 1
        sys.stderr.write(as_line(message))


class _Finder(importlib.abc.MetaPathFinder):
    """Calls a function with a module when that was imported."""

    def __init__(self, name: str, imported: "Callable[[ModuleType], None]") -> None:
        self.name = name
        self.imported = imported

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  # as Python calls it
        target: "ModuleType | None" = None,  # noqa: ARG002
    ) -> "ModuleSpec | None":
        """Find the module as other finders do, and have its loader call the function."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: "ModuleType") -> None:
            execute(module)
            self.imported(module)

        loader.exec_module = exec_module


def _official() -> "Official":
    from ortcffi.official.attach import attach

    return attach()


def _described(path_or_bytes: Any) -> str:
    if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
        return f"<{len(path_or_bytes)} bytes>"
    return (
        os.fspath(path_or_bytes) if isinstance(path_or_bytes, os.PathLike) else str(path_or_bytes)
    )
