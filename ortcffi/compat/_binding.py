# SPDX-License-Identifier: MIT
"""Bindings as the official package's compiled module has them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi.compat._devices import OrtDevice, memory_info_of
from ortcffi.compat._errors import translated
from ortcffi.compat._feeds import array_value, content_of
from ortcffi.compat._tensors import tensor_at
from ortcffi.compat._values import OrtValue
from ortcffi.compat._vectors import OrtValueVector
from ortcffi.errors import OrtError
from ortcffi.session.binding import Binding
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.compat._session import InferenceSession

__all__ = ["SessionIOBinding"]


class _Bound(Binding):
    """A binding whose missing inputs the library finds, as in the official package."""

    __slots__ = ()

    def _check_inputs(self) -> None:
        return


class SessionIOBinding:
    """Inputs and outputs that runs of a session use until others are bound."""

    def __init__(self, session: "InferenceSession", /) -> None:
        engine = session._engine
        self._bound = _Bound(engine)
        self._names = {spec.name for spec in (*engine.inputs, *engine.overridable_initializers)}

    # --- inputs -----------------------------------------------------------------------------------

    def bind_input(self, name: str, *what: Any) -> None:
        """Bind an array; or memory by its device, the type of its elements, shape and address."""
        if name not in self._names:
            raise RuntimeError(f"Failed to find NodeArg with name: {name} in the def list")
        if len(what) == 1:
            array = what[0]
            if not isinstance(array, np.ndarray):
                raise RuntimeError("Unable to create OrtValue from the given python object")
            self._bind_input(name, array_value(self._bound.api, array))
        else:
            self._bind_input(name, tensor_at(*what))

    def bind_ortvalue_input(self, name: str, value: OrtValue, /) -> None:
        """Bind a value."""
        self._bind_input(name, value._value)

    def _bind_input(self, name: str, value: Value) -> None:
        try:
            self._bound._set_input(name, value, value)
        except OrtError as error:
            raise RuntimeError(f"Error when binding input: {error.message}") from None

    # --- outputs ----------------------------------------------------------------------------------

    def bind_output(self, name: str, device: OrtDevice, *what: Any) -> None:
        """Bind memory, as of an input; without it the library allocates on the device."""
        if what:
            self._bind_output(name, tensor_at(device, *what))
            return
        self._bound._allocate_output(name, memory_info_of(device))

    def bind_ortvalue_output(self, name: str, value: OrtValue, /) -> None:
        """Bind a value."""
        self._bind_output(name, value._value)

    def _bind_output(self, name: str, value: Value) -> None:
        try:
            self._bound._set_output(name, value, value)
        except OrtError as error:
            raise RuntimeError(f"Error when binding output: {error.message}") from None

    # --- the rest ---------------------------------------------------------------------------------

    @translated
    def synchronize_inputs(self) -> None:
        """Wait until the inputs are on their devices."""
        self._bound.synchronize_inputs()

    @translated
    def synchronize_outputs(self) -> None:
        """Wait until the outputs are on their devices."""
        self._bound.synchronize_outputs()

    def clear_binding_inputs(self) -> None:
        """Bind no inputs any more."""
        self._bound.clear_inputs()

    def clear_binding_outputs(self) -> None:
        """Bind no outputs any more."""
        self._bound.clear_outputs()

    @translated
    def get_outputs(self) -> OrtValueVector:
        """Return the outputs of the last run."""
        return OrtValueVector._of(self._bound.output_values())

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return copies of the outputs of the last run: the next one writes to the same memory."""
        found = [content_of(each._value) for each in self.get_outputs()]
        return [x.copy() if isinstance(x, np.ndarray) else x for x in found]

    def _run(self, options: Any) -> None:
        try:
            if options is None:
                self._bound.run()
            else:
                self._bound.run(options=options._options)
        except OrtError as error:
            raise RuntimeError(f"Error in execution: {error.message}") from error.__cause__
