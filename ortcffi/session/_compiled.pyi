# SPDX-License-Identifier: MIT
"""What a type checker is to see of the compiled types in ortcffi/boundary/session."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from ortcffi._native import Owner
from ortcffi.memory.info import MemoryInfo
from ortcffi.options.run_options import RunOptions
from ortcffi.table.api import Api
from ortcffi.values._compiled import Maker
from ortcffi.values.type_info import ValueSpec
from ortcffi.values.value import Value

# The name, the owner of the type, the kind, the type of the elements, and the shape.
Port = tuple[str, Owner, int, int, tuple[int | str, ...] | None]

class Engine(Owner):
    _number: int  # of the sessions made here; 0 for a session that other code owns
    _options: Any  # as the library was given them
    _arena: int | None  # the number of the environment's arena when the session was made
    _recorder: Any  # makes the options of runs that are profiled, in `profiling`
    _source: Any  # the path or the bytes; None for a model that was made in Python
    _specs: tuple[tuple[ValueSpec, ...], ...] | None  # from their first use on

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
    def _begin(
        self,
        kind: Any,
        maker: Maker,
        value_type: type[Value],
        rules: tuple[Any, ...],
        parents: tuple[Any, ...],
        options: object,
        calls_python: bool,
        has_threads: bool,
        borrowed: bool,
        /,
    ) -> None: ...
    def _read_ports(self) -> None: ...
    def _ports(self, make: Callable[[], Owner], /) -> tuple[list[Port], list[Port], int]: ...
    def _required(self) -> tuple[set[str], int]: ...
    def _submit(
        self,
        notify: Mailbox | Callable[[Job], object],
        owner: object,
        origin: tuple[int, int] | None,
        as_values: bool,
        /,
        *arguments: Any,
        **keywords: Any,
    ) -> Job: ...
    def _remakes(self) -> None: ...
    def _is_here(self) -> bool: ...
    def _renew(self, other: Engine, /) -> None: ...
    def _place_of_input(self, name: str, /) -> int | None: ...
    def _place_of_output(self, name: str, /) -> int | None: ...
    def _counts(
        self,
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int, float]: ...
    def _ask_options(self, on: bool, /) -> None: ...
    @property
    def api(self) -> Api: ...
    @property
    def running(self) -> int: ...

class Binder(Owner):
    def run(self, *, options: RunOptions | None = ..., timeout: float | None = ...) -> None: ...
    def _begin(self, kind: Any, session: Engine, /) -> None: ...
    def _check_overlaps(self) -> None: ...
    @property
    def _inputs(self) -> dict[str, Any]: ...
    @property
    def _outputs(self) -> dict[str, Any]: ...
    def _bind(
        self, name: str, to: Value | MemoryInfo | None, entry: Any, is_input: bool, /
    ) -> None: ...
    def _copies(self) -> list[NDArray[Any]] | None: ...
    def _output_values(self, value_type: type[Value], parent: object, /) -> list[Value]: ...
    def _hand_out(self) -> Any: ...

class Job:
    def result(self) -> list[Any]: ...
    def cancel(self) -> bool: ...
    def take_owner(self) -> Any: ...

class Mailbox:
    def __init__(self, fd: int) -> None: ...
    def drain(self) -> list[Job]: ...
    def close(self) -> None: ...
