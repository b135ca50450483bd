# SPDX-License-Identifier: MIT
"""What a type checker is to see of the compiled types in ortcffi/boundary/kernels."""

from typing import Any

from ortcffi._native import Owner
from ortcffi.values.lifecycle import Maker
from ortcffi.values.value import Value

class KernelHost(Owner):
    _outputs: int

    def __init__(
        self,
        pointer: Any,
        release: int,
        maker: Maker,
        value_type: type[Value],
        outputs: int,
        memory: object,
        op: object,
        logger: object,
    ) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...
    def _compute(self, inputs: tuple[Any, ...], outputs: tuple[Any, ...] | None) -> Any: ...
