# SPDX-License-Identifier: MIT
"""What a library does when a host registers it.

The library is registered in another process, with a trace that counts its calls in shared memory.
So its calls are known even if it crashes or hangs. Then the ops that it registered are read, or the
factories of execution providers.
"""

import mmap
import os
import sys
import tempfile
from typing import Any, NamedTuple

from ortcffi._convert import absolute, decode, native
from ortcffi._native import ffi, lib
from ortcffi._table import host_function
from ortcffi.custom_ops.describe import FIELDS, ops_of, read_op
from ortcffi.errors import ErrorCode, OrtError, call, check
from ortcffi.kernels import child
from ortcffi.table.api import Api
from ortcffi.table.hosts import emulate, host_api, release_of
from ortcffi.table.load import expose_symbols
from ortcffi.table.trace import Figures, Needs, Trace
from ortcffi.testing.ep_factories import EP_ENTRY, Factory, FactoryLibrary, make_factories

ENTRY = "RegisterCustomOps"
SECONDS = 60  # after which a library is reported as hanging


class Op(NamedTuple):
    """An op that the library registered."""

    domain: str
    name: str
    version: int  # of its struct: a session of an older host refuses the op
    needs: int  # the lowest API version that has all fields of the struct that the op relies on
    fields: tuple[str, ...]  # that came with that version; () for version 1


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
    """Return what a library does with one host."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(ffi.sizeof("OrtcoreFigures"))
        where = "ortcffi.cli.check_client", "answer"
        known, problem, printed = child.ask(*where, path, host, file.name, seconds=seconds)
        read: Any = ffi.from_buffer("OrtcoreFigures*", file.read())
    facts: dict[str, Any] = {key: each[key] for each in known for key in each}
    figures, version = Figures(read), facts.get("version", 0)
    ops = tuple(Op._make([*op[:-1], tuple(op[-1])]) for op in facts.get("ops", []))
    made = tuple(
        Factory._make([*each[:-1], tuple(each[-1])]) for each in facts.get("factories", [])
    )
    problem = problem or facts.get("problem", "")
    registered = facts.get("registered", 0)
    if not problem and "registered" in facts and not registered:
        problem = f"{ENTRY} succeeded but registered no op"
    elif not problem and "factories" in facts and not made:
        problem = f"{EP_ENTRY} succeeded but made no factory"
        if (wanted := max(figures.asked, default=0)) > version:
            problem += f": it asked for API version {wanted}, which this host does not have"
    return Client(
        path,
        facts.get("host", ""),
        version,
        asked=figures.asked,
        granted=any(asked <= version for asked in figures.asked),
        called=figures.called,
        needs=figures.needs,
        registered=registered,
        ops=ops,
        factories=made,
        problem=problem or None,
        printed=printed,
    )


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
        child.tell(host=f"ONNX Runtime {api.version_string}", version=api.version)
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
    library = _open(path)
    function = lib.ortcffi_library_symbol(library, ENTRY.encode())
    eps = FactoryLibrary(library)
    env, options = _environment_and_options(api)
    if not function and eps.create and api.is_core:
        logger = host_function("OrtcoreLogger")()
        child.tell(factories=make_factories(eps, trace.base, logger))
        return
    if not function and eps.create:
        api.require("RegisterExecutionProviderLibrary")
        name = b"ortcffi-check"
        check(
            api.pointer,
            lib.RegisterExecutionProviderLibrary(api.pointer, env, name, native(os.fsencode(path))),
        )
        check(api.pointer, lib.UnregisterExecutionProviderLibrary(api.pointer, env, name))
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


def _open(path: str) -> Any:
    reason = ffi.new("char[]", 4096)
    library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library and "undefined symbol: OrtGetApiBase" in decode(reason):
        expose_symbols()
        sys.stderr.write("it finds OrtGetApiBase by name: it needs ortcffi.expose_symbols()\n")
        library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library:
        raise OSError(f"it cannot be loaded: {decode(reason)}")
    return library


def _environment_and_options(api: Api) -> tuple[Any, Any]:
    """Make both, outside the trace; they live until the process ends. NULL if the host cannot."""
    env, options = ffi.new("OrtEnv**"), ffi.new("OrtSessionOptions**")
    # Without an environment, ONNX Runtime ends the process when it logs.
    level = lib.ORT_LOGGING_LEVEL_WARNING
    lib.ReleaseStatus(api.pointer, lib.CreateEnv(api.pointer, level, b"ortcffi", env))
    lib.ReleaseStatus(api.pointer, lib.CreateSessionOptions(api.pointer, options))
    return env[0], options[0]
