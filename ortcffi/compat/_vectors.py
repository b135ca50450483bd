# SPDX-License-Identifier: MIT
"""Lists of values as the official package's compiled module has them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ortcffi.compat._devices import OrtDevice
from ortcffi.compat._values import OrtValue
from ortcffi.values.element_types import ElementType
from ortcffi.values.value import Value

__all__ = ["OrtValueVector"]


class OrtValueVector:
    """A list of values."""

    def __init__(self) -> None:
        self._values: list[OrtValue] = []

    @classmethod
    def _of(cls, values: Sequence[Value]) -> "OrtValueVector":
        made = cls()
        made._values = [OrtValue._of(value) for value in values]
        return made

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: int) -> OrtValue:
        return self._values[place]

    def __iter__(self) -> Iterator[OrtValue]:
        return iter(self._values)

    def push_back(self, value: Any, is_bool_tensor: bool = False) -> None:
        """Add a value, or what DLPack describes."""
        if not isinstance(value, OrtValue):
            value = OrtValue.from_dlpack(value, is_bool_tensor)
        self._values.append(value)

    def push_back_batch(  # as many as the official function
        self,
        tensors: Sequence[Any],
        addresses: Sequence[int],
        element_types: Sequence[Any],
        shapes: Sequence[Sequence[int]],
        devices: Sequence[OrtDevice],
        /,
    ) -> None:
        """Add tensors over memory at addresses, which the given objects have and are kept for."""
        facts = (addresses, element_types, shapes, devices, tensors)
        if len({len(each) for each in facts}) > 1:
            raise RuntimeError("tensors, addresses, types, shapes and devices must be as many")
        self._values += [OrtValue._at(*each) for each in zip(*facts, strict=True)]

    def reserve(self, _count: int, /) -> None:
        """Do nothing: lists grow by themselves."""

    def shrink_to_fit(self) -> None:
        """Do nothing: lists shrink by themselves."""

    def bool_tensor_indices(self) -> list[int]:
        """Return the places of the tensors of bool."""
        wanted = ElementType.BOOL
        return [i for i, each in enumerate(self._values) if each._value.element_type is wanted]

    def dlpack_at(self, place: int, /) -> object:
        """Return a capsule of DLPack with one value's memory."""
        return self._values[place].to_dlpack()

    def element_type_at(self, idx: int) -> int:
        """Return ONNX's number for the type of one value's elements."""
        return self._values[idx].element_type()

    def to_dlpacks(self, to_tensor: Callable[[object], Any] | None, /) -> list[Any]:
        """Return capsules of DLPack, or what a function makes of them."""
        capsules = [value.to_dlpack() for value in self._values]
        return capsules if to_tensor is None else [to_tensor(each) for each in capsules]
