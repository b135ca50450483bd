# SPDX-License-Identifier: MIT
"""`attach`: the way to the table of the copy of ONNX Runtime inside the official package.

That copy exports no function. But an official ``SessionOptions`` loads libraries of custom ops and
gives each the copy's ``OrtApiBase``: this package's own extension is such a library. The table is
an `Official`, with which both packages share an environment, values, settings and exceptions.
"""

import importlib
import os
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode, of_type
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import HIGHEST_VERSION, supported_version
from ortcffi.arena import ArenaCfg
from ortcffi.env.env import Env
from ortcffi.env.state import state_of
from ortcffi.errors import (
    NotImplemented,
    OrtError,
    RuntimeException,
    code_and_message,
    error_for,
)
from ortcffi.kernels.op_sets import OpSet, registering
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo
from ortcffi.memory.python_allocator import PythonAllocator
from ortcffi.official.layout import (
    MEMORY_INFO,
    PACKAGE,
    RUN_OPTIONS,
    SESSION_OPTIONS,
    VALUE,
    UnknownLayoutError,
    pointer_of,
    session_pointer,
)
from ortcffi.options.run_options import RunOptions
from ortcffi.options.session_options import SessionOptions
from ortcffi.options.settings import SHARED_ARENA
from ortcffi.session.session import Session
from ortcffi.table.api import Api
from ortcffi.table.load import LoadError, library_of, package_advice
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from types import ModuleType

    from ortcffi._ort import OrtApiBase

PROVIDER = "CPUExecutionProvider"


