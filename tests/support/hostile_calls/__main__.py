# SPDX-License-Identifier: MIT
"""Starts the threads that make the calls, and counts what is left."""

import argparse
import contextlib
import contextvars
import faulthandler
import gc
import importlib
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from support import models
from support.hostile_calls import kept, makers, surroundings
from support.hostile_calls.calls import BUGS, end
from support.hostile_calls.surroundings import LONGEST, Surroundings

import ortcffi as ort
from ortcffi import compat, testing
from ortcffi.testing.live_objects import left_alive, live_objects

ADDRESS_SPACE = 12 << 30  # bytes; allocations beyond it fail
# An interrupt between a failing call and the reading of its status loses that status.
LOST_STATUSES = 2


def look_for_bugs(what: Any) -> None:
    """An exception that no caller receives: planted, or a mistake of our own."""
    if issubclass(what.exc_type, BUGS):
        text = traceback.format_exception(what.exc_type, what.exc_value, what.exc_traceback)
        end(f"in {what.object!r}: {''.join(text)}")


def work(hostile: Surroundings, until: float) -> None:
    """Calls until the time is over, in a context of its own: what is entered there ends with it."""
    contextvars.copy_context().run(work_here, hostile, until)


def work_here(hostile: Surroundings, until: float) -> None:
    while hostile.calls < 50 or time.monotonic() < until:  # a few also on a busy machine
        try:
            for _ in range(20):
                hostile.one()
        except KeyboardInterrupt:
            continue  # one that struck while something was released, which is reported later
    hostile.is_over = True
    hostile.pool.clear()


def import_all() -> None:
    """Import what is otherwise imported at its first use.

    Arrays that a module makes meanwhile stay, and with them the allocator that NumPy uses then.
    """
    for _, name, _ in pkgutil.walk_packages(ort.__path__, "ortcffi."):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    for module in (np, ort, compat, testing):
        for name in dir(module):
            with contextlib.suppress(ImportError, AttributeError):
                getattr(module, name)


def call_at_random(options: argparse.Namespace, log: int) -> None:
    """Make the calls of all threads; exit with an error if they leave objects alive."""
    import_all()
    if options.table == "core":
        os.environ["ORTCFFI_LIBRARY"] = "none"  # no call makes a session of ONNX Runtime
    ort.core_api().default_allocator.info  # noqa: B018  # what stays for the whole process
    before = live_objects()
    until = time.monotonic() + options.seconds
    # A library that has begun threads does not work in the child of a fork.
    Surroundings.may_fork = options.table == "core"
    callers = [Surroundings(options.table, options.seed + i, log) for i in range(options.threads)]
    for line, caller in enumerate(callers):
        caller.line = line
    signal.signal(signal.SIGALRM, callers[0].strike)
    threads = [
        threading.Thread(target=work, args=(caller, until), daemon=True) for caller in callers[1:]
    ]
    for thread in threads:
        thread.start()
    work(callers[0], until)
    for thread in threads:
        thread.join(LONGEST)
    if any(thread.is_alive() for thread in threads):
        faulthandler.dump_traceback(2)
        end("a thread is in a call that does not end")
    calls, reached = sum(each.calls for each in callers), set().union(*(c.reached for c in callers))
    for each in callers:  # one may have made a call for another, whose time was over
        each.pool.clear()
    Surroundings.shared.clear()
    del callers, each
    kept.take_back()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    gc.collect()
    gc.collect()
    in_cycles = left_alive(before)
    if in_cycles:
        Surroundings.changed.undo()
        gc.collect()
    left = left_alive(before)
    if left.get("status", LOST_STATUSES + 1) <= LOST_STATUSES:
        del left["status"]
    text = f"{calls} calls; left in cycles of changed objects: {in_cycles or None}\n"
    sys.__stdout__.write(text)  # type: ignore[union-attr]
    if options.reached:
        Path(options.reached).write_text("\n".join(sorted(reached)), "utf-8", "replace")
    if left:
        end(f"left alive: {left}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", choices=["core", "real"], default="core")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--reached", help="a file for the names of the calls that succeeded")
    parser.add_argument("--no-limit", action="store_true", help="on memory, for sanitizers")
    options = parser.parse_args()
    if not options.no_limit:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    surroundings.LONGEST_RUN = options.seconds + 2 * LONGEST
    surroundings.watch()
    sys.unraisablehook = look_for_bugs
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # to the end
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    # Such an allocator is not shared: ONNX Runtime ends the process, as the warning says.
    warnings.filterwarnings("error", ".* can answer NULL")
    log = os.open(options.log, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    with tempfile.TemporaryDirectory(prefix="ortcffi-hostile-") as folder:
        os.chdir(folder)
        Path("a file").write_bytes(b"content")
        Path("a model").write_bytes(models.add())
        makers.compile_ops()
        try:
            call_at_random(options, log)
        except BaseException:  # noqa: BLE001  # reported, where the calls cannot hide it
            end(traceback.format_exc())


if __name__ == "__main__":
    main()
