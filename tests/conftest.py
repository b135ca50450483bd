# SPDX-License-Identifier: MIT
"""What the tests share: the core's and a real library's table, compilers, the search for leaks.

With ``ORTCFFI_NO_SKIP=1``, as in continuous integration, a test that would be skipped fails. With
``ORTCFFI_OLDER_RELEASE=1``, as tools/run_on_releases.py sets it, a test is skipped whose error says
that the installed release of onnxruntime lacks a slot.
"""

import faulthandler
import functools
import gc
import importlib.util
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from support import early  # noqa: F401  # before what it is about
from support.bare import bare_python
from support.compilers import (
    CORE,
    build_folder,
    compile_shared,
    find_compiler,
    make,
    make_command,
)
from support.paths import CHECKOUT
from support.peers import hide_folder, is_installed, missing_in_text, missing_peer
from support.prepared import Prepared
from support.releases import missing_in
from support.threads import wait_until

import ortcffi

OLDER_RELEASE = os.environ.get("ORTCFFI_OLDER_RELEASE") == "1"
CUT_SHORT = pytest.StashKey[bool]()  # it failed, or was skipped in its middle
HIDDEN = pytest.StashKey[int]()  # how many modules the collector does not see
LIMITED = pytest.StashKey[float]()  # when the limit of time was set
STDERR = pytest.StashKey[int]()  # what tests do not capture
LONGEST_TEST = 900  # seconds; more than the longest time limit in tests/support
SAME_LIMIT = 60  # seconds


def pytest_configure(config: pytest.Config) -> None:
    """Sets what all processes of the run share.

    The processes that tests start import the package that the tests import. Ctrl-C works as in a
    terminal, also where the run was started in the background, with SIGINT ignored. When a process
    of xdist crashes, the run ends with the name of its test: xdist would start another process,
    and with ``--dist loadgroup`` it waits for ever then. xdist keeps the order of the tests.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if getattr(config.option, "maxworkerrestart", "") is None:
        config.option.maxworkerrestart = "0"
    config.option.loadscopereorder = False
    config.stash[STDERR] = os.dup(2)
    hide_folder("onnx")
    os.environ["PYTHONSAFEPATH"] = "1"
    # An environment of an older release finds all packages, but must find its onnxruntime first.
    first = importlib.util.find_spec("onnxruntime" if OLDER_RELEASE else "ortcffi")
    if first is not None and first.origin is not None:
        os.environ["PYTHONPATH"] = str(Path(first.origin).resolve().parents[1])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no process waits for it in the end.

    What is not slow but in a group waits for what its group prepares.
    """
    first = ("slow", "xdist_group")
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in first])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--hostile-seconds",
        type=float,
        default=0.0,
        help="seconds of random calls over all public names, with new seeds (tests/whole)",
    )


def pytest_report_header() -> str:
    return f"ortcffi: {Path(ortcffi.__file__).parent}"


def hide_modules(config: pytest.Config) -> None:
    """Hides modules from the collector, whose runs take half of the tests' time otherwise.

    Tests import large packages, so it is done again when there are many new modules.
    """
    if len(sys.modules) >= config.stash.get(HIDDEN, 0) + 20:
        config.stash[HIDDEN] = len(sys.modules)
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[object, object, object]:
    """A test that hangs ends its process, with the stacks of all threads; xdist then names it.

    pytest's own option for that starts a thread for each test, which takes longer than most tests.
    So a limit serves all tests that begin in its first minute.
    """
    stash = item.config.stash
    if time.monotonic() > stash.get(LIMITED, -SAME_LIMIT) + SAME_LIMIT:
        stash[LIMITED] = time.monotonic()
        limit = LONGEST_TEST + SAME_LIMIT
        faulthandler.dump_traceback_later(limit, exit=True, file=stash[STDERR])
    done = yield
    if nextitem is None:  # then it waits for tests of other processes
        faulthandler.cancel_dump_traceback_later()
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[object, object, object]:
    hide_modules(item.config)
    return (yield from skipping_what_is_missing())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[object, object, object]:
    return (yield from skipping_what_is_missing())


