# SPDX-License-Identifier: MIT
"""The process in which ``ortcffi check`` registers a library of custom ops or makes EP factories.

It writes what it finds to stdout, as lines of JSON. Calls are counted in a file that both share.
"""

import mmap
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.custom_ops.describe import FIELDS, new_ops, places, read_op
from ortcffi.errors import ErrorCode, OrtError, call, check
from ortcffi.kernels.child import limit_this_process, tell
from ortcffi.table.api import Api
from ortcffi.table.hosts import host_api
from ortcffi.table.load import expose_symbols
from ortcffi.table.trace import Trace
from ortcffi.testing.ep_factories import FactoryLibrary, make_factories

ENTRY = "RegisterCustomOps"


class Op(NamedTuple):
    """An op that the library registered.

    Attributes
    ----------
    domain, name : str
        Its domain and name.
    version : int
        The API version of its struct. A host of an older version refuses the op in a session.
    needs : int
        The lowest API version that has all fields of the struct that the op relies on.
    fields : tuple of str
        The fields that came with that version; () for version 1.
    """

    domain: str
    name: str
    version: int
    needs: int
    fields: tuple[str, ...]


def answer(path: str, host: str, counted: str) -> None:
    """Register a library and write what `examine` reads to stdout, as lines of JSON."""
    limit_this_process()
    try:
        api = host_api(host)
        tell(host=f"ONNX Runtime {api.version_string}", version=api.version)
        _register(path, api, counted)
    except (OSError, ValueError, OrtError) as error:
        code = f"{_code_name(error.code)}: " if isinstance(error, OrtError) else ""
        tell(problem=f"{code}{error}")
    tell(done=True)
    os._exit(0)  # without the destructors of the library


def _code_name(code: int) -> str:
    """The name of an error code; a library may use a code that this package does not know."""
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
        logger: Any = lib.GetExperimentalFunction(core_api().pointer, b"ortcore_logger")
        logger = ffi.cast("OrtcoreLogger", logger)()
        tell(factories=make_factories(eps, trace.base, logger))
        return
    if not function and eps.create:
        api.require("RegisterExecutionProviderLibrary")
        name = b"ortcffi-check"
        check(
            api.pointer,
            lib.RegisterExecutionProviderLibrary(api.pointer, env, name, os.fsencode(path)),
        )
        check(api.pointer, lib.UnregisterExecutionProviderLibrary(api.pointer, env, name))
        return
    if not function:
        raise OSError(f"it does not define {ENTRY}, as custom-op libraries do")
    ops = new_ops(ffi.NULL)
    # Records the ops, since the options of most hosts cannot be read. The calls reach the trace.
    record = lib.ortcffi_record_function
    call(api.pointer, ENTRY, record, trace.base, trace.table, api.version, options, function, ops)
    tell(ops=[_read(name, lib.ortcffi_op_at(ops, place, i)) for place, i, name in places(ops)])


def _read(domain: Any, op: Any) -> Op:
    """Which API version an op of the library needs, and for which fields of its struct."""
    declared, needs = read_op(decode(domain), op), lib.core_op_needs(op)
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
    """Make both; they live until the process ends. NULL if the host cannot create them.

    Created outside the trace: creating them is not the library's task.
    """

    def made(kind: str, create: Callable[..., Any], *arguments: Any) -> Any:
        out = ffi.new(f"{kind}**")
        lib.ReleaseStatus(api.pointer, create(api.pointer, *arguments, out))
        return out[0]

    # Without an environment, ONNX Runtime ends the process when it logs.
    env = made("OrtEnv", lib.CreateEnv, lib.ORT_LOGGING_LEVEL_WARNING, b"ortcffi")
    return env, made("OrtSessionOptions", lib.CreateSessionOptions)