@public
class Official(Api):
    """The table of the copy of ONNX Runtime inside the official package; made by `attach`.

    Everything that takes an `Api` takes it. Its methods wrap objects of the official package as
    objects of this one, and make official options with settings that only this one has.

    Attributes
    ----------
    module : module
        The compiled module of the official package.
    path : str
        Its file.
    """

    def __init__(self, base: "OrtApiBase", module: "ModuleType") -> None:
        if not isinstance(base, ffi.CData):
            raise TypeError("the official package's table is made by attach")
        version_string = decode(base.GetVersionString())
        path = os.path.abspath(str(module.__file__))
        try:
            version = min(supported_version(version_string), HIGHEST_VERSION)
        except ValueError as error:
            raise LoadError(f"{path} {error}") from None
        pointer = base.GetApi(version)
        if not pointer:
            raise LoadError(f"{path} has no table for API version {version}")
        super().__init__(
            pointer, version=version, version_string=version_string, path=path, base=base
        )
        state_of(self).last()  # the package keeps its environment to the end of the process
        self.module = module
        self._env: Env | None = None
        self._guard = threading.Lock()
        self._uses_shared_memory = False
        # What the library borrows of options, such as loggers, as long as the official object of
        # the options lives, which its sessions keep.
        self._borrowed: weakref.WeakKeyDictionary[Any, _Borrowed] = weakref.WeakKeyDictionary()

    # --- objects ----------------------------------------------------------------------------------

    def value(self, official: Any) -> Value:
        """Wrap an official ``OrtValue``: the same value, without a copy.

        Parameters
        ----------
        official : onnxruntime.OrtValue
            A value of any kind and element type; the result keeps it alive. Values of the compiled
            module, which the public class wraps, are accepted as well.

        Raises
        ------
        UnknownLayoutError
            It is no such value, or of a release before 1.21, whose objects cannot be reached.
        """
        held = getattr(official, "_ortvalue", official)
        keep = official, held  # the first one keeps the array that a value was made of
        return Value._adopt(self._maker, pointer_of(held, VALUE), keep, False, False)

    def ortvalue(self, value: Value) -> Any:
        """Make an official ``OrtValue`` over the memory of a tensor of any library.

        Parameters
        ----------
        value : Value
            A dense tensor in memory of the CPU, of an element type that DLPack knows. Its memory
            lives as long as the result.

        Raises
        ------
        TypeError
            It is no dense tensor, or one of strings, which the official package cannot take.
        """
        return _make_ortvalue(self.module, value)

    def options(self, official: Any) -> SessionOptions:
        """See official ``SessionOptions`` as `SessionOptions`, which can set more.

        What is set is set in the official object. What the library borrows for it, such as a logger
        or the memory of an initializer, lives as long as the official object, which the official
        sessions made with it keep.

        Parameters
        ----------
        official : onnxruntime.SessionOptions
        """
        address = pointer_of(official, *SESSION_OPTIONS)
        handle = ffi.cast("OrtSessionOptions*", address)
        options = SessionOptions.from_handle(self, handle, parent=official)
        options._alive = self._borrowed.setdefault(official, _Borrowed())
        return options

    def run_options(self, official: Any) -> RunOptions:
        """See official ``RunOptions`` as `RunOptions`: do not change it while official runs use it.

        Parameters
        ----------
        official : onnxruntime.RunOptions
        """
        handle = ffi.cast("OrtRunOptions*", pointer_of(official, RUN_OPTIONS))
        return RunOptions.from_handle(self, handle, parent=official)

    def info(self, official: Any) -> MemoryInfo:
        """See an official ``OrtMemoryInfo`` as `MemoryInfo`.

        Parameters
        ----------
        official : onnxruntime.OrtMemoryInfo
        """
        handle = ffi.cast("OrtMemoryInfo*", pointer_of(official, MEMORY_INFO))
        return MemoryInfo(self, handle, parent=official)

    def session(self, official: Any) -> Session:
        """See an official ``InferenceSession`` as `Session`: the same session, at less cost.

        This depends on where the binding's object has the session, which is known of the releases
        from 1.21 to 1.32. It is verified, by the name of its C++ type and by what it answers; other
        releases are refused.

        Parameters
        ----------
        official : onnxruntime.InferenceSession
            It is kept alive.

        Raises
        ------
        UnknownLayoutError
            It is no such session, or its layout is not known.
        """
        binding = getattr(official, "_sess", official)  # which set_providers replaces
        handle = ffi.cast("OrtSession*", session_pointer(binding, self.version_string))
        session = Session.from_handle(self, handle, parent=(official, binding))
        if [each.name for each in session.inputs] != [each.name for each in binding.inputs_meta]:
            raise LoadError("the session that was found has other inputs than the official one")
        return session

    # --- official objects -------------------------------------------------------------------------

    def session_options(self, *, config: Mapping[str, str] | None = None, **settings: Any) -> Any:
        """Make official ``SessionOptions`` with settings of `SessionOptions`.

        Parameters
        ----------
        config : mapping of str to str, optional
            Configuration entries.
        **settings
            Attributes of `SessionOptions`, such as ``logger``, ``intra_op_threads``.

        Returns
        -------
        onnxruntime.SessionOptions
            For official sessions. After `share_arena` or `share_allocator`, they use the shared
            memory.
        """
        made = importlib.import_module(PACKAGE).SessionOptions()
        options = self.options(made)
        entries = {SHARED_ARENA: "1"} if self._uses_shared_memory else {}
        for key, value in {**entries, **(config or {})}.items():
            options.config[key] = value
        options._set_all(settings)
        return made

    # --- what sessions share ----------------------------------------------------------------------

    @property
    def env(self) -> Env:
        """The environment of the copy, which exists since the official package was imported.

        It ends with the process. What is registered with it stays also if the `Env` is closed.

        That of releases before 1.23 cannot be reached, and raises `NotImplemented`.
        """
        with self._guard:
            if self._env is None or self._env.closed:
                try:
                    self._env = Env(api=self)
                except RuntimeException as error:
                    # An older release makes it without counting its users, so that the API finds
                    # none, and cannot make a second one.
                    raise NotImplemented(
                        f"the environment of onnxruntime {self.version_string} cannot be reached; "
                        "that of 1.23 and newer ones can"
                    ) from error
            return self._env

    def share_arena(self, *, max_bytes: int | str | None = None, **measures: Any) -> None:
        """Have sessions made from now on, with options of `session_options`, share one arena.

        It is ONNX Runtime's own. A run that needs more than is left raises `OutOfMemory` from a
        `Session`, and an official exception from an official one; the process and the session stay
        usable.

        Parameters
        ----------
        max_bytes : int or str, optional
            The bound.
        **measures
            The other measures of `ArenaCfg`.
        """
        cfg = ArenaCfg(self, max_bytes=max_bytes, **measures)
        self.env.create_arena(cfg=cfg, provider=PROVIDER)
        self._uses_shared_memory = True

    def share_allocator(self, allocator: Allocator) -> None:
        """Have sessions made from now on, with options of `session_options`, use an allocator.

        It is kept until the process ends, since no one tells when the last session that uses it has
        gone. Its statistics tell what all of them use.

        Parameters
        ----------
        allocator : Allocator
            Such as an `Arena`, or a `Tracking` around one. It must answer every request, since
            ONNX Runtime does not survive NULL: for a bound, see `share_arena`.
        """
        if isinstance(allocator, PythonAllocator):
            raise TypeError(
                "an allocator in Python cannot outlive the interpreter, as sessions may"
            )
        self.env._register(allocator, for_good=True)
        self._uses_shared_memory = True

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Within the block, official exceptions are raised as exceptions of `ortcffi.errors`.

        The official one becomes the ``__cause__``.
        """
        try:
            yield
        except BaseException as error:
            found = None if isinstance(error, OrtError) else code_and_message(error)
            if found is None:
                raise
            raise error_for(*found, None) from error

    def __repr__(self) -> str:
        return f"<Api {self.version} of the official package, {self.version_string!r}>"


# --- what both packages share -----------------------------------------------------------------


def _make_ortvalue(module: "ModuleType", value: Value) -> Any:
    """Make an ``onnxruntime.OrtValue`` over the memory of a tensor; see `Official.ortvalue`."""
    of_type("value", value, Value)
    if value.kind is not ValueKind.TENSOR or value.element_type is ElementType.STRING:
        raise TypeError(f"{value!r} cannot be shared with the official package by DLPack")
    if not hasattr(module.OrtValue, "from_dlpack"):
        raise UnknownLayoutError("this release of onnxruntime has no OrtValue.from_dlpack")
    # Before release 1.32 it refuses DLPack's type for bool, but takes bytes with a flag.
    is_bool = value.element_type is ElementType.BOOL
    shared = Value.from_numpy(value.numpy().view("u1")) if is_bool else value
    try:
        made = module.OrtValue.from_dlpack(shared.__dlpack__(), is_bool)
    except TypeError:
        made = module.OrtValue.from_dlpack(value.__dlpack__())
    return importlib.import_module("onnxruntime").OrtValue(made)


class _Borrowed(dict[str, Any]):
    """What official options borrow, by the name of the setting; what is replaced stays.

    A session that was made before still calls the logger that the options had then. Sessions keep
    their official options, and these keep this.
    """

    def __init__(self) -> None:
        self.replaced: list[Any] = []

    def __setitem__(self, name: str, borrowed: Any) -> None:
        self.pop(name, None)
        super().__setitem__(name, borrowed)

    def pop(self, name: str, *default: Any) -> Any:
        """Clear a setting. Its object stays, since sessions that were made before still use it."""
        if name in self:
            self.replaced.append(self[name])
        return super().pop(name, *default)


# --- the way --------------------------------------------------------------------------------------

_guard = threading.Lock()
_attached: Official | None = None


@public
def attach() -> Official:
    """Reach the copy of ONNX Runtime inside the official package ``onnxruntime``.

    Nothing is registered or changed there. The result is the same object each time.

    Raises
    ------
    LoadError
        The package is not installed or cannot be imported, is a release before 1.20, or has no
        way in.

    Examples
    --------
    >>> official = attach()
    >>> official.is_core, official.version >= 20
    (False, True)
    """
    global _attached  # noqa: PLW0603  # there is one such copy
    with _guard:
        if _attached is None:
            _attached = _attach()
        return _attached


def _attach() -> Official:
    if getattr(sys.modules.get(PACKAGE), "__name__", "") == "ortcffi.compat":
        raise LoadError(
            "onnxruntime is the drop-in ortcffi.compat in this process, and its sessions need no "
            "attach(): use ortcffi's own objects with them"
        )
    try:
        package = importlib.import_module(PACKAGE)
        module = importlib.import_module(f"{PACKAGE}.capi.onnxruntime_pybind11_state")
    except ImportError as error:
        raise LoadError(
            f"the package onnxruntime cannot be imported ({error}); {package_advice()}"
        ) from error
    extension = importlib.import_module("ortcffi._ort").__file__
    try:
        with registering(OpSet("")):  # those of another set would stay for the whole process
            package.SessionOptions().register_custom_ops_library(extension)
    except Exception as error:
        text = f"{module.__file__} does not load libraries of custom ops: {error}"
        raise LoadError(text) from error
    for base in takewhile(bool, map(lib.ortcffi_received_base, count())):
        owner = library_of(base)
        if owner and os.path.samefile(owner, str(module.__file__)):
            return Official(base, module)
    raise LoadError(f"{module.__file__} gave no OrtApiBase to a library of custom ops")
