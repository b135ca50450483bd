# SPDX-License-Identifier: MIT
"""`IOBinding` as programs see it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ortcffi.compat._binding import SessionIOBinding
from ortcffi.compat._official_devices import OrtDevice
from ortcffi.compat._official_values import OrtValue
from ortcffi.compat._vectors import OrtValueVector

__all__ = ["IOBinding"]


class IOBinding:
    """Inputs and outputs that runs of a session use until others are bound."""

    def __init__(self, session: Any) -> None:
        self._session = session._sess
        self._iobinding = SessionIOBinding(session._sess)

    def bind_cpu_input(self, name: str, arr_on_cpu: np.ndarray[Any, Any]) -> None:
        """Bind an input to an array."""
        self._iobinding.bind_input(name, arr_on_cpu)

    def bind_input(  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Bind an input to memory at an address."""
        device = OrtDevice.make(device_type, device_id)._get_c_device()
        self._iobinding.bind_input(name, device, element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an input to a value."""
        self._iobinding.bind_ortvalue_input(name, ortvalue._ortvalue)

    def synchronize_inputs(self) -> None:
        """Wait until the inputs are on their devices."""
        self._iobinding.synchronize_inputs()

    def bind_output(  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Bind an output to a device, or to memory at an address."""
        device = OrtDevice.make(device_type, device_id)._get_c_device()
        if buffer_ptr is None:
            self._iobinding.bind_output(name, device)
            return
        if element_type is None or shape is None:
            raise ValueError("element_type and shape must be given where buffer_ptr is")
        self._iobinding.bind_output(name, device, element_type, shape, buffer_ptr)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an output to a value."""
        self._iobinding.bind_ortvalue_output(name, ortvalue._ortvalue)

    def synchronize_outputs(self) -> None:
        """Wait until the outputs are on their devices."""
        self._iobinding.synchronize_outputs()

    def get_outputs(self) -> list[OrtValue]:
        """Return the outputs of the last run as values."""
        return [OrtValue(value) for value in self._iobinding.get_outputs()]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        """Return the outputs of the last run as a vector."""
        return self._iobinding.get_outputs()

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return the contents of the outputs of the last run."""
        return self._iobinding.copy_outputs_to_cpu()

    def clear_binding_inputs(self) -> None:
        """Bind no inputs any more."""
        self._iobinding.clear_binding_inputs()

    def clear_binding_outputs(self) -> None:
        """Bind no outputs any more."""
        self._iobinding.clear_binding_outputs()
