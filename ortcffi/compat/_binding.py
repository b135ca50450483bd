# SPDX-License-Identifier: MIT
"""Bindings as the official package's compiled module has them."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._dependent import Dependent
from ortcffi._native import ffi, lib
from ortcffi.compat._devices import OrtDevice, memory_info_of
from ortcffi.compat._errors import translated
from ortcffi.compat._feeds import array_value, content_of
from ortcffi.compat._types import element_of
from ortcffi.compat._values import OrtValue
from ortcffi.compat._vectors import OrtValueVector
from ortcffi.errors import OrtError, check, fail
from ortcffi.values.element_types import ElementType, bits_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.compat._session import InferenceSession

__all__ = ["SessionIOBinding"]


class SessionIOBinding:
    """Inputs and outputs that runs of a session use until others are bound."""

    def __init__(self, session: "InferenceSession", /) -> None:
        engine = session._engine
        self._engine = engine.handle  # keeps the session, which a run then need not look up
        self._api = engine.api
        out, pointer = ffi.new("OrtIoBinding**"), engine.api.pointer
        check(pointer, lib.CreateIoBinding(pointer, self._engine, out), "CreateIoBinding")
        release = partial(lib.ReleaseIoBinding, pointer)
        self._owner = Dependent(out[0], release, engine, self._engine)
        self._names = {spec.name for spec in (*engine.inputs, *engine.overridable_initializers)}
        self._inputs: dict[str, Value] = {}
        self._outputs: dict[str, Value | None] = {}

    def _call(self, slot: str, *arguments: Any) -> None:
        pointer = self._api.pointer
        check(pointer, getattr(lib, slot)(pointer, self._owner.handle, *arguments), slot)

    # --- inputs -----------------------------------------------------------------------------------

    def bind_input(self, name: str, *what: Any) -> None:
        """Bind an array; or memory by its device, the type of its elements, shape and address."""
        if name not in self._names:
            raise RuntimeError(f"Failed to find NodeArg with name: {name} in the def list")
        if len(what) == 1:
            array = what[0]
            if not isinstance(array, np.ndarray):
                raise RuntimeError("Unable to create OrtValue from the given python object")
            self._bind_input(name, array_value(self._api, array))
        else:
            self._bind_input(name, self._memory(*what))

    def bind_ortvalue_input(self, name: str, value: OrtValue, /) -> None:
        """Bind a value."""
        self._bind_input(name, value._value)

    def _bind_input(self, name: str, value: Value) -> None:
        try:
            self._call("BindInput", name.encode(), value.handle)
        except OrtError as error:
            raise RuntimeError(f"Error when binding input: {error.message}") from None
        self._inputs[name] = value

    def _memory(
        self, device: OrtDevice, element_type: Any, shape: Sequence[int], address: int
    ) -> Value:
        """A tensor over memory that somebody else has."""
        element = element_of(element_type)
        if element is ElementType.STRING:
            raise RuntimeError("Only binding of non-string Tensors is currently supported")
        lengths = [int(length) for length in shape]
        size = (int(np.prod(lengths, dtype=np.int64)) * bits_of(element) + 7) // 8
        out, pointer = ffi.new("OrtValue**"), self._api.pointer
        info = memory_info_of(device)
        status = lib.CreateTensorWithDataAsOrtValue(
            pointer,
            info.handle,
            ffi.cast("void*", int(address)),
            size,
            ffi.new("int64_t[]", lengths),
            len(lengths),
            element,
            out,
        )
        check(pointer, status, "CreateTensorWithDataAsOrtValue")
        return Value.from_handle(self._api, out[0])

    # --- outputs ----------------------------------------------------------------------------------

    def bind_output(self, name: str, device: OrtDevice, *what: Any) -> None:
        """Bind memory, as of an input; without it the library allocates on the device."""
        if what:
            self._bind_output(name, self._memory(device, *what))
            return
        info = memory_info_of(device)
        self._call("BindOutputToDevice", name.encode(), info.handle)
        self._outputs[name] = None

    def bind_ortvalue_output(self, name: str, value: OrtValue, /) -> None:
        """Bind a value."""
        self._bind_output(name, value._value)

    def _bind_output(self, name: str, value: Value) -> None:
        try:
            self._call("BindOutput", name.encode(), value.handle)
        except OrtError as error:
            raise RuntimeError(f"Error when binding output: {error.message}") from None
        self._outputs[name] = value

    # --- the rest ---------------------------------------------------------------------------------

    @translated
    def synchronize_inputs(self) -> None:
        """Wait until the inputs are on their devices."""
        self._call("SynchronizeBoundInputs")

    @translated
    def synchronize_outputs(self) -> None:
        """Wait until the outputs are on their devices."""
        self._call("SynchronizeBoundOutputs")

    def clear_binding_inputs(self) -> None:
        """Bind no inputs any more."""
        lib.ClearBoundInputs(self._api.pointer, self._owner.handle)
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Bind no outputs any more."""
        lib.ClearBoundOutputs(self._api.pointer, self._owner.handle)
        self._outputs.clear()

    @translated
    def get_outputs(self) -> OrtValueVector:
        """Return the outputs of the last run."""
        out, count = ffi.new("OrtValue***"), ffi.new("size_t*")
        allocator = self._api.default_allocator.handle
        self._call("GetBoundOutputValues", allocator, out, count)
        lent = (*self._inputs.values(), *self._outputs.values())
        found = [
            Value.from_handle(self._api, out[0][i], lender=lent, owned=True)
            for i in range(count[0])
        ]
        if count[0]:
            pointer = self._api.pointer
            check(pointer, lib.AllocatorFree(pointer, allocator, out[0]), "AllocatorFree")
        return OrtValueVector._of(found)

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return the contents of the outputs of the last run."""
        return [content_of(each._value) for each in self.get_outputs()]

    def _run(self, options: Any) -> None:
        pointer = self._api.pointer
        run = ffi.NULL if options is None else options._options.handle
        try:
            if status := lib.RunWithBinding(pointer, self._engine, run, self._owner.handle):
                fail(pointer, status, "RunWithBinding")
        except OrtError as error:
            raise RuntimeError(f"Error in execution: {error.message}") from error.__cause__
