# SPDX-License-Identifier: MIT
"""What a library does when a host registers it.

The library is registered in another process, with a trace that counts its calls in shared memory.
So its calls are known even if it crashes or hangs. Then the ops that it registered are read, or the
factories of execution providers.
"""

import mmap
import os
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from ortcffi._convert import absolute, native
from ortcffi._native import ffi, lib
from ortcffi._table import host_function
from ortcffi.custom_ops.describe import FIELDS, ops_of, read_op
from ortcffi.errors import ErrorCode, OrtError, call
from ortcffi.kernels import child
from ortcffi.table.api import Api
from ortcffi.table.hosts import emulate, host_api, release_of
from ortcffi.table.trace import Figures, Needs, Trace
from ortcffi.testing.ep_factories import (
    EP_ENTRY,
    Factory,
    FactoryLibrary,
    make_factories,
    opened,
)

ENTRY = "RegisterCustomOps"
SECONDS = 60  # after which a library is reported as hanging


class Op(NamedTuple):
    """An op that the library registered."""

    domain: str
    name: str
    version: int  # of its struct: a session of an older host refuses the op
    needs: int  # the lowest API version that has all fields of the struct that the op relies on
    fields: Sequence[str]  # that came with that version; () for version 1


class Client(NamedTuple):
    """What a library did when it was registered with a host."""

    path: str
    host: str = ""  # its name and version; "" if it could not be used
    host_version: int = 0  # its API version
    asked: tuple[int, ...] = ()  # the API versions that GetApi was asked for, ascending
    granted: bool = False  # whether the host has one of them
    adapts: bool = False  # whether the library asks an older host for an older version
    called: dict[str, int] = {}  # noqa: RUF012  # calls of each slot; never changed
    needs: Needs = Needs(1, ())  # the lowest API version that has these slots
    registered: int = 0  # how many ops
    ops: tuple[Op, ...] = ()  # the same, where the host is the core
    factories: tuple[Factory, ...] = ()  # that were made with the core as their host
    problem: str | None = None  # None if the library registered ops or factories
    printed: str = ""  # to stderr


def examine(path: str, host: str = "core", seconds: float = SECONDS) -> Client:
    """Register a library in another process and report what it did.

    Raises
    ------
    ValueError
        `path` is not a path, or `host` is a release that the core does not emulate.
    """
    path = absolute("path", path)
    if (release := release_of(host)) is not None:
        emulate(release)
    client = _probe(path, host, seconds)
    # Either it was compiled for this version, or it read this version in the host's version string.
    version = client.host_version
    if client.asked == (version,) and version > 1:
        older = _probe(path, str(version - 1), seconds)
        return client._replace(adapts=bool(older.asked) and version not in older.asked)
    return client


def on_older_host(client: Client, seconds: float) -> Client | None:
    """Register a library with the oldest host for which it has another version to ask for."""
    asked = _probe(client.path, "1", seconds).asked
    is_choosing = max(client.asked, default=0) in asked[1:]
    return _probe(client.path, str(asked[0]), seconds) if is_choosing else None


def _probe(path: str, host: str, seconds: float) -> Client:
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(ffi.sizeof("OrtcoreFigures"))
        where = "ortcffi.cli.check_client", "answer"
        known, problem, printed = child.ask(*where, path, host, file.name, seconds=seconds)
        read: Any = ffi.from_buffer("OrtcoreFigures*", file.read())
    facts: dict[str, Any] = {
        key: fact for each in known for key, fact in each.items() if key in Client._fields
    }
    figures, version = Figures(read), facts.get("host_version", 0)
    problem = facts.pop("problem", "") or problem
    if not problem and facts.get("registered") == 0:
        problem = f"{ENTRY} succeeded but registered no op"
    elif not problem and facts.get("factories") == []:
        problem = f"{EP_ENTRY} succeeded but made no factory"
        if (wanted := max(figures.asked, default=0)) > version:
            problem += f": it asked for API version {wanted}, which this host does not have"
    for name, kind in {"ops": Op, "factories": Factory}.items():
        facts[name] = tuple(kind(*each) for each in facts.get(name, ()))
    facts |= {"asked": figures.asked, "called": figures.called, "needs": figures.needs}
    granted = any(asked <= version for asked in figures.asked)
    return Client(path, granted=granted, problem=problem or None, printed=printed, **facts)


