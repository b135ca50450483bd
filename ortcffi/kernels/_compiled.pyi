# SPDX-License-Identifier: MIT
"""What a type checker is to see of the compiled types in ortcffi/boundary/kernels."""

from typing import Any

from ortcffi.values.compiled import Maker
from ortcffi.values.value import Value

class KernelHost:
    def __init__(
        self,
        maker: Maker,
        strings: int,
        value_type: type[Value],
        kernel: Any,
        outputs: int,
        lender: object,
        memory: object,
        ops: int,
    ) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...
    def close(self) -> None: ...
    def _compute(self, inputs: tuple[Any, ...], outputs: tuple[Any, ...] | None) -> Any: ...
    @property
    def closed(self) -> bool: ...
    def _hand_out(self, owner: Any, /) -> None: ...
    def _take_back(self, handle: object, /) -> None: ...
