# SPDX-License-Identifier: MIT
"""What a type checker is to see of the compiled types in ortcffi/boundary/session."""

from collections.abc import Mapping, Sequence
from typing import Any

from ortcffi.options.run import RunOptions
from ortcffi.table.api import Api
from ortcffi.values._compiled import Maker
from ortcffi.values.value import Value

class Engine:
    def run(
        self,
        feed: Mapping[str, Any] | None = ...,
        outputs: Sequence[str] | None = ...,
        *,
        options: RunOptions | None = ...,
        out: Mapping[str, Any] | None = ...,
        **inputs: Any,
    ) -> list[Any]: ...
    def run_values(
        self,
        feed: Mapping[str, Any] | None = ...,
        outputs: Sequence[str] | None = ...,
        *,
        options: RunOptions | None = ...,
        out: Mapping[str, Any] | None = ...,
        **inputs: Any,
    ) -> list[Value]: ...
    def cancel(self) -> int: ...
    def close(self) -> None: ...
    def _begin(
        self,
        maker: Maker,
        handle: int,
        value_type: type[Value],
        keep: object,
        strings: int,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        required: int,
        /,
    ) -> None: ...
    def _hand_out(self) -> int: ...
    def _take_back(self, handle: object, /) -> None: ...
    @property
    def api(self) -> Api: ...
    @property
    def closed(self) -> bool: ...
    @property
    def running(self) -> int: ...