def skipping_what_is_missing() -> Generator[object, object, object]:
    """Skips what needs a package that is not installed.

    And what needs a slot that the tables of an older release of onnxruntime do not have.
    """
    missing = None
    try:
        return (yield)
    except Exception as error:
        missing = missing_peer(error) or (missing_in(error) if OLDER_RELEASE else None)
        if missing is None:
            raise
    pytest.skip(missing)  # out here, where nothing keeps what the test's frames hold


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: Any = yield
    forbid_skip(report)
    item.stash[CUT_SHORT] = item.stash.get(CUT_SHORT, False) or not report.passed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report: Any = yield
    missing = missing_in_text(str(report.longrepr)) if report.failed else None
    if missing is not None:
        report.outcome, report.longrepr = "skipped", (str(collector.path), None, missing)
    forbid_skip(report)
    return report


def forbid_skip(report: Any) -> None:
    expected_failure = hasattr(report, "wasxfail")
    if os.environ.get("ORTCFFI_NO_SKIP") == "1" and report.skipped and not expected_failure:
        report.outcome = "failed"
        report.longrepr = f"skipped, which ORTCFFI_NO_SKIP=1 forbids: {report.longrepr[2]}"


# --- the core's and a real library's table --------------------------------------------------------


@pytest.fixture(scope="session")
def core_api() -> "ortcffi.Api":
    """The table of the embedded core."""
    return ortcffi.default_api()


@pytest.fixture(scope="session")
def real_api() -> "ortcffi.Api":
    """The table of the installed onnxruntime."""
    if not is_installed("onnxruntime"):
        pytest.skip("the package onnxruntime is not installed")
    return ortcffi.load()


@pytest.fixture(scope="session")
def real_library() -> Path:
    """The library that the installed onnxruntime carries, for processes of their own."""
    spec = importlib.util.find_spec("onnxruntime")
    if spec is None or spec.origin is None:
        pytest.skip("the package onnxruntime is not installed")
    found = sorted(Path(spec.origin).parent.glob("capi/libonnxruntime.so.*"))
    if not found:
        pytest.skip("the installed onnxruntime carries no library")
    return found[0]


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """``bare(program, *arguments)`` runs lines of Python without onnxruntime and onnx."""
    return Prepared(bare_python(tmp_path_factory.mktemp("bare"), "nxrt_ep_cpu"), "-I")


@pytest.fixture(params=["core", "real"])
def api(request: pytest.FixtureRequest) -> "ortcffi.Api":
    """Each of the two tables in turn: what both must do alike."""
    return request.getfixturevalue(f"{request.param}_api")


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest, core_api: "ortcffi.Api") -> "list[ortcffi.Api]":
    """Both, for tests with random input: to make it takes longer than to give it to both.

    The core's alone where onnxruntime is not installed.
    """
    if not is_installed("onnxruntime"):
        return [core_api]
    return [core_api, request.getfixturevalue("real_api")]


# --- leaks ----------------------------------------------------------------------------------------


def alive_in_core() -> dict[str, int]:
    """Counts what the core holds for others, past the wrappers that a leak could hide in."""
    from ortcffi._native import ffi, lib

    alive = {name: lib.ortcffi_live_objects(kind) for kind, name in enumerate(kinds_of_objects())}
    api = lib.ortcffi_core_api_base().GetApi(1)
    allocator, pairs = ffi.new("OrtAllocator**"), ffi.new("OrtKeyValuePairs**")
    assert lib.GetAllocatorWithDefaultOptions(api, allocator) == ffi.NULL
    assert allocator[0].GetStats(allocator[0], pairs) == ffi.NULL
    alive["bytes in use"] = int(ffi.string(lib.GetKeyValue(api, pairs[0], b"InUse")))
    lib.ReleaseKeyValuePairs(api, pairs[0])
    return alive


@functools.cache
def kinds_of_objects() -> list[str]:
    from ortcffi._native import ffi, lib

    names = iter(map(lib.ortcffi_kind_name, itertools.count()).__next__, ffi.NULL)
    return [ffi.string(name).decode() for name in names]


def left_alive(before: dict[str, int]) -> dict[str, int]:
    """What of each kind there is more than before."""
    return {kind: count for kind, count in alive_in_core().items() if count > before[kind]}


