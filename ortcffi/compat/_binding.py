# SPDX-License-Identifier: MIT
"""Bindings, for the official package and for its compiled module."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ortcffi.compat._arguments import string
from ortcffi.compat._devices import OrtDevice, memory_info_of
from ortcffi.compat._errors import translated
from ortcffi.compat._feeds import array_value, content_of
from ortcffi.compat._tensors import tensor_at
from ortcffi.compat._values import OrtValue, OrtValueVector
from ortcffi.errors import OrtError
from ortcffi.session.binding import Binding
from ortcffi.values.value import Value


def _passed_on(function: Callable[[Binding], None]) -> Any:

    def method(self: Any) -> None:
        function(self._bound)

    return translated(method)


class SessionIOBinding:
    """Inputs and outputs that runs of a session use until others are bound."""

    def __init__(self, session: Any) -> None:
        self._engine = engine = session._engine
        self._names = {spec.name for spec in (*engine.inputs, *engine.overridable_initializers)}
        self._bound = Binding(engine)

    def bind_input(self, name: str, *what: Any) -> None:
        """Bind an array; or memory by its device, the type of its elements, shape and address."""
        name = string("name", name)
        if name not in self._names:
            raise RuntimeError(f"Failed to find NodeArg with name: {name} in the def list")
        if len(what) == 1:
            array = what[0]
            if not isinstance(array, np.ndarray):
                raise RuntimeError("Unable to create OrtValue from the given python object")
            self._bind(name, array_value(self._bound.api, array), is_input=True)
        else:
            self._bind(name, tensor_at(*what), is_input=True)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._bind(name, ortvalue._value, is_input=True)

    def bind_output(self, name: str, device: OrtDevice, *what: Any) -> None:
        """Bind memory, as of an input; without it the library allocates on the device."""
        if what:
            self._bind(name, tensor_at(device, *what), is_input=False)
        else:
            info = memory_info_of(device)
            self._bound._bind_to(string("name", name), info, None, is_input=False)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._bind(name, ortvalue._value, is_input=False)

    def _bind(self, name: str, value: Value, *, is_input: bool) -> None:
        try:
            self._bound._bind_to(string("name", name), value, value, is_input=is_input)
        except OrtError as error:
            port = "input" if is_input else "output"
            raise RuntimeError(f"Error when binding {port}: {error}") from None

    synchronize_inputs = _passed_on(Binding.synchronize_inputs)
    synchronize_outputs = _passed_on(Binding.synchronize_outputs)
    clear_binding_inputs = _passed_on(Binding.clear_inputs)
    clear_binding_outputs = _passed_on(Binding.clear_outputs)

    @translated
    def get_outputs(self) -> OrtValueVector:
        return OrtValueVector(map(OrtValue._of, self._bound.output_values()))

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return copies of the outputs of the last run: the next one writes to the same memory."""
        found = [content_of(each._value) for each in self.get_outputs()]
        return [x.copy() if isinstance(x, np.ndarray) else x for x in found]

    def _run(self, options: Any) -> None:
        try:
            self._bound.run(options=None if options is None else options._options)
        except OrtError as error:
            raise RuntimeError(f"Error in execution: {error}") from error.__cause__


class IOBinding(SessionIOBinding):
    """Inputs and outputs, with devices by the names of their kinds."""

    @property
    def _iobinding(self) -> SessionIOBinding:
        return self

    get_outputs_as_ortvaluevector = SessionIOBinding.get_outputs

    def bind_cpu_input(self, name: str, arr_on_cpu: np.ndarray[Any, Any]) -> None:
        super().bind_input(name, arr_on_cpu)

    def bind_input(  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        device = OrtDevice.make(device_type, device_id)
        super().bind_input(name, device, element_type, shape, buffer_ptr)

    def bind_output(  # type: ignore[override]  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        if buffer_ptr is None and (device_type, device_id) == ("cpu", 0):
            self._bound._bind_to(string("name", name), None, None, is_input=False)
            return
        device = OrtDevice.make(device_type, device_id)
        if buffer_ptr is None:
            super().bind_output(name, device)
            return
        if element_type is None or shape is None:
            raise ValueError("element_type and shape must be given where buffer_ptr is")
        super().bind_output(name, device, element_type, shape, buffer_ptr)
