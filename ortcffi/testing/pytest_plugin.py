# SPDX-License-Identifier: MIT
"""A plugin for pytest, which does nothing in tests that do not ask for it.

It imports the rest of the package when it is first used.
"""

import gc
import itertools
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from ortcffi.ep.hardware import HardwareDevice
    from ortcffi.kernels.library import CustomOpLibrary
    from ortcffi.memory.adaptors import Guarded
    from ortcffi.memory.allocator import Allocator
    from ortcffi.models.providers import Ep
    from ortcffi.table.api import Api

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_PEAKS = pytest.StashKey[dict[str, int]]()
_LEFT = pytest.StashKey[dict[str, str]]()
_DOMAIN = "custom-op domain"  # a kind of `live_objects`
_MARKS = [
    "ort_limit_memory(limit): ort_allocator gives no more memory at once, such as '64 MB'",
    "ort_no_leaks: the test fails if it leaves objects or blocks of the core alive",
    "ort_allocation_faults: the test is run with each allocation of ort_allocator failing in turn",
    "ort_status_faults(most=500): the test is run with each call of the host by ort_ep failing",
    "ort_isolated(timeout=300): the test runs in a process of its own; it fails if that crashes",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--ort-host`` and the like, and what the ini file can have."""
    group = parser.getgroup("ortcffi", "ONNX Runtime's C API")
    # HOSTS of ortcffi.table.hosts, which is not imported before a test asks for it
    text = (
        "hosts for ort_api, with commas: core, real, a release such as 1.17 or its API version 17, "
        "or a library's path"
    )
    group.addoption("--ort-host", default=None, help=text)
    says = "ort_library opens the file itself, where debuggers find its lines"
    group.addoption("--ort-no-copy", action="store_true", help=says)
    isolated = "run each test with ort_library or ort_ep as one with the mark ort_isolated"
    parser.addini("ort_isolated", isolated, "bool", default=False)
    parser.addini("ort_ep_options", "its options, KEY=VALUE in each line", "linelist", default=[])
    parser.addini("ort_host", text, default="core")
    parser.addini("ort_ep", "the library of an execution provider that ort_ep opens", default="")
    parser.addini("ort_library", "the library of custom ops that ort_library opens", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known."""
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    config.stash[_PEAKS] = {}
    config.stash[_LEFT] = {}
    from ortcffi.testing import isolated_tests

    config.pluginmanager.register(isolated_tests)


# --- hosts and libraries --------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``ort_api`` once for each host."""
    if "ort_api" in metafunc.fixturenames:
        given = metafunc.config.getoption("ort_host") or metafunc.config.getini("ort_host")
        hosts = [host.strip() for host in given.split(",") if host.strip()]
        if not hosts:
            raise pytest.UsageError(f"--ort-host names no host: {given!r}")
        metafunc.parametrize("ort_api", hosts, indirect=True)


@pytest.fixture
def ort_api(request: pytest.FixtureRequest) -> "Api":
    """Return the table of a host: one of those that ``--ort-host`` names."""
    from ortcffi.table.hosts import host_api

    return host_api(request.param)


def _set_in_ini(request: pytest.FixtureRequest, name: str) -> Path:
    """Return the path of a library that the ini file names."""
    if not (path := request.config.getini(name)):
        pytest.fail(f"{name} is not set in the ini file", pytrace=False)
    return request.config.rootpath / Path(path)


@pytest.fixture
def ort_library(request: pytest.FixtureRequest) -> "Iterator[CustomOpLibrary]":
    """Yield the library of custom ops that ``ort_library`` in the ini file names, for its kernels.

    The library is given the table of ``ort_api``; with a host that is a real library the test is
    skipped. Its kernels have a `Guarded` as their allocator, and are checked as `CheckedKernel`
    says. In a test with ``ort_no_leaks`` the table notes which slot makes what the library leaves,
    and blocks of its kernels are counted. The domains that the library registers do not count: many
    keep them to the end of the process.
    """
    import ortcffi

    path = _set_in_ini(request, "ort_library")
    api = request.getfixturevalue("ort_api") if "ort_api" in request.fixturenames else None
    if api is not None and not api.is_core:
        pytest.skip(
            f"kernels run on the core and on emulated hosts, not on {api}: "
            "ortcffi.testing.compare_with_session runs an op there"
        )
    watch = request.node.get_closest_marker("ort_no_leaks") is not None
    allocator = _guarded(request.node)
    copy = not request.config.getoption("ort_no_copy")
    with ortcffi.CustomOpLibrary(
        path, api=api, watch=watch, allocator=allocator, copy=copy
    ) as library:
        if watch:
            from ortcffi.testing.live_objects import live_objects

            before = request.node.stash[_BEFORE]
            before[_DOMAIN] = max(before[_DOMAIN], live_objects()[_DOMAIN])
        yield library


# --- execution providers --------------------------------------------------------------------------


@pytest.fixture
def ort_ep_hardware() -> "list[HardwareDevice] | None":
    """Return the hardware that the library of ``ort_ep`` finds, by default the machine's.

    Replace it in a conftest file: ``return [ort.HardwareDevice("NPU", vendor_id=0x8086)]``.
    """
    return None


@pytest.fixture
def ort_ep(
    request: pytest.FixtureRequest, ort_ep_hardware: "list[HardwareDevice] | None"
) -> "Iterator[Ep]":
    """Yield the provider of the library that the ini file names, for its first device.

    It has the options of ``ort_ep_options``. Its host is ``ort_api``, if the test asks for that.
    """
    import ortcffi

    full = _set_in_ini(request, "ort_ep")
    host = request.getfixturevalue("ort_api") if "ort_api" in request.fixturenames else None
    if host is not None and not host.is_core:
        pytest.skip(f"providers run without a session on the core and its hosts, not on {host}")
    if request.node.get_closest_marker("ort_status_faults") is not None:
        from ortcffi.testing.failing_slots import FailingSlots

        gc.collect()  # ends the trace of the test before
        failing = FailingSlots(*([] if host is None else [host.version]))
        request.node.stash[_FAILING], host = failing, failing.api
    if _BEFORE in request.node.stash:  # the hardware is the test's own
        from ortcffi.testing.live_objects import live_objects

        request.node.stash[_BEFORE] = live_objects()
    lines = request.config.getini("ort_ep_options")
    if wrong := [line for line in lines if "=" not in line]:
        pytest.fail(f"ort_ep_options: {wrong[0]!r} is not KEY=VALUE", pytrace=False)
    options = dict(line.split("=", 1) for line in lines)
    with ortcffi.Env("ort_ep", ortcffi.core_api(), severity=3) as env:
        more: dict[str, Any] = {"hardware": ort_ep_hardware, "host": host}
        try:
            library = env.register_ep(full, **more)
        except ortcffi.errors.Fail:  # what a failed test keeps has that name
            library = env.register_ep(full, f"{full.stem}_{next(_others)}", **more)
        with library as registered:
            if not registered.devices:
                pytest.fail(f"{full} lists no device: see ort_ep_hardware", pytrace=False)
            with ortcffi.Ep(registered.devices[:1], options) as ep:
                yield ep
    if _FAILING in request.node.stash:
        del request.node.stash[_FAILING]


_others = itertools.count(2)
_FAILING = pytest.StashKey[Any]()  # the host whose slots fail in turn


# --- memory ---------------------------------------------------------------------------------------


@pytest.fixture
def ort_allocator(request: pytest.FixtureRequest) -> "Iterator[Allocator]":
    """Yield an allocator for kernels and arrays, whose peak is in the summary.

    It is a `Guarded`: the test fails if something was written beyond a block, and with
    ``ort_no_leaks`` also if a block is left.
    """
    mark = request.node.get_closest_marker("ort_limit_memory")
    with _guarded(request.node) as guarded:
        if mark is not None:
            guarded._limit_to(_bytes_of(*mark.args))
        yield guarded
        request.config.stash[_PEAKS][request.node.nodeid] = guarded.max_memory
        if damage := guarded.find_damage():
            pytest.fail(f"the test wrote beyond {damage}", pytrace=False)


def _guarded(item: pytest.Item) -> "Guarded":
    """Return an allocator for kernels, whose blocks are counted in a test with ``ort_no_leaks``."""
    import ortcffi

    inner: Allocator = ortcffi.core_api().default_allocator
    if item.get_closest_marker("ort_no_leaks") is not None:
        inner = tracking = ortcffi.Tracking(inner)
        scope = tracking.scope()
        scope.__enter__()
        item.stash.setdefault(_BLOCKS, []).append(scope)
    return ortcffi.Guarded(inner)


def _bytes_of(limit: Any) -> int:
    from ortcffi._convert import byte_count

    try:
        return byte_count("limit", limit)
    except (TypeError, ValueError):
        raise pytest.UsageError(
            f"ort_limit_memory takes a number of bytes or '64 MB', not {limit!r}"
        ) from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count what is alive before the fixtures of a test with ``ort_no_leaks`` are made."""
    if item.get_closest_marker("ort_no_leaks") is not None:
        from ortcffi.kernels.host import made_by_slot
        from ortcffi.testing.live_objects import live_objects

        gc.collect()
        item.stash[_BEFORE] = live_objects()
        item.stash[_MADE] = made_by_slot()
    return (yield)


_BEFORE = pytest.StashKey[dict[str, int]]()
_MADE = pytest.StashKey[dict[str, int]]()
_BLOCKS = pytest.StashKey[list[Any]]()  # the scopes that count the blocks of kernels
_AROUND = 576  # bytes that a `Guarded` takes with each block


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test with ``ort_no_leaks`` that leaves something, after its fixtures have ended."""
    yield
    getattr(item, "funcargs", {}).clear()  # what fixtures returned, which have ended
    blocks = _blocks_left(item)
    before = item.stash.get(_BEFORE, None)
    if before is None or item.stash.get(_FAILED, False):
        return
    from ortcffi.kernels.host import made_by_slot
    from ortcffi.testing.live_objects import left_in_words, made_since

    gc.collect()
    text = left_in_words(before) + made_since(item.stash[_MADE], made_by_slot())
    if text := ", ".join(filter(None, (text, *blocks))):
        item.config.stash[_LEFT][item.nodeid] = text
        pytest.fail(f"the test left alive {text}", pytrace=False)


def _blocks_left(item: pytest.Item) -> list[str]:
    """Return the blocks that kernels of ``ort_library`` or with ``ort_allocator`` have left."""
    scopes = item.stash.get(_BLOCKS, [])
    if not scopes:
        return []
    item.stash[_BLOCKS] = []  # or the scopes would count as left themselves
    gc.collect()
    left = []
    while scopes:
        scope = scopes.pop()
        scope.__exit__(None, None, None)
        left += [f"up to {leak.size - _AROUND} bytes taken at {leak.place}" for leak in scope.leaks]
    return left


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> "Iterator[None]":
    """Note which tests failed: their tracebacks keep objects alive."""
    report: Any = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report  # type: ignore[no-any-return]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[Any]:
    """Run a test with ``ort_allocation_faults`` once more for each of its allocations.

    One with ``ort_status_faults`` once more for each call of a slot by ``ort_ep``. What goes wrong
    then is shown without the frames of this package.
    """
    __tracebackhide__ = True
    limited = pyfuncitem.get_closest_marker("ort_limit_memory") is not None
    if limited and "ort_allocator" not in pyfuncitem.fixturenames:
        _fail("ort_limit_memory needs the fixture ort_allocator")
    result = yield
    mark = pyfuncitem.get_closest_marker("ort_status_faults")
    try:
        if mark is not None:
            _sweep_statuses(pyfuncitem, *mark.args, **mark.kwargs)
        if pyfuncitem.get_closest_marker("ort_allocation_faults") is not None:
            _sweep_allocations(pyfuncitem)
    except AssertionError as error:
        text, frames = str(error), _frames_of_users(error.__cause__ or error)
    else:
        return result
    if frames is None:
        _fail(text)
    raise AssertionError(text).with_traceback(frames)


def _fail(text: str) -> NoReturn:
    """Fail with a text alone: a frame that is not hidden, or pytest says that all are."""
    pytest.fail(text, pytrace=False)


def _sweep_allocations(item: pytest.Function) -> None:
    from ortcffi.testing.allocation_failures import sweep_allocation_failures

    given = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    if "ort_allocator" not in given:
        _fail("ort_allocation_faults needs the fixture ort_allocator")
    sweep_allocation_failures(lambda allocator: item.obj(**given | {"ort_allocator": allocator}))


def _sweep_statuses(item: pytest.Function, most: int = 500) -> None:
    from ortcffi.testing.failing_slots import sweep_failing_slots

    if (failing := item.stash.get(_FAILING, None)) is None:
        _fail("ort_status_faults needs the fixture ort_ep")
    given = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    sweep_failing_slots(lambda: item.obj(**given), failing, most)


def _frames_of_users(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception without the frames of this package."""
    frames = None
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            frames = TracebackType(frames, frame, frame.f_lasti, line)
    return frames


# --- summary --------------------------------------------------------------------------------------


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the peaks of ``ort_allocator``, and what tests left."""
    peaks, left = config.stash[_PEAKS], config.stash[_LEFT]
    if not peaks and not left:
        return
    terminalreporter.section("ortcffi")
    for name, text in left.items():
        terminalreporter.write_line(f"LEFT {name}: {text}")
    for name, peak in sorted(peaks.items(), key=lambda item: -item[1])[:10]:
        terminalreporter.write_line(f"peak {peak:>12,} bytes  {name}")
