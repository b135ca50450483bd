# SPDX-License-Identifier: MIT
"""Options that do not change while a library reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary, ref

from ortcffi._native import address_of
from ortcffi._public import public
from ortcffi.options.settings import Options, lock

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Use", "UsedOptions"]


class Use:
    """What those have that read some options now. It keeps these."""

    __slots__ = ("__weakref__", "_other", "handle")

    def __init__(self, handle: Any, other: "Use | None") -> None:
        self.handle = handle
        self._other = other  # that of another object with the same handle


class Guard:
    """Of a handle, which several objects may have: wrappers of the same official options."""

    __slots__ = ("__weakref__", "use")

    def __init__(self) -> None:
        self.use: Callable[[], Use | None] = _no_use  # or a weak reference


def _no_use() -> None:
    """The weak reference of options that nobody reads."""


_guards: WeakValueDictionary[int, Guard] = WeakValueDictionary()  # by the address of the options


@public
class UsedOptions(Options):
    """Options that refuse changes while a library reads them on another thread."""

    __slots__ = ("_guard",)

    _guard: Guard | None  # looked up when it is first needed
    _meanwhile: ClassVar[tuple[str, ...]]  # what functions have in their names that are not refused
    _refusal: ClassVar[str]

    def _take(
        self,
        api: "Api",
        handle: Any,
        release: Callable[[Any, Any], None] | None,
        lender: object = None,
    ) -> None:
        self._guard = None
        super()._take(api, handle, release, lender)

    def _begin_use(self) -> Use:
        """What a reader keeps until it has read the options."""
        with lock:
            handle, guard = self.handle, self._guarded()
            use = guard.use()
            if use is None or use.handle != handle:
                other, use = use, Use(handle, use)
                if other is None:
                    guard.use = ref(use)
            return use

    def _guarded(self) -> Guard:
        guard = self._guard
        if guard is None:
            address = address_of(self.handle)
            guard = _guards.get(address)
            if guard is None:
                guard = _guards[address] = Guard()
            self._guard = guard
        return guard

    def _call(self, slot: str, *arguments: Any) -> None:
        if any(part in slot for part in self._meanwhile):
            super()._call(slot, *arguments)
            return
        with lock:
            self._refuse_in_use()
            super()._call(slot, *arguments)

    def _refuse_in_use(self) -> None:
        """A library frees texts and lists that it replaces, which it may be reading elsewhere."""
        if self._guarded().use() is not None:
            raise RuntimeError(self._refusal)
