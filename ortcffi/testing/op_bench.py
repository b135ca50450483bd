# SPDX-License-Identifier: MIT
"""The bench of rules for custom ops: one op on a host, with made-up attributes and inputs."""

import signal
import warnings
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, product
from typing import Any

import numpy as np

from ortcffi._convert import decode
from ortcffi._native import lib
from ortcffi._table import HIGHEST_VERSION, host_function, of_core
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import OrtError
from ortcffi.kernels.checked import CheckedKernel
from ortcffi.kernels.child import tell
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.library import CustomOpLibrary
from ortcffi.table.hosts import release_of
from ortcffi.table.trace import Trace
from ortcffi.testing.random_inputs import described, random_elements
from ortcffi.testing.rules import NotTried, Subject
from ortcffi.values.element_types import ElementType, dtype_of

CALL_SECONDS = 15  # for each step
OF_CPU = "", "CPUExecutionProvider"
_LEFT = "an exception left the op"
_SINCE = {
    decode(lib.ortcffi_slot_row(i).name): lib.ortcffi_slot_row(i).since
    for i in range(lib.ORTCFFI_SLOTS)
}
_PLAIN: dict[str, Any] = {
    "INT": 1,
    "FLOAT": 1.0,
    "STRING": "1",
    "INTS": [1, 1],
    "FLOATS": [1.0, 1.0],
    "STRINGS": ["1"],
    "TENSOR": np.ones(1, np.float32),
}
_ANY = "FLOAT", "DOUBLE", "INT64", "INT32", "UINT8", "BOOL", "FLOAT16", "STRING"
# The usual ones first. (64,) and (4, 16) end at a multiple of 64 bytes, whatever the type.
_SHAPES = (2, 3), (3,), (4, 16), (64,), (1, 3, 4, 4), (5, 1, 7), (1,), (), (0,), (0, 3)
_MIXED = (2, 3), (3,), (1,), ()
_MOST_MIXED = 64


