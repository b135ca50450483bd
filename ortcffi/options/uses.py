# SPDX-License-Identifier: MIT
"""Options that do not change while a library reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

from ortcffi._public import public
from ortcffi.options.settings import Options, lock

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Use", "UsedOptions"]


class Use:
    """What those have that read some options now. It keeps these."""

    __slots__ = ("__weakref__", "handle")

    def __init__(self, handle: Any) -> None:
        self.handle = handle


def _no_use() -> None:
    """The weak reference of options that nobody reads."""


@public
class UsedOptions(Options):
    """Options that refuse changes while a library reads them on another thread."""

    __slots__ = ("_use",)

    _use: Any  # a weak reference to the Use of those that read the options now
    _meanwhile: ClassVar[tuple[str, ...]]  # what functions have in their names that are not refused
    _refusal: ClassVar[str]

    def _take(
        self,
        api: "Api",
        handle: Any,
        release: Callable[[Any, Any], None] | None,
        lender: object = None,
    ) -> None:
        self._use = _no_use
        super()._take(api, handle, release, lender)

    def _begin_use(self) -> Use:
        """What a reader keeps until it has read the options."""
        with lock:
            handle = self.handle
            use: Use | None = self._use()
            if use is None or use.handle is not handle:
                use = Use(handle)
                self._use = ref(use)
            return use

    def _call(self, slot: str, *arguments: Any) -> None:
        if any(part in slot for part in self._meanwhile):
            super()._call(slot, *arguments)
            return
        with lock:
            self._refuse_in_use()
            super()._call(slot, *arguments)

    def _refuse_in_use(self) -> None:
        """A library frees texts and lists that it replaces, which it may be reading elsewhere."""
        if self._use() is not None:
            raise RuntimeError(self._refusal)
