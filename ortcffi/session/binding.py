# SPDX-License-Identifier: MIT
"""`Binding`: inputs and outputs, bound once for many runs."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import encode, mapping
from ortcffi._handle import Closing, Handle
from ortcffi._native import ffi, lib
from ortcffi._public import few, joined, public, quoted, shortened
from ortcffi.errors import OrtError, check
from ortcffi.memory.blocks import scratch_for
from ortcffi.memory.info import MemoryInfo
from ortcffi.session.compiled import Binder, Engine
from ortcffi.session.given import check_borrowed, place_of, target_value
from ortcffi.session.rules import as_result, unknown
from ortcffi.values.element_types import ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.table.api import Api

_NOTHING_BOUND: tuple[None, dict[str, Any], dict[str, Any]] = (None, {}, {})  # after the release


@public
class Binding(Binder, Closing):
    """Inputs and outputs of a session, bound by name. Made by `Session.bind`.

    One thread at a time may use it: another one gets a `RuntimeError`. It is released by `close`,
    at the end of a ``with`` block, or when the object is destroyed; the session goes after it. API
    functions: ``CreateIoBinding``, ``ReleaseIoBinding``.
    """

    __slots__ = ("session",)

    def __init__(self, session: "Session") -> None:
        if not isinstance(session, Engine):
            raise TypeError(f"session must be a Session, not {type(session).__name__}")
        session.api.require("CreateIoBinding")  # and all that binds, of the same version
        self._begin(ffi.typeof("OrtIoBinding*"), session, (session, {}, {}))
        self.session = session

    # What is bound, by name.
    _inputs: Any = property(lambda self: (self._handle_parents or _NOTHING_BOUND)[1])
    _outputs: Any = property(lambda self: (self._handle_parents or _NOTHING_BOUND)[2])

    @property
    def api(self) -> "Api":
        """The table of the library."""
        return self.session.api

    _call: Any = Handle._change  # of the table on the binding, for this thread alone

    def _clear(self, slot: str, bound: dict[str, Any]) -> None:
        def clear(table: Any, handle: Any) -> None:
            self._is_complete = False
            getattr(lib, slot)(table, handle)
            bound.clear()

        self._write_handle(clear, self.api.pointer)

    def _bind_to(
        self, name: str, to: Value | MemoryInfo | None, given: Any, *, is_input: bool
    ) -> None:
        """Bind a name. It stays bound to what it was if the library refuses."""
        text = encode("name", name)
        # What the library borrows, None where it allocates; what the caller gave for it; whether
        # it is a tensor: outputs may share the memory of other kinds.
        is_tensor = isinstance(to, Value) and to._kind == ValueKind.TENSOR
        entry = (to if isinstance(to, Value) else None, given, is_tensor)
        bound = self._inputs if is_input else self._outputs
        slot = "BindOutputToDevice"
        if isinstance(to, Value):
            slot = "BindInput" if is_input else "BindOutput"
            to._hold()  # to close it does not take its memory from the binding
        target = (self.api.default_allocator.info if to is None else to).handle

        def bind(table: Any, handle: Any) -> None:
            before = bound.get(name)
            self._is_complete, bound[name] = False, entry
            try:
                check(table, getattr(lib, slot)(table, handle, text, target))
            except OrtError:
                if before is None:
                    del bound[name]
                else:
                    bound[name] = before
                raise

        self._write_handle(bind, self.api.pointer)

    # --- binding ----------------------------------------------------------------------------------

    def bind(self, /, **io: Any) -> None:
        """Bind inputs and outputs by name, in the place of what was bound.

        Parameters
        ----------
        **io
            As of `bind_input` for the names of inputs, without a copy of arrays, and of
            `bind_output` for those of outputs.
        """
        for name, x in io.items():
            is_input = name in self.session._input_places
            bind = self.bind_input if is_input else self.bind_output
            bind(name, x)

    def bind_input(self, name: str, x: Any, *, copy: bool = False) -> None:
        """Bind an input to a value.

        API function: ``BindInput``. Memory of another device is copied to where the model wants it.

        Parameters
        ----------
        name : str
            The name of the input.
        x : array-like or Value
            As for `Session.run`. An array is borrowed, so that later runs see what is written to
            it. Lists, strings and elements of 4 bits or fewer are always copied.
        copy : bool, optional
            Whether an array is bound by a copy of what it holds now.

        Raises
        ------
        ValueError
            The array cannot be borrowed, since it is not C-contiguous, not aligned, or not in this
            machine's byte order.
        """
        session = self.session
        place = place_of(session._input_places, name)
        if place is None:
            session._rules.refuse(session, "input", name)
        if copy and isinstance(x, np.ndarray):
            x = x.copy()
        value = session._rules.convert(session, place, x)
        if value is None:
            raise TypeError(f"input {quoted(name)} cannot be bound to {x!r}")
        if not copy:
            check_borrowed(f"input {quoted(name)}", x, value)
        self._bind_to(name, value, x, is_input=True)

    def bind_output(self, name: str, x: Any = None) -> None:
        """Bind an output to memory that runs write to, or to a device on which they allocate it.

        API functions: ``BindOutput``, ``BindOutputToDevice``.

        Parameters
        ----------
        name : str
            The name of the output.
        x : ndarray, Value or MemoryInfo, optional
            An array or a value to write to; or a description of memory in which the first run
            allocates the output. By default that of the CPU. The memory of an input will do, where
            no node reads the input after the output was begun: this is not checked. That of a part
            of an input, or of another output, is refused.
        """
        session = self.session
        place = place_of(session._output_places, name)
        if place is None:
            session._rules.refuse(session, "output", name)
        if isinstance(x, MemoryInfo) and not self.api.same_library(x.api):
            raise ValueError(f"the memory info of {quoted(name)} belongs to {x.api}")
        if x is None or isinstance(x, MemoryInfo):
            self._bind_to(name, x, None, is_input=False)
        else:
            value = target_value(self.api, session.outputs[place], x)
            self._bind_to(name, value, x, is_input=False)

    def clear_inputs(self) -> None:
        """Unbind all inputs. API function: ``ClearBoundInputs``."""
        self._clear("ClearBoundInputs", self._inputs)

    def clear_outputs(self) -> None:
        """Unbind all outputs. API function: ``ClearBoundOutputs``."""
        self._clear("ClearBoundOutputs", self._outputs)

    def synchronize_inputs(self) -> None:
        """Wait until the inputs have been copied to where they are bound.

        API function: ``SynchronizeBoundInputs``, since version 10.
        """
        self._call("SynchronizeBoundInputs")

    def synchronize_outputs(self) -> None:
        """Wait until the outputs have been copied to where they are bound.

        API function: ``SynchronizeBoundOutputs``, since version 10.
        """
        self._call("SynchronizeBoundOutputs")

    # --- results ----------------------------------------------------------------------------------

    @property
    def output_names(self) -> list[str]:
        """The bound outputs, in the order of binding. API function: ``GetBoundOutputNames``."""
        allocator = scratch_for(self.api)
        text, lengths, count = ffi.new("char**"), ffi.new("size_t**"), ffi.new("size_t*")
        self._call("GetBoundOutputNames", allocator, text, lengths, count)
        if not count[0]:
            return []
        sizes = ffi.unpack(lengths[0], count[0])
        names = BytesIO(ffi.buffer(text[0], sum(sizes)))
        return [names.read(size).decode(errors="replace") for size in sizes]

    def output_values(self) -> list[Value]:
        """Return the values of the bound outputs, in the order of `output_names`.

        Those that runs allocate are there after the first run. API function:
        ``GetBoundOutputValues``.
        """
        # An output that is an input is in the input's memory, and sequences share that of tensors.
        # The collector can empty no tuple.
        shared = [
            bound for name, bound in self._inputs.items() if name in self._outputs or not bound[2]
        ]
        kept = (*self._outputs.values(), *shared)  # one parent: a value looks at each of its own
        out, count = ffi.new("OrtValue***"), ffi.new("size_t*")
        allocator = scratch_for(self.api)  # which has the list of the values
        self._call("GetBoundOutputValues", allocator, out, count)
        return [
            Value.from_handle(self.api, out[0][i], (kept, self), owned=True)
            for i in range(count[0])
        ]

    @property
    def outputs(self) -> dict[str, Any]:
        """The outputs by name, after a run: what was bound, or else an array.

        Of memory that the CPU does not reach it is a `Value`, of other kinds than dense tensors
        what `Value.to_python` returns. Where an output was allocated, later runs write to the same
        memory: copy what is to stay, and bind the output again before its shape changes.
        """
        found: dict[str, Any] = {}
        for name, value in zip(self.output_names, self.output_values(), strict=True):
            bound, given, _ = self._outputs.get(name, (None, None, False))
            found[name] = _as_result(value) if bound is None else given
        return found

    def __repr__(self) -> str:
        if self.closed:
            return "<Binding closed>"
        ports = (
            joined(few(list(map(shortened, each))), ", ") for each in (self._inputs, self._outputs)
        )
        return f"<Binding {' -> '.join(ports)}>"


def _as_result(value: Value) -> Any:
    try:
        return as_result(value)
    except BufferError:  # memory of another device
        return value


def bound(
    session: "Session", inputs: Any, outputs: Any, io: Mapping[str, Any], copy: bool
) -> Binding:
    """Do the work of `Session.bind`."""
    if isinstance(outputs, str) or not isinstance(outputs, Iterable | None):
        raise TypeError(f"outputs must be a mapping or a list of names, not {outputs!r}")
    known = {spec.name: None for spec in session.outputs}
    to_bind: dict[str, Any] = dict(known if outputs is None else {})
    if isinstance(outputs, Mapping):
        to_bind.update(outputs)
    elif outputs is not None:
        for name in outputs:
            encode("the name of an output", name)
            to_bind[name] = None
    inputs = {} if inputs is None else mapping("inputs", inputs)
    names = {spec.name for spec in (*session.inputs, *session.overridable_initializers)}
    for name, x in io.items():
        if name not in known and name not in names:
            raise unknown("input or output", name, (*session.inputs, *session.outputs))
        (to_bind if name in known and name not in names else inputs)[name] = x
    binding = Binding(session)
    for name, x in inputs.items():
        binding.bind_input(name, x, copy=copy)
    for name, x in to_bind.items():
        binding.bind_output(name, x)
    return binding
