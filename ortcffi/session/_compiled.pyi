# SPDX-License-Identifier: MIT
"""What a type checker is to see of the compiled types in ortcffi/boundary/session."""

from collections.abc import Callable, Mapping, Sequence
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
        timeout: float | None = ...,
        **inputs: Any,
    ) -> list[Any]: ...
    def run_values(
        self,
        feed: Mapping[str, Any] | None = ...,
        outputs: Sequence[str] | None = ...,
        *,
        options: RunOptions | None = ...,
        out: Mapping[str, Any] | None = ...,
        timeout: float | None = ...,
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
        has_threads: bool,
        borrowed: bool = False,
        /,
    ) -> None: ...
    def _submit(
        self,
        notify: Mailbox | Callable[[Job], object],
        owner: object,
        as_values: bool,
        /,
        *arguments: Any,
        **keywords: Any,
    ) -> Job: ...
    def _hand_out(self) -> int: ...
    def _take_back(self, handle: object, /) -> None: ...
    def _ask_options(self, on: bool, /) -> None: ...
    @property
    def api(self) -> Api: ...
    @property
    def closed(self) -> bool: ...
    @property
    def running(self) -> int: ...

class Binder:
    def run(self, *, options: RunOptions | None = ..., timeout: float | None = ...) -> None: ...
    def _begin(self, session: Engine, hold_gil: bool, /) -> None: ...
    def _close(self) -> None: ...
    def _check_inputs(self) -> None: ...
    def _hand_out(self) -> int: ...
    def _take_back(self) -> None: ...
    @property
    def closed(self) -> bool: ...

class Job:
    def result(self) -> list[Any]: ...
    def cancel(self) -> bool: ...
    def take_owner(self) -> Any: ...

class Mailbox:
    def __init__(self, fd: int) -> None: ...
    def drain(self) -> list[Job]: ...
    def close(self) -> None: ...
