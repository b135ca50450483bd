# SPDX-License-Identifier: MIT
"""Models compiled ahead of time: ``OrtCompileApi``."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any

from ortcffi._convert import (
    SIZE,
    bytes_like,
    callable_or_none,
    encode,
    input_path,
    integer,
    native,
    of_type_or_none,
    path_of,
)
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of_function, ffi, lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import Context, Subject
from ortcffi.env.env import Env
from ortcffi.ep.devices import NamedWriter
from ortcffi.errors import NotImplemented, check
from ortcffi.memory.blocks import scratch_for
from ortcffi.models.compile_callbacks import Locate, StoredAt, Write
from ortcffi.models.graph import Graph
from ortcffi.models.view import check_model, content_of
from ortcffi.options.for_library import session_options_for
from ortcffi.options.kinds import OptimizationLevel
from ortcffi.options.session_options import SessionOptions
from ortcffi.options.settings import flag
from ortcffi.table.engine import engine_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["CompileFlags", "StoredAt", "WeightlessMode", "compile_model"]

Path = str | os.PathLike[str]
_SET = "ModelCompilationOptions_Set"


@public
class CompileFlags(IntFlag):
    """What `compile_model` treats as a failure (``OrtCompileApiFlags``)."""

    NONE = lib.OrtCompileApiFlags_NONE
    ERROR_IF_NO_NODES_COMPILED = lib.OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED
    ERROR_IF_OUTPUT_FILE_EXISTS = lib.OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS


@public
class WeightlessMode(IntEnum):
    """Which weights are left out of what is compiled (``OrtWeightlessSupport``)."""

    NONE = lib.OrtWeightlessSupport_NONE
    EXTERNAL_ONLY = lib.OrtWeightlessSupport_EXTERNAL_ONLY
    ALL = lib.OrtWeightlessSupport_ALL


@public
def compile_model(  # noqa: PLR0913  # as many as there are options
    model: Any,
    output: Path | Write | None = None,
    *,
    options: SessionOptions | None = None,
    api: "Api | None" = None,
    flags: int = CompileFlags.NONE,
    optimization_level: int | None = None,
    embed_ep_context: bool | None = None,
    ep_context_directory: Path | None = None,
    ep_context_name: str = "model",
    external_initializers: Path | Locate | None = None,
    external_threshold: int = 1024,
    external_output: Write | None = None,
    external_alignment: int | None = None,
    external_alignment_threshold: int = 0,
    ep_context_writer: NamedWriter | None = None,
    weightless: bool | WeightlessMode | None = None,
) -> bytes | None:
    """Compile a model: execution providers replace the parts that they support.

    What no execution provider compiles is left as it is, so that without one the result is the
    model itself, checked and written anew.

    Compile functions: ``CreateModelCompilationOptionsFromSessionOptions``, ``CompileModel``,
    ``ReleaseModelCompilationOptions`` and ``ModelCompilationOptions_Set...``, since version 22.

    Parameters
    ----------
    model : str, os.PathLike, bytes-like, Model or Graph
        The path of a model, its bytes, or what was read or described in Python.
    output : str, os.PathLike or callable, optional
        The file to write, or a function that is called with one part of it after the other, as
        bytes. By default the result is returned.
    options : SessionOptions, optional
        Says for which execution providers to compile, and which custom ops there are. Copied.
    api : Api, optional
        The library; by default that of `options`, or the one that a `Session` would use.
    flags : CompileFlags, optional
        What to treat as a failure.
    optimization_level : OptimizationLevel, optional
        How far the graph is optimized before execution providers see it; by default not at all.
        Since version 23.
    embed_ep_context : bool, optional
        Whether what execution providers make is put into the model; by default into files beside
        it.
    ep_context_directory : str or os.PathLike, optional
        Where those files go if `output` is no path. Since version 23.
    ep_context_name : str, optional
        What their names begin with in that case.
    external_initializers : str, os.PathLike or callable, optional
        The file into which initializers go, relative to that of the model. Or a function that
        decides it for each: it is called with the name, a copy of the `Value`, and where that is
        kept so far (`StoredAt` or None); it returns a `StoredAt` if it has stored the data itself,
        or None to leave it in the model. By default all stay in the model.
    external_threshold : int, optional
        How many bytes an initializer has at least to go into that file; an empty one stays.
    external_output : callable, optional
        A function that takes the initializers in place of the file: it is called once, with all of
        them as bytes, unless none is large enough. `external_initializers` is then the path that
        the model has for them, relative to the model. Since version 31.
    external_alignment : int, optional
        A power of two: where in the file, or in those bytes, an initializer may begin. By default
        they stand one directly behind the other. Since version 31.
    external_alignment_threshold : int, optional
        How many bytes an initializer has at least to be aligned.
    ep_context_writer : callable, optional
        ``ep_context_writer(name, data)`` takes what an execution provider has compiled, as bytes,
        under the name that the model has for it; `SessionOptions.ep_context_reader` gives it back.
        Since version 31.
    weightless : bool or WeightlessMode, optional
        Whether execution providers are asked to leave weights out of what they compile, since
        version 29; or which weights, since version 32.

    Returns
    -------
    bytes or None
        The model, unless `output` takes it.

    Raises
    ------
    TypeError, ValueError
        An argument cannot be passed to C.
    OrtError
        The library refuses the model or an option. An exception of a function that it called is the
        cause.
    """
    check_model(model)
    with ExitStack() as stack:
        task = _Task(stack, options, api)
        task.read(model)
        if flags:
            task.set("Flags", integer("flags", flags, (0, 2**32 - 1)))
        if optimization_level is not None:
            level = integer("optimization_level", optimization_level)
            task.set("GraphOptimizationLevel", OptimizationLevel(level))
        if isinstance(weightless, WeightlessMode):
            task.set("WeightlessMode", weightless)
        elif weightless is not None:
            task.set("WeightlessEnabled", flag("weightless", weightless))
        if embed_ep_context is not None:
            task.set("EpContextEmbedMode", flag("embed_ep_context", embed_ep_context))
        if ep_context_directory is not None:
            directory = os.path.join(path_of("ep_context_directory", ep_context_directory), b"")
            name = encode("ep_context_name", ep_context_name)
            task.set("EpContextBinaryInformation", native(directory), native(name))
        if ep_context_writer is not None:
            writer = callable_or_none("ep_context_writer", ep_context_writer)
            task.call_back("EpContextDataWriteFunc", "write_named", writer)
        if external_alignment is not None:
            alignment = integer("external_alignment", external_alignment, SIZE)
            least = integer("external_alignment_threshold", external_alignment_threshold, SIZE)
            task.set("OutputModelExternalInitializersAlignment", alignment, least)
        if external_initializers is not None or external_output is not None:
            task.externalize(external_initializers, external_threshold, external_output)
        return task.run(output)


class _Task:
    """One compilation: the options, and what must live until it is done."""

    take: Write | None = None  # what the initializers that went to memory are passed to
    taken: Any = ()  # where they are

    def __init__(self, stack: ExitStack, options: SessionOptions | None, api: "Api | None") -> None:
        of_type_or_none("options", options, SessionOptions)
        self.api = engine_for(api, options)
        chosen = session_options_for(self.api, options)
        if chosen is None:
            chosen = SessionOptions(self.api)
        if chosen is not options:
            stack.enter_context(chosen)
        self.api.require("GetCompileApi")
        self.table = lib.GetCompileApi(self.api.pointer)
        create = "CreateModelCompilationOptionsFromSessionOptions"
        if not self.table:
            raise NotImplemented("the library cannot compile models", create)
        self.stack = stack
        self.env = stack.enter_context(Env(api=self.api))
        chosen = chosen.clone()
        self.alive: list[object] = [chosen]
        given = self.env.handle, chosen.handle
        release = lib.ReleaseModelCompilationOptions
        kind = "OrtModelCompilationOptions*"
        owner = owner_of(kind, self.table, release, *given)
        self.call(create, *given, out_of(owner))
        self.handle = owned_by(owner)

    def call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the compile table."""
        check(self.api.pointer, getattr(lib, slot)(self.table, *arguments))

    def set(self, name: str, *arguments: Any) -> None:
        """Set an option. Libraries before the version that it came with refuse or lack it."""
        since = _SINCE.get(name, 22)
        if self.api.version < since:
            slot = f"{_SET}{name}"
            raise NotImplemented(f"{slot} came with API version {since}", slot)
        self.alive.extend(arguments)
        self.call(f"{_SET}{name}", self.handle, *arguments)

    def call_back(self, option: str, function: str, subject: Callable[..., Any]) -> None:
        """Set an option that is a function."""
        context = Context(Subject(subject, self.api))
        self.alive.append(context)
        self.set(option, address_of_function(f"ortcffi_{function}"), context.pointer)

    def externalize(self, where: Any, threshold: int, output: Any) -> None:
        """Set where initializers go: a function, a file, or memory that `output` is given."""
        least = integer("external_threshold", threshold, SIZE)
        if output is None and callable(where):
            self.call_back("OutputModelGetInitializerLocationFunc", "locate", where)
            return
        if where is None or callable(where):
            raise ValueError("external_output needs external_initializers, a path")
        file = native(path_of("external_initializers", where))
        if output is None:
            self.set("OutputModelExternalInitializersFile", file, least)
            return
        self.take = callable_or_none("external_output", output)
        self.taken = ffi.new("void**"), ffi.new("size_t*")
        given = file, least, scratch_for(self.api), *self.taken
        self.set("OutputModelExternalInitializersBuffer", *given)

    def read(self, model: Any) -> None:
        """Set the model that is compiled."""
        if isinstance(model, Graph) and self.api.is_core:
            made = model.to_model()
            self.alive.append(made)
            self.set("InputModel", made.handle)
            return
        model = content_of(model)
        if isinstance(model, (str, os.PathLike)):
            self.set("InputModelPath", native(input_path("model", model)))
        else:
            content = bytes_like("model", model)
            if not len(content):
                raise ValueError("model must not be empty")
            self.set("InputModelFromBuffer", content, len(content))

    def run(self, output: Any) -> bytes | None:
        """Compile."""
        if output is None:
            return self._run_to_bytes()
        if callable(output):
            self.call_back("OutputModelWriteFunc", "write", output)
        elif isinstance(output, (str, os.PathLike)):
            self.set("OutputModelPath", native(path_of("output", output)))
        else:
            kind = type(output).__name__
            raise TypeError(f"output must be a path, a callable or None, not {kind}")
        self._compile()
        return None

    def _run_to_bytes(self) -> bytes:
        buffer, size = ffi.new("void**"), ffi.new("size_t*")
        self.set("OutputModelBuffer", scratch_for(self.api), buffer, size)
        self._compile()
        return _copy(buffer, size)

    def _compile(self) -> None:
        self.call("CompileModel", self.env.handle, self.handle)
        if self.take is not None and self.taken[1][0]:
            self.take(_copy(*self.taken))


def _copy(data: Any, size: Any) -> bytes:
    return bytes(ffi.buffer(ffi.cast("char*", data[0]), size[0]))


# The options that came later than the table itself.
_SINCE = {
    "Flags": 23,
    "EpContextBinaryInformation": 23,
    "GraphOptimizationLevel": 23,
    "OutputModelWriteFunc": 23,
    "OutputModelGetInitializerLocationFunc": 23,
    "InputModel": 24,
    "WeightlessEnabled": 29,
    "EpContextDataWriteFunc": 31,
    "OutputModelExternalInitializersBuffer": 31,
    "OutputModelExternalInitializersAlignment": 31,
    "WeightlessMode": 32,
}