class Bench:
    """An op of a library in the process that tries its rules."""

    most_memory = 1 << 30  # bytes, for kernels that get arbitrary inputs

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        warnings.simplefilter("ignore")  # of attributes that an op does not read
        if hasattr(signal, "alarm"):
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        version = release_of(subject.host) or HIGHEST_VERSION
        self.has = subject.asked or version  # the version of the table that it may use
        base = host_function("OrtcoreWatchedBase")(version)
        self._trace = Trace(of_core(base.GetApi(version), base, version))
        self.attributes: dict[str, Any] = {}  # with which it makes a kernel
        self.computed: list[tuple[list[Any], tuple[Any, ...]]] = []  # inputs, and their outputs
        self.thrown: list[str] = []  # by functions of the op which can answer a status
        self.calls, self.refusals, self.made = 0, 0, False  # calls: with inputs, right or wrong
        self.refusal = ""  # why it made no kernel, or did not compute
        self.wrong = ""  # what is wrong with what it computed
        self._random = np.random.default_rng(0)
        self.begin("while the library is registered")
        self.library = CustomOpLibrary(subject.path, api=self._trace.api, watch=True)
        self.op = self.library.ops[subject.op]
        self._before = self._trace.called

    @property
    def name(self) -> str:
        """Domain and name of the op."""
        return f"{self.op.domain}:{self.op.name}"

    @property
    def facts(self) -> dict[str, Any]:
        """What is told in the end."""
        return {"computes": self.calls, "needs": self.needed()[0]}

    def needed(self) -> tuple[int, list[str]]:
        """Get the lowest API version that has what the op called, and the slots of that version."""
        called, before = self._trace.called, self._before
        since = {slot: _SINCE[slot] for slot, n in called.items() if n > before.get(slot, 0)}
        needs = max(since.values(), default=1)
        return needs, [slot for slot, version in since.items() if version == needs]

    def require_computed(self) -> None:
        """Try no rule about what an op computes that does not."""
        if not self.computed:
            raise NotTried("")

    def require_right(self) -> None:
        """Nor where that is wrong."""
        self.require_computed()
        if self.wrong:
            raise NotTried("what it computes is wrong")

    def begin(
        self,
        what: str,
        attributes: dict[str, Any] | None = None,
        *,
        others: bool = False,
        limit: bool = True,
    ) -> None:
        """Say what comes next, which must not take longer, and which made-up attributes it has.

        They are those of `attributes`, by default those of the kernel, which are not the cause of a
        crash if it has computed with them. With `others` kernels of other values are made, too.
        """
        used = self.attributes if attributes is None else attributes
        has_computed = attributes is None and bool(self.computed)
        text = str(used) if used and not has_computed else ""
        tell(doing=what, made_up=text or ("of other kernels" if others else ""))
        if hasattr(signal, "alarm"):
            signal.alarm(CALL_SECONDS if limit else 0)

    # --- kernels ----------------------------------------------------------------------------------

    def make(self) -> None:
        """Make a kernel with a value for each attribute that it asks for, or with none.

        One that has what it asks for is more likely to compute.
        """
        if self.op.description.provider not in OF_CPU:
            self.refusal = f"it is for {self.op.description.provider}"
            return
        asked: dict[str, list[str]] = {}
        attributes: dict[str, Any] = {}
        for _ in range(8):
            self.refusal = ""  # the last one counts
            self.begin(f"while a kernel is made with attributes {attributes}", attributes)
            try:
                self.op.kernel(attributes, _asked=asked).close()
                self.made, self.attributes = True, dict(attributes)
            except (OrtError, ValueError) as error:
                self._refused(error)
            more = {name: _PLAIN[kinds[0]] for name, kinds in asked.items()}
            if attributes.keys() >= more.keys() or not self.subject.made_up:
                break
            attributes = more
        if self.made:
            self.refusal, self.refusals, self.thrown = "", 0, []

    def compute(self) -> None:
        """Compute with inputs of many shapes, where `CheckedKernel` finds what is wrong."""
        with self.op.kernel(self.attributes, check=True) as kernel:
            for given in self._draws():
                if self.wrong:
                    return
                self.call(kernel, given, "with inputs")
            if len(self.op.inputs) > 1 and not self.computed:
                for shapes in islice(product(_MIXED, repeat=len(self.op.inputs)), _MOST_MIXED):
                    self.call(kernel, self.inputs(list(shapes)), "with inputs")

    def call(self, kernel: Kernel, given: list[Any], when: str) -> None:
        """Compute once, and note what came of it."""
        inputs, others = described(given), False
        if isinstance(kernel, CheckedKernel):
            others = bool(kernel._make_others) and self.subject.made_up
            kernel._make_others = kernel._make_others if others else []
        self.begin(f"{when} {inputs}", others=others)
        try:
            found = kernel(*given)
        except AssertionError as error:
            if self._may_not_fit(given):
                self.refusal = self.refusal or f"{error}, with inputs {inputs}, which may not fit"
                return
            self.calls += 1
            text = str(error).removeprefix(f"{self.name}: ")
            self.wrong = self.wrong or f"{text}, with inputs {inputs}"
        except (OrtError, TypeError, ValueError) as error:
            self._refused(error)
        else:
            outputs = found if isinstance(found, tuple) else (found,)
            self.calls += 1
            copies = (x.copy() if isinstance(x, np.ndarray) else x for x in outputs)
            self.computed.append((given, tuple(copies)))

    def _may_not_fit(self, given: list[Any]) -> bool:
        """Whether inputs have different shapes, and nothing is wrong when one call is checked.

        Whether such inputs fit each other cannot be known. If they do not, another result in a
        second call, or an element that is not written, is no mistake of the op.
        """
        if len({x.shape for x in given if x is not None}) < 2:
            return False
        try:
            with (
                suppress(OrtError, TypeError, ValueError),
                self.op.kernel(self.attributes, check=True, repeats=1) as kernel,
            ):
                kernel(*given)
        except AssertionError:
            return False
        return True

    def _refused(self, error: Exception) -> None:
        text = str(error)
        self.refusal = self.refusal or text
        self.refusals += 1
        if _LEFT in text:
            self.thrown.append(text[text.index(_LEFT) :])

    # --- inputs -----------------------------------------------------------------------------------

    def _draws(self) -> Iterator[list[Any]]:
        """Yield inputs of one shape, of each type that the op may take."""
        is_free = any(not operand.element_type for operand in self.op.inputs)
        has_others = any(o.characteristic != Characteristic.REQUIRED for o in self.op.inputs)
        if not self.op.inputs:
            yield []
            return
        for name in _ANY if is_free else _ANY[:1]:
            for others in (False, True) if has_others else (False,):
                for shape in _SHAPES:
                    yield self.inputs([shape] * len(self.op.inputs), name, others)

    def inputs(
        self, shapes: list[tuple[int, ...]], free: str = "FLOAT", others: bool = False
    ) -> list[Any]:
        """Random inputs; with `others` without optional ones, and with more of variadic ones."""
        given: list[Any] = []
        for operand, shape in zip(self.op.inputs, shapes, strict=True):
            dtype = dtype_of(operand.element_type or ElementType[free])
            count = 1
            if operand.characteristic == Characteristic.VARIADIC:
                count = max(operand.min_arity, 1) + 2 * others
            elif operand.characteristic == Characteristic.OPTIONAL and others:
                given.append(None)
                continue
            given += [random_elements(dtype, shape, self._random) for _ in range(count)]
        return given