def as_document(client: Client) -> dict[str, Any]:
    """Return what is known of it, for machines."""
    return client._asdict() | {
        "needs": client.needs._asdict(),
        "ops": [op._asdict() for op in client.ops],
        "factories": [factory._asdict() for factory in client.factories],
    }


# --- in the process that registers it -------------------------------------------------------------


def answer(path: str, host: str, counted: str) -> None:
    """Register a library and write what `examine` reads to stdout, as lines of JSON."""
    child.limit_this_process()
    try:
        api = host_api(host)
        child.tell(host=f"ONNX Runtime {api.version_string}", host_version=api.version)
        _register(path, api, counted)
    except (OSError, ValueError, OrtError) as error:
        code = f"{_code_name(error.code)}: " if isinstance(error, OrtError) else ""
        child.tell(problem=f"{code}{error}")
    child.tell(done=True)


def _code_name(code: int) -> str:
    """Get the name of an error code; a library may use a code that this package does not know."""
    return ErrorCode(code).name if code in set(ErrorCode) else f"error code {int(code)}"


def _register(path: str, api: Api, counted: str) -> None:
    with open(counted, "r+b") as file:
        shared = mmap.mmap(file.fileno(), ffi.sizeof("OrtcoreFigures"))
    figures: Any = ffi.from_buffer("OrtcoreFigures*", shared)
    trace = Trace(api, figures)
    library = opened(path)
    function = lib.ortcffi_library_symbol(library, ENTRY.encode())
    eps = FactoryLibrary(library)
    env, options = _environment_and_options(api)
    if not function and eps.create and api.is_core:
        logger = host_function("OrtcoreLogger")()
        child.tell(factories=make_factories(eps, trace.base, logger))
        return
    if not function and eps.create:
        name, full = b"ortcffi-check", native(os.fsencode(path))
        api._call("RegisterExecutionProviderLibrary", env, name, full)
        api._call("UnregisterExecutionProviderLibrary", env, name)
        return
    if not function:
        raise OSError(f"it does not define {ENTRY}, as custom-op libraries do")
    register = ffi.cast("RegisterCustomOpsFn", function)
    call(api.pointer, ENTRY, register, options, trace.base)
    if api.is_core:
        ops = [_read(domain, op) for domain, op in ops_of(lib.ortcffi_options_ops(options))]
        child.tell(ops=ops, registered=len(ops))
        return
    called = Figures(figures).called  # the options of another host cannot be read
    has_domain = called.get("AddCustomOpDomain")
    child.tell(registered=called.get("CustomOpDomain_Add", 0) if has_domain else 0)


def _read(domain: str, op: Any) -> Op:
    """Which API version an op of the library needs, and for which fields of its struct."""
    declared, needs = read_op(domain, op), lib.core_op_needs(op)
    return Op(declared.domain, declared.name, op.version, needs, FIELDS.get(needs, ()))


def _environment_and_options(api: Api) -> tuple[Any, Any]:
    """Make both, outside the trace; they live until the process ends. NULL if the host cannot."""
    env, options = ffi.new("OrtEnv**"), ffi.new("OrtSessionOptions**")
    # Without an environment, ONNX Runtime ends the process when it logs.
    level = lib.ORT_LOGGING_LEVEL_WARNING
    lib.ReleaseStatus(api.pointer, lib.CreateEnv(api.pointer, level, b"ortcffi", env))
    lib.ReleaseStatus(api.pointer, lib.CreateSessionOptions(api.pointer, options))
    return env[0], options[0]
