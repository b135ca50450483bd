# SPDX-License-Identifier: MIT
"""The rules of a session: what it takes, what it refuses, and what its runs return.

The compiled function `Engine.run` takes arrays of the right dtype and shape, and Values, as they
are. For anything else it calls `Rules.converted`, and makes the run with what that returns; the
head of ``boundary/session/session.h`` lists what else of the rules C calls. The drop-in has rules
of its own.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

from ortcffi._convert import mapping, of_type
from ortcffi._native import ffi
from ortcffi._public import meant, quoted
from ortcffi.errors import Cancelled, InvalidArgument, OutOfMemory, Overloaded, QueueTimeout
from ortcffi.session.given import input_value, place_of, target_value
from ortcffi.values.element_types import PACKED, ValueKind
from ortcffi.values.lifecycle import has_value
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.options.run_options import RunOptions
    from ortcffi.session.binding import Binding
    from ortcffi.session.session import Session
    from ortcffi.values.type_info import ValueSpec

# As `enum ending` in C.
_ENDINGS = {1: "cancel", 2: "timeout", 3: "KeyboardInterrupt", 4: "timeout in the queue"}


class Rules:
    """The rules of a `Session`, which needs no more than one object for all."""

    contents: Callable[[Value], Any] | None = None
    """What turns tensors of sequences into arrays where C cannot; None for lists."""
    wrapper: type | None = None
    """Of objects that stand for the Value which is their attribute ``_value``."""

    @cached_property
    def for_c(self) -> tuple[Any, ...]:
        """What C calls or knows of the rules, in its order."""
        functions = self.converted, self.options, self.result, self.refuse, self.bound
        return (*functions, self.contents, self.wrapper, ffi.typeof("OrtRunOptions*"))

    # --- arguments --------------------------------------------------------------------------------

    def converted(  # noqa: PLR0913, PLR0917  # as many as `run` has
        self, session: "Session", feed: Any, outputs: Any, options: Any, out: Any, inputs: Any
    ) -> "tuple[dict[str, Value], tuple[str, ...] | None, RunOptions | None, Any]":
        """Return the arguments of a run as C takes them, or the error for one that is wrong.

        They are those of `Session.run`, with the keywords in one dict. Returned are the Values of
        inputs by name, the names of outputs, the options, and the Values that outputs are written
        to, by name; None where nothing was given.
        """
        names = None if outputs is None else self.outputs(session, outputs)
        targets = None if out is None else self.out(session, out)
        given = self._inputs(session, () if feed is None else self.feed(session, feed), inputs)
        for name in names or ():
            if place_of(session._output_places, name) is None:
                self.refuse(session, "output", name)
        if targets is not None:
            for spec in session.outputs:
                if spec.name in targets and (names is None or spec.name in names):
                    targets[spec.name] = target_value(session.api, spec, targets[spec.name])
        if options is not None:
            options = self.options(session, options)
        return given, names, options, targets

    def _inputs(
        self, session: "Session", feed: "Iterable[tuple[str, Any]]", inputs: dict[str, Any]
    ) -> dict[str, Value]:
        given: dict[str, Value] = {}
        for name, x in chain(feed, inputs.items()):
            place = place_of(session._input_places, name)
            if place is None:
                self.refuse(session, "input", name)
            if name in given:
                self.refuse(session, "twice", name)
            value = self.convert(session, place, x)
            if value is not None:
                given[name] = value
        for place, spec in enumerate(session.inputs):
            if spec.name and spec.name not in given:  # one without a name is none, in ONNX
                self.missing(session, place)
        return given

    def feed(self, session: "Session", feed: Any) -> "Iterable[tuple[str, Any]]":
        """Return the names and inputs of a feed, which may be a table."""
        if not isinstance(feed, Mapping):
            from ortcffi.session.frames import column_names, inputs_of

            if (names := column_names(feed)) is not None:
                return inputs_of(session, feed, names)
        return mapping("feed", feed).items()

    def outputs(self, session: "Session", outputs: Any) -> tuple[str, ...]:
        """Return the names of outputs."""
        if isinstance(outputs, str):
            raise TypeError(f"outputs must be a list of names, not a str: write [{outputs!r}]")
        if isinstance(outputs, Mapping):
            raise TypeError(
                "outputs must be a list of names, not a mapping: inputs come first, as in "
                "run(inputs, outputs)"
            )
        if not isinstance(outputs, Iterable):
            raise TypeError(f"outputs must be a list of names, not {type(outputs).__name__}")
        return tuple(outputs) or tuple(spec.name for spec in session.outputs)

    def out(self, session: "Session", out: Any) -> dict[str, Any]:
        """Return what outputs are written to, by name."""
        if not isinstance(out, Mapping):
            kind = type(out).__name__
            raise TypeError(f"out must be a mapping of output names to arrays, not {kind}")
        known = {spec.name for spec in session.outputs}
        for name in out:
            if name not in known:
                self.refuse(session, "output", name)
        return dict(out)

    def options(self, session: "Session", options: Any) -> "RunOptions":
        """Return the options of a run, for the session's library."""
        from ortcffi.options.run_options import RunOptions

        of_type("options", options, RunOptions)
        found: RunOptions = options._for_run(session.api)
        return found

    # --- what is refused --------------------------------------------------------------------------

    def refuse(self, session: "Session", why: str, what: Any) -> NoReturn:
        """Raise the error for an argument, or for a run that has failed: a row of `_REFUSALS`."""
        raise _REFUSALS[why](session, what)

    def missing(self, session: "Session", place: int) -> None:
        """Raise the error for a missing input; the library is called if this returns."""
        spec = session.inputs[place]
        if spec.kind is ValueKind.OPTIONAL:
            return  # it holds nothing
        raise InvalidArgument(
            f"input {quoted(spec.name)} is missing: the model wants {spec.describe()}"
        )

    def bound(self, session: "Session", binding: "Binding") -> None:
        """Refuse what a bound run cannot do with what is bound."""
        for place, spec in enumerate(session.inputs):
            if spec.name not in binding._inputs:
                self.missing(session, place)
        session._check_bound(dict(binding._inputs), dict(binding._outputs))

    # --- values -----------------------------------------------------------------------------------

    def convert(self, session: "Session", place: int, x: Any) -> Value | None:
        """Return a Value of the session's library for an input, or None for no input."""
        return input_value(session.api, spec_of_input(session, place), x)

    def result(self, value: Value, is_input: bool) -> Any:
        """Return what a run returns for an output, which may have the memory of an input.

        It is not asked for dense tensors of NumPy's own types in memory of their own.
        """
        del is_input
        return as_result(value)


