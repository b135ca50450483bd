# SPDX-License-Identifier: MIT
"""Kernels that compute in another process, whose crash is an exception."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import optional_mapping
from ortcffi._handle import Closing
from ortcffi._native import lib
from ortcffi._public import public, refuse_pickle
from ortcffi._table import core_api, of_core
from ortcffi.custom_ops.describe import CustomOp
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType
from ortcffi.errors import RuntimeException
from ortcffi.kernels import child
from ortcffi.kernels.host import host_function
from ortcffi.kernels.kernel import listed_out, target
from ortcffi.values.element_types import ValueKind
from ortcffi.values.tensor_type_info import TensorTypeInfo
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.kernels.library import LibraryOp

_SECONDS = 5  # for the end of a process that has nothing to do any more
_MOST_LINES = 40  # of what a process printed
_NO_MORE = pickle.dumps(None)  # the last request: the child of a fork may keep the pipe open


@public
class KernelCrashed(RuntimeException):
    """The process of an `IsolatedKernel` ended, or took too long and was ended.

    The message has what the process printed, and where Python was.
    """

    @property
    def op(self) -> str:
        """The domain and the name of the op."""
        return str(self.args[3]) if len(self.args) > 3 else ""

    @property
    def signal(self) -> str:
        """The name of the signal; "" if the process ended by itself or took too long."""
        return str(self.args[4]) if len(self.args) > 4 else ""


class _Request(NamedTuple):
    """What the other process makes."""

    path: str
    version: int  # of the API that the library is given
    place: int  # of the op in the library
    attributes: Mapping[str, Any] | None
    node: dict[str, Any]


class _Attribute(NamedTuple):
    """An `OpAttr` on its way to another process."""

    name: str
    value: Any
    type: int


class _Info(NamedTuple):
    """A `TensorTypeInfo` on its way to another process."""

    element_type: int
    shape: Any


@public
class IsolatedKernel(Closing):
    """A kernel in a process of its own. Made by an op's ``kernel(isolated=True)``.

    It is called as a `Kernel`, with whatever inputs that takes, which are copied to the process and
    back. If the process ends in a call, or when the kernel is destroyed, or takes too long for one
    of them, `KernelCrashed` is raised. Calls of several threads wait for each other. Allocators and
    loggers are of one process: those of this one, such as `Tracking`, do not see the kernel.

    Attributes
    ----------
    node_name : str
        The name of the node.
    """

    description: CustomOp
    node_name: str

    def __init__(
        self,
        op: "LibraryOp",
        place: int,
        attributes: Mapping[str, Any] | None,
        *,
        timeout: float = child.SECONDS,
        **node: Any,
    ) -> None:
        if getattr(op, "_version", None) is None:
            raise TypeError(f"op must be a LibraryOp, not {type(op).__name__}")
        for name in ("allocator", "logger"):
            if node.pop(name, None) is not None:
                raise ValueError(f"{name} is of this process: an isolated kernel cannot use it")
        self.description, self.node_name = op.description, node.get("node_name", "node")
        self._timeout = child.seconds_of(timeout)
        crossing = {
            name: _Attribute(x.name, x.value, int(x.type)) if isinstance(x, OpAttr) else x
            for name, x in optional_mapping("attributes", attributes).items()
        }
        request = _Request(op.path, op._version, place, crossing, node)
        given = pickle.dumps(request)
        self._lock, self._owner, self._printed = threading.Lock(), os.getpid(), _file()
        self._process = subprocess.Popen(
            child.command("ortcffi.kernels.isolated", "serve", faults=True),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _end, self._process, self._printed, self._owner)
        self._exchange("while its process starts", given, child.SECONDS)
        for text in self._exchange("while its kernel is made", b"", self._timeout):
            warnings.warn(text, UserWarning, stacklevel=3)

    @property
    def closed(self) -> bool:
        """Whether `close` was called, or the process has ended."""
        return not self._end.alive

    def __call__(self, *inputs: Any) -> Any:
        """Compute, and return the output as an array, or a tuple of several."""
        found = self._computed(inputs)
        return found[0] if len(found) == 1 else found

    def compute(self, *inputs: Any, out: Any = None) -> Any:
        """Compute, and return a `Value`, or a tuple of several; as `Kernel.compute`."""
        found = self._computed(inputs)
        values = [None if x is None else _value(x) for x in found]
        if out is not None:
            pairs = zip(listed_out(out, len(values)), values, strict=True)
            values = [_written(place, each, made) for place, (each, made) in enumerate(pairs)]
        return values[0] if len(values) == 1 else tuple(values)

    def infer_shapes(self, *inputs: Any) -> tuple[TensorTypeInfo | None, ...]:
        """Have the op work out the types and shapes of its outputs, as `Kernel.infer_shapes`."""
        given = [
            _Info(int(x.element_type), x.shape)
            if isinstance(x, TensorTypeInfo)
            else x
            if isinstance(x, (tuple, list, type(None)))
            else _array(i, x)
            for i, x in enumerate(inputs)
        ]
        found = self._ask("while it infers shapes", "infer_shapes", given)
        api = core_api()
        return tuple(
            None if x is None else TensorTypeInfo(x.element_type, x.shape, api) for x in found
        )

    def close(self) -> None:
        """Destroy the kernel, and end its process.

        Raises
        ------
        KernelCrashed
            The process did not end as it should.
        """
        if os.getpid() != self._owner:  # another thread may have had the lock at the fork
            return
        with self._lock:
            if self.closed:
                return
            _close(self._process)
            try:
                code = self._process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                child.abort(self._process)
                raise self._late("when its kernel is destroyed", self._timeout) from None
            if code != 0:
                raise self._crashed("when its kernel is destroyed")
            self._end()

    def _computed(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        given = [_array(i, x) for i, x in enumerate(inputs)]
        return tuple(self._ask("while it computes", "compute", given))

    def _ask(self, when: str, *call: Any) -> Any:
        return self._exchange(when, pickle.dumps(call), self._timeout)

    def _exchange(self, when: str, given: bytes, seconds: float) -> Any:
        if os.getpid() != self._owner:  # another thread may have had the lock at the fork
            raise ValueError("this IsolatedKernel belongs to another process")
        with self._lock:
            if self.closed:
                raise ValueError(f"this {type(self).__name__} is closed")
            pipes = self._process
            assert pipes.stdin is not None and pipes.stdout is not None  # noqa: S101, PT018  # typed
            try:
                with child.limited(pipes, seconds) as late:
                    pipes.stdin.write(given)
                    pipes.stdin.flush()
                    is_right, answer = pickle.load(pipes.stdout)  # noqa: S301  # our own process
            except (EOFError, OSError, pickle.UnpicklingError):
                raise (
                    self._late(when, seconds) if late.is_set() else self._crashed(when)
                ) from None
            except BaseException:  # the answer may still come, in the place of the next one
                child.end(pipes)
                self._end()
                raise
            if late.is_set():  # the answer came too late
                raise self._late(when, seconds)
        if is_right:
            return answer
        raise answer

    def _crashed(self, when: str) -> KernelCrashed:
        """Return the error of a process that has ended, or is about to."""
        try:
            code = self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            child.end(self._process)
            code = self._process.returncode
        return self._crash(f"{when}, {child.end_of(code)}", code)

    def _late(self, when: str, seconds: float) -> KernelCrashed:
        """Return the error of a process that has taken too long, and is ended."""
        self._process.wait()
        return self._crash(f"{when}, {child.too_long(seconds)}", 0)

    def _crash(self, text: str, code: int) -> KernelCrashed:
        op = f"{self.description.domain}:{self.description.name}"
        if not self._printed.closed:
            self._printed.seek(0)
            text += child.printed(self._printed.read(), "\n", _MOST_LINES)
        self._end()
        name, kind = child.signal_of(code), int(lib.ORT_RUNTIME_EXCEPTION)
        return KernelCrashed(f"{op}: {text}", None, kind, op, name)

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        op = self.description
        return f"<IsolatedKernel of {op.domain}:{op.name}{' closed' if self.closed else ''}>"


def _file() -> Any:
    return tempfile.TemporaryFile()  # closed by `_end`


def _close(process: "subprocess.Popen[bytes]") -> None:
    """Have a process destroy its kernel, and end."""
    assert process.stdin is not None  # noqa: S101  # for the type checker
    with suppress(OSError, ValueError):  # it has ended, or is closed
        process.stdin.write(_NO_MORE)
    with suppress(OSError):  # what was not written when the process ended
        process.stdin.close()


def _end(process: "subprocess.Popen[bytes]", printed: Any, owner: int) -> None:
    """End a process that has no more requests."""
    if os.getpid() != owner:
        return
    _close(process)
    files: list[Any] = [process.stdout, printed]
    for file in files:
        file.close()
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        child.end(process)


def _array(place: int, x: Any) -> Any:
    """Return what another process can be given of an input."""
    if not isinstance(x, Value) and (hasattr(x, "__array__") or not hasattr(x, "__dlpack__")):
        return x
    value = x if isinstance(x, Value) else Value.from_dlpack(x)
    if value.kind is not ValueKind.TENSOR:
        raise TypeError(f"input {place} is a {value.kind.name.lower()}: kernels take tensors")
    return value.numpy(copy=True)


def _value(x: Any) -> Value:
    api = core_api()
    if x.dtype.hasobject:
        return Value.from_strings(x.reshape(-1).tolist(), x.shape, api=api)
    return Value.from_numpy(x, api=api, copy=True)


def _written(place: int, out: Any, made: Value | None) -> Value | None:
    """Return an output, written to what it is to go to, if there is something."""
    given = target(place, out)
    if given is None or made is None:
        return made
    if (given.element_type, given.shape) != (made.element_type, made.shape):
        raise ValueError(
            f"out[{place}] is {given.dtype} {given.shape}, and the kernel made {made.dtype} "
            f"{made.shape}"
        )
    if made.dtype.hasobject:
        given.set_strings(made.numpy().reshape(-1).tolist())
    else:
        bytes_of(given)[...] = bytes_of(made)
    return given


# --- the other process ----------------------------------------------------------------------------


def serve() -> None:
    """Make the kernel that standard input asks for, and compute until standard input ends."""
    import ortcffi

    ortcffi.core_api()  # before the modules inside the package
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints must not get into the answers
    request: _Request = pickle.load(sys.stdin.buffer)  # noqa: S301  # our own process
    _answer(answers, True, None)  # it has started
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kernel = _make(request)
        _answer(answers, True, [str(each.message) for each in caught])
    except Exception as error:  # noqa: BLE001  # reported to the other process
        _answer(answers, False, error)
        return
    while True:
        try:
            call = pickle.load(sys.stdin.buffer)  # noqa: S301
        except EOFError:
            break
        if call is None:
            break
        name, inputs = call
        try:
            _answer(answers, True, _CALLS[name](kernel, inputs))
        except Exception as error:  # noqa: BLE001
            _answer(answers, False, error)
    kernel.close()
    os._exit(0)  # without the destructors of the library


def _make(request: _Request) -> Any:
    """Return the kernel that is asked for."""
    import ortcffi

    base = host_function("OrtcoreKernelBase")(request.version)
    api = of_core(base.GetApi(request.version), base, request.version)
    ops = ortcffi.CustomOpLibrary(request.path, api=api).ops
    if request.place >= len(ops):
        raise ValueError(f"{request.path} registers no such op in another process")
    attributes = {
        name: OpAttr(x.name, x.value, OpAttrType(x.type), api=core_api())
        if isinstance(x, _Attribute)
        else x
        for name, x in (request.attributes or {}).items()
    }
    return ops[request.place].kernel(attributes, **request.node)


def _answer(answers: Any, is_right: bool, answer: Any) -> None:
    try:
        found = pickle.dumps((is_right, answer))
    except Exception:  # noqa: BLE001  # an exception of somebody's own class
        found = pickle.dumps((False, RuntimeError(f"{type(answer).__name__}: {answer}")))
    answers.write(found)
    answers.flush()


def _compute(kernel: Any, inputs: list[Any]) -> list[Any]:
    found = kernel.compute(*inputs)
    listed = found if isinstance(found, tuple) else (found,)
    return [None if value is None else value.numpy(copy=True) for value in listed]


def _infer_shapes(kernel: Any, inputs: list[Any]) -> list[Any]:
    api = core_api()
    given = [TensorTypeInfo(*x, api) if isinstance(x, _Info) else x for x in inputs]
    return [
        None if info is None else _Info(int(info.element_type), info.shape)
        for info in kernel.infer_shapes(*given)
    ]


_CALLS = {"compute": _compute, "infer_shapes": _infer_shapes}
