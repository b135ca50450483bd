# SPDX-License-Identifier: MIT
"""Kernels whose calls are checked: what they write, and what they say of their outputs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.errors import OrtError
from ortcffi.kernels.kernel import Kernel
from ortcffi.values.checks import fits
from ortcffi.values.element_types import PACKED, ElementType, ValueKind
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.memory.adaptors import Guarded

_FILLS = lib.CORE_GUARDED_FILL, 0x5A


@public
class CheckedKernel(Kernel):
    """A kernel whose calls are checked. Made by an op's ``kernel(check=True)``.

    A call fails with `AssertionError`, which names the op, the operand and the byte or element, if
    the kernel

    - writes beyond an input, an output or other memory that it is given;
    - writes to an input;
    - leaves a part of an output unwritten, or computes another result when it is called again;
    - makes outputs of other types or shapes than the op's shape inference says.

    Then the first call makes kernels with other numbers as attributes, and computes once more: an
    attribute in memory that kernels share gives another result, too. An attribute that neither the
    kernel nor the op's shape inference has read by then is a `UserWarning`.

    For the first two, the inputs are copied into memory of a `Guarded`, for each computation anew.
    Strings that are not written are empty, which is no mistake. What is no dense tensor is not
    checked. A kernel that only has a `Guarded` as its allocator is called once, and checked for the
    first two.

    Calls of one such kernel must not overlap, unless each computes only once.
    """

    _guard: "Guarded"
    _repeats: int
    _infers: bool
    _is_busy: bool
    _make_others: list[Callable[[], Kernel]]
    _tell_unread: Callable[[Kernel], None] | None

    def _begin_checks(
        self,
        guard: "Guarded",
        repeats: int,
        infers: bool,
        make_others: list[Callable[[], Kernel]],
        tell_unread: "Callable[[Kernel], None] | None",
    ) -> None:
        self._guard, self._repeats, self._infers, self._is_busy = guard, repeats, infers, False
        self._make_others, self._tell_unread = make_others, tell_unread

    def __call__(self, *inputs: Any) -> Any:
        """Compute, and return the output as an array, or a tuple of several."""
        __tracebackhide__ = True
        found = [_array(value) for value in self._checked(inputs, None)]
        return found[0] if len(found) == 1 else tuple(found)

    def _compute(self, inputs: tuple[Any, ...], outputs: Any) -> tuple[Value | None, ...]:
        __tracebackhide__ = True
        return self._checked(inputs, outputs)

    def _checked(self, inputs: tuple[Any, ...], outputs: Any) -> tuple[Value | None, ...]:
        __tracebackhide__ = True
        values = [None if x is None else self._convert(i, x) for i, x in enumerate(inputs)]
        before = [_content(value) for value in values]
        given: list[Value | None] = []
        first: list[Any] = []
        found: tuple[Value | None, ...] = ()
        others: list[Kernel] = []
        with self._one_call() if self._repeats > 1 else nullcontext():
            for n in range(self._repeats + 1):
                if n == self._repeats:
                    others = self._others()
                    if not others:
                        break
                if self._repeats > 1:
                    self._guard._fill_with(_FILLS[n % 2])
                given = [self._copy(value) for value in values]  # the last ones are freed after it
                found = super()._compute(tuple(given), outputs)
                self._refuse_damage(given, found)
                self._refuse_written(given, before)
                if n == 0:
                    first = [_content(value) for value in found]
                else:
                    self._refuse_difference(first, found, _FILLS[n % 2], others)
        if self._infers:
            self._refuse_other_shapes(given, found)
        if self._tell_unread is not None:
            tell, self._tell_unread = self._tell_unread, None
            tell(self)
        return found

    @contextmanager
    def _one_call(self) -> Iterator[None]:
        if self._is_busy:
            raise RuntimeError(f"this kernel of {self._op} is checked, and computes already")
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False
            self._guard._fill_with(_FILLS[0])

    def _others(self) -> list[Kernel]:
        """Kernels of other attributes, once; none where one call may differ from the next."""
        others: list[Kernel] = []
        if self._repeats < 2:
            return others
        for make in self._make_others:
            with suppress(OrtError, ValueError):  # it refuses such an attribute
                others.append(make())
        self._make_others = []
        return others

    def _copy(self, value: Value | None) -> Value | None:
        """Return an input in memory of the guard, if it is a tensor of numbers."""
        if value is None or not _is_plain(value):
            return value
        copy = Value.empty(value.shape, value.element_type, self._guard)
        bytes_of(copy)[...] = bytes_of(value)
        return copy

    # --- what is refused --------------------------------------------------------------------------

    def _refuse_damage(self, given: Any, found: Any) -> None:
        __tracebackhide__ = True
        damage = self._guard.find_damage()
        if damage is None:
            return
        for what, values in (("input", given), ("output", found)):
            for place, value in enumerate(values):
                if not _is_plain(value) or damage.is_freed:
                    continue
                at = value._data - damage.address  # an adaptor may have taken the first bytes
                if 0 <= at < damage.size:
                    self._fail(
                        f"it wrote beyond {what} {place} of {value.nbytes} bytes: "
                        f"{damage.bytes_from(value._data)}"
                    )
        self._fail(f"it wrote beyond memory that it took: {damage}")

    def _refuse_written(self, given: Any, before: Any) -> None:
        __tracebackhide__ = True
        for place, (value, content) in enumerate(zip(given, before, strict=True)):
            if content is not None and (at := _difference(content, _content(value))) is not None:
                self._fail(f"it wrote to input {place}, at {_place(value, at)}")

    def _refuse_difference(self, first: Any, found: Any, fill: int, others: Any) -> None:
        __tracebackhide__ = True
        for place, (before, value) in enumerate(zip(first, found, strict=True)):
            now = _content(value)
            if (before is None) != (now is None) or (now is not None and len(now) != len(before)):
                self._fail(f"output {place} has another size when the kernel is called again")
            if now is None or (at := _difference(before, now)) is None:
                continue
            if before[at] == _FILLS[0] and now[at] == fill:
                self._fail(f"it did not write {_place(value, at)} of output {place}")
            after = ", after kernels with other attributes were made" if others else ""
            self._fail(
                f"called again with the same inputs{after}, it computes another output {place}, "
                f"from {_place(value, at)} on; repeats=1 allows it"
            )

    def _refuse_other_shapes(self, given: Any, found: Any) -> None:
        __tracebackhide__ = True
        inferred = self.infer_shapes(*(value if _is_tensor(value) else None for value in given))
        for place, (info, value) in enumerate(zip(inferred, found, strict=False)):
            if info is None or not _is_tensor(value):
                continue
            said, made = info.shape, value.shape
            if not fits(made, said):
                self._fail(
                    f"its shape inference says {list(said or ())} for output {place}, and it made "
                    f"{list(made)}"
                )

    @property
    def _op(self) -> str:
        return f"{self.description.domain}:{self.description.name}"

    def _fail(self, text: str) -> None:
        __tracebackhide__ = True
        raise AssertionError(f"{self._op}: {text}")


def _is_tensor(value: Value | None) -> bool:
    return value is not None and value.kind is ValueKind.TENSOR


def _is_plain(value: Value | None) -> bool:
    """Whether a value is a tensor of numbers, whose bytes can be compared."""
    return _is_tensor(value) and value.element_type is not ElementType.STRING  # type: ignore[union-attr]


def _content(value: Value | None) -> Any:
    """Return the bytes of a tensor, or its strings; None for what is not compared."""
    if value is None or not _is_tensor(value):
        return None
    return bytes_of(value).copy() if _is_plain(value) else value.numpy(copy=True).reshape(-1)


def _place(value: Value, byte: int) -> str:
    """Return the element that a byte of a tensor is in, or that a string is."""
    if value.element_type in PACKED:
        return f"byte {byte}"
    return f"element {byte // value.dtype.itemsize if _is_plain(value) else byte}"


def _difference(before: Any, now: Any) -> int | None:
    """Return the first byte or string that differs; None if there is none."""
    found = np.flatnonzero(before != now)
    return int(found[0]) if found.size else None


def _array(value: Value | None) -> Any:
    """Return what a kernel that is not checked returns of an output."""
    if value is None:
        return None
    if not _is_tensor(value):
        return value.to_python()
    return value.numpy(copy=value.element_type in PACKED)