RULES = Rules()


def spec_of_input(session: "Session", place: int) -> "ValueSpec":
    """Return the input at a place, or the overridable initializer; those follow the inputs."""
    specs = session.inputs
    own = len(specs)
    return specs[place] if place < own else session.overridable_initializers[place - own]


def _named(session: "Session") -> str:
    """Return the model of a session, as far as it has a name."""
    source = getattr(session._source, "model", session._source)  # whose weights are shared
    return repr(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "a model"


def as_result(value: Value) -> Any:
    """Get what a run returns for an output: an array, Python's own objects, or None for nothing."""
    if value.kind is ValueKind.TENSOR:
        return value.numpy(copy=value.element_type in PACKED)
    return value.to_python() if has_value(value) else None


# --- errors ---------------------------------------------------------------------------------------


def _unknown_name(why: str, session: "Session", name: Any) -> Exception:
    if not isinstance(name, str):
        return TypeError(f"the name of an {why} must be a str, not {quoted(name)}")
    inputs = *session.inputs, *session.overridable_initializers
    return unknown(why, name, inputs if why == "input" else session.outputs)


def _overlap(_session: "Session", what: tuple[str, str, str]) -> InvalidArgument:
    output, kind, other = what
    return InvalidArgument(
        f"the memory of output {quoted(output)} overlaps that of {kind} {quoted(other)}, which a "
        "run would change while it needs it"
    )


def _no_memory(session: "Session", what: tuple[str, str]) -> BaseException:
    from ortcffi.session.limits import explained

    message, function = what
    return OutOfMemory(explained(session, message, _named(session)), function)


def _ended(session: "Session", what: tuple[int, float]) -> BaseException:
    """Return the error for a run that was ended early: by which `enum ending`, and its timeout."""
    ending, seconds = what
    run, timeout = f"the run of {_named(session)}", f"its timeout of {seconds:g} seconds"
    if _ENDINGS[ending] == "timeout":
        return TimeoutError(f"{run} was ended since it took longer than {timeout}")
    if _ENDINGS[ending] == "timeout in the queue":
        return QueueTimeout(f"{run} did not begin within {timeout}: other runs were under way")
    if _ENDINGS[ending] == "KeyboardInterrupt":
        return KeyboardInterrupt()
    return Cancelled("the run was ended by cancel", "Run")


def _overload(session: "Session", most: int) -> BaseException:
    run = f"the run of {_named(session)}"
    return Overloaded(f"{run} was not queued: {most} runs were waiting for a thread")


_REFUSALS: dict[str, Callable[..., BaseException]] = {
    "input": partial(_unknown_name, "input"),
    "output": partial(_unknown_name, "output"),
    "twice": lambda _, name: TypeError(
        f"input {quoted(name)} was given twice: in feed and as a keyword"
    ),
    "overlap": _overlap,
    "memory": _no_memory,
    "end": _ended,
    "overload": _overload,
}


def unknown(what: str, name: str, specs: "tuple[ValueSpec, ...]") -> InvalidArgument:
    """Return the error for a name that the model does not have."""
    known = ", ".join(quoted(spec.name) for spec in specs[:8]) + (", ..." if len(specs) > 8 else "")
    hint = meant(name, [spec.name for spec in specs])
    listed = f"the model has {known}" if specs else "the model has none"
    end = f"{hint} T{listed[1:]}" if hint else f"; {listed}"
    return InvalidArgument(f"there is no {what} {quoted(name)}{end}")