@pytest.fixture(autouse=True)
def leaves_nothing_alive_in_the_core(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compares with before the test, because a process may rightly keep objects that it shares."""
    before = alive_in_core()
    yield
    if request.node.stash.get(CUT_SHORT, False):
        return  # its traceback keeps objects alive
    left = left_alive(before)
    if left:
        gc.collect()  # only then, since it takes longer than most tests
        left = left_alive(before)
    assert not left, f"left alive, beside {before}: {left}"


@pytest.fixture(autouse=True)
def leaves_no_environment(request: pytest.FixtureRequest) -> Iterator[None]:
    """A library has one for the whole process, so the next test would get it as it was made."""
    before = open_environments()  # those of a test that failed
    yield
    if request.node.stash.get(CUT_SHORT, False):
        return
    if open_environments().keys() - before:
        gc.collect()
        # A thread of the library may still have to give back the session that had one.
        with suppress(AssertionError):
            wait_until(lambda: not open_environments().keys() - before, limit=60)
    left = {env: path for env, path in open_environments().items() if env not in before}
    assert not left, f"open environments: {left}"


def open_environments() -> dict[int, Any]:
    """The environments that are open: their libraries, by the environment."""
    state = sys.modules.get("ortcffi.env.state")
    states = state._states if state else {}
    return {id(env): path for path, each in states.items() for env in each.open_envs()}


# --- compilers ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def c_compiler() -> list[str]:
    """The command of the C compiler: ``CC``, or the first that is found."""
    return find_compiler("CC", ["cc", "gcc", "clang"])


@pytest.fixture(scope="session")
def cxx_compiler() -> list[str]:
    """The command of the C++ compiler: ``CXX``, or the first that is found."""
    return find_compiler("CXX", ["c++", "g++", "clang++"])


@pytest.fixture(scope="session")
def make_core(c_compiler: list[str]) -> list[str]:
    """The command ``make -C core``, to which a test adds ``BUILD=`` and what to make."""
    return make_command(c_compiler)


@pytest.fixture(scope="session")
def build_core(c_compiler: list[str]) -> Callable[..., Path]:
    """``build_core(*arguments)`` is the library that ``make -C core`` builds with them."""

    @functools.cache
    def build_core(*arguments: str) -> Path:
        return make(c_compiler, arguments=arguments) / "libortcore.so"

    return build_core


@pytest.fixture(scope="session")
def build_insider(c_compiler: list[str]) -> Callable[..., Path]:
    """``build_insider(name, *arguments)`` is tests/c/*/NAME.c linked with the core's objects."""

    @functools.cache
    def build_insider(name: str, *arguments: str) -> Path:
        return make(c_compiler, f"@/{name}", arguments=arguments) / name

    return build_insider


@pytest.fixture(scope="session")
def core_library() -> Path:
    """``libortcore.so``, which the package contains."""
    return Path(ortcffi.get_library())


@pytest.fixture
def compile_c(tmp_path: Path, c_compiler: list[str]) -> Callable[..., Path]:
    """``compile_c(source, *flags)`` makes a program in C of a file or of a text.

    It is compiled once for all tests and runs. Each test gets a copy, because the loader does not
    load the same file again.
    """

    def compile_c(source: Path | str, *flags: str) -> Path:
        key = repr((str(source), flags))
        folder = tmp_path / "built"
        if str(tmp_path) not in key:  # otherwise no other test can use it
            folder = build_folder(c_compiler, "programs") / sha256(key.encode()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        sources = []
        if isinstance(source, str):
            text, source = source, tmp_path / "client.c"
            source.write_text(text)
        else:
            sources.append(source.parent)
        built = folder / source.stem
        command = [*c_compiler, f"-I{CORE / 'include'}", source, "-o", built, *flags]
        return Path(copy(compile_shared(built, sources, *command), tmp_path / source.stem))

    return compile_c


@pytest.fixture(scope="session")
def build_client(c_compiler: list[str]) -> Callable[[str], Path]:
    """``build_client(name)`` is tests/c/clients/NAME.c, which takes a library's path."""
    folder = build_folder(c_compiler, "clients")

    @functools.cache
    def build_client(name: str) -> Path:
        source = CHECKOUT / f"tests/c/clients/{name}.c"
        flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{CORE / 'include'}"]
        command = [*c_compiler, *flags, source, "-o", folder / name, "-ldl", "-pthread"]
        return compile_shared(folder / name, [source.parent], *command)

    return build_client
