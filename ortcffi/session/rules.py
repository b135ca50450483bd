# SPDX-License-Identifier: MIT
"""The rules of a session: what it takes, what it refuses, and what its runs return.

The compiled function `Engine.run` takes arrays of the right dtype and shape, and Values, as they
are. For anything else it calls `Rules.converted`, and makes the run with what that returns; the
head of ``boundary/session/session.h`` lists what else of the rules C calls. The drop-in has rules
of its own.
"""

import os
import reprlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ortcffi._convert import mapping, of_type
from ortcffi._native import ffi
from ortcffi._public import described, meant, quoted
from ortcffi.errors import Cancelled, InvalidArgument, OutOfMemory, Overloaded, QueueTimeout
from ortcffi.values import tensors, type_info
from ortcffi.values.checks import array_of, element_of_array, not_held, unfit
from ortcffi.values.element_types import PACKED, ElementType, ValueKind, dtype_of, element_of
from ortcffi.values.lifecycle import has_value
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.options.run_options import RunOptions
    from ortcffi.session.binding import Binding
    from ortcffi.session.session import Session
    from ortcffi.table.api import Api
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
            if session._place_of_output(name) is None:
                self.refuse(session, "output", name)
        if targets is not None:
            for place, spec in enumerate(session.outputs):
                if spec.name in targets and (names is None or spec.name in names):
                    targets[spec.name] = self.target(session, place, targets[spec.name])
        if options is not None or session._recorder is not None:
            options = self.options(session, options)
        return given, names, options, targets

    def _inputs(
        self, session: "Session", feed: "Iterable[tuple[str, Any]]", inputs: dict[str, Any]
    ) -> dict[str, Value]:
        given: dict[str, Value] = {}
        for name, x in chain(feed, inputs.items()):
            place = session._place_of_input(name)
            if place is None:
                self.refuse(session, "input", name)
            if name in given:
                self.refuse(session, "twice", name)
            value = self.convert(session, place, x)
            if value is not None:
                given[name] = value
        if session._required()[0] - given.keys():
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
        # What options there are has imported their class.
        if options is None or not hasattr(options, "_for_run"):
            from ortcffi.options.run_options import RunOptions

            of_type("options", options, RunOptions)
            recorder = session._recorder  # a block profiles runs, or has ended meanwhile
            options = recorder.options() if recorder else RunOptions(session.api)
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
        binding._check_overlaps()

    # --- values -----------------------------------------------------------------------------------

    def convert(self, session: "Session", place: int, x: Any) -> Value | None:
        """Return a Value of the session's library for an input, or None for no input."""
        spec = spec_of_input(session, place)
        if spec.kind is ValueKind.OPTIONAL and _is_nothing(x):
            return None
        subject, kind = f"input {quoted(spec.name)}", _kind_inside(spec)
        value = _as_value(session.api, subject, spec, kind, x)
        _check(subject, spec, kind, value)
        return value

    def target(self, session: "Session", place: int, x: Any) -> Value:
        """Return a Value that an output is written to."""
        api, spec = session.api, session.outputs[place]
        subject = f"out[{quoted(spec.name)}]"
        if isinstance(x, Value):
            if not api.same_library(x.api):
                raise ValueError(f"{subject} belongs to {x.api}, and the session to {api}")
            _check_open(subject, x)
            _check(subject, spec, _kind_inside(spec), x)
            return x
        if not isinstance(x, np.ndarray):
            raise TypeError(f"{subject} must be an ndarray or a Value, not {type(x).__name__}")
        element = element_of_array(x, subject)
        _check_element(subject, spec, element, x.shape)
        _check_shape(subject, spec, x.shape)
        if not x.flags.writeable:
            raise ValueError(f"{subject} is read-only")
        if element is ElementType.STRING:
            raise ValueError(
                f"{subject}: the library cannot write strings to an array: use a Value"
            )
        if reason := unfit(x, element, subject):
            raise ValueError(f"{reason}, so that a run cannot write to it")
        return Value.from_numpy(x, api=api)

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
    source = session._source
    return repr(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "a model"


def as_result(value: Value) -> Any:
    """Get what a run returns for an output: an array, Python's own objects, or None for nothing."""
    if value.kind is ValueKind.TENSOR:
        return value.numpy(copy=value.element_type in PACKED)
    return value.to_python() if has_value(value) else None


# --- errors ---------------------------------------------------------------------------------------


def _unknown_name(why: str, session: "Session", name: Any) -> Exception:
    """Return the error for the name of an input or an output that the model does not have."""
    if not isinstance(name, str):
        return TypeError(f"the name of an {why} must be a str, not {quoted(name)}")
    inputs = *session.inputs, *session.overridable_initializers
    return unknown(why, name, inputs if why == "input" else session.outputs)


def _given_twice(_session: "Session", name: str) -> TypeError:
    return TypeError(f"input {quoted(name)} was given twice: in feed and as a keyword")


def _overlap(_session: "Session", what: tuple[str, str, str]) -> InvalidArgument:
    output, kind, other = what
    return InvalidArgument(
        f"the memory of output {quoted(output)} overlaps that of {kind} {quoted(other)}, which a "
        "run would change while it needs it"
    )


def _no_memory(session: "Session", what: tuple[str, str]) -> BaseException:
    """Return the error for a run without memory: the library's message, and its function."""
    from ortcffi.session.limits import explained

    message, function = what
    return OutOfMemory(explained(session, message, _named(session)), function)


def _ended(session: "Session", what: tuple[int, float]) -> BaseException:
    """Return the error for a run that was ended early: by which `enum ending`, and its timeout."""
    ending, seconds = what
    if _ENDINGS[ending] == "timeout":
        return TimeoutError(
            f"the run of {_named(session)} was ended since it took longer than its timeout "
            f"of {seconds:g} seconds"
        )
    if _ENDINGS[ending] == "timeout in the queue":
        return QueueTimeout(
            f"the run of {_named(session)} did not begin within its timeout of {seconds:g} "
            "seconds: other runs were under way"
        )
    if _ENDINGS[ending] == "KeyboardInterrupt":
        return KeyboardInterrupt()
    return Cancelled("the run was ended by cancel", "Run")


def _overload(session: "Session", most: int) -> BaseException:
    return Overloaded(
        f"the run of {_named(session)} was not queued: {most} runs were waiting for a thread"
    )


_REFUSALS: dict[str, Callable[..., BaseException]] = {
    "input": partial(_unknown_name, "input"),
    "output": partial(_unknown_name, "output"),
    "twice": _given_twice,
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


# --- inputs ---------------------------------------------------------------------------------------


def _is_nothing(x: Any) -> bool:
    """Whether an optional input is left out."""
    return x is None or (isinstance(x, Value) and not x.closed and x.kind is ValueKind.OPTIONAL)


def _as_value(api: "Api", subject: str, spec: "ValueSpec", kind: ValueKind, x: Any) -> Value:
    if isinstance(x, Value):
        _check_open(subject, x)
        return of_library(api, x)
    if kind is ValueKind.SEQUENCE:
        return _as_sequence(api, subject, spec, x)
    if kind is ValueKind.MAP:
        return _as_map(api, subject, spec, x)
    if kind is ValueKind.SPARSE:
        return _as_sparse(api, subject, x)
    return _as_tensor(api, subject, spec, x)


def of_library(api: "Api", value: Value) -> Value:
    """Return a value as one of a session's library."""
    if api.same_library(value.api):
        return value
    from ortcffi.options.for_library import value_for

    mine: Value = value_for(api, value)
    return mine


def _as_sequence(api: "Api", subject: str, spec: "ValueSpec", x: Any) -> Value:
    from ortcffi.values import containers

    element = type_info.contained_element(_inside(spec))
    items = containers.sequence_items(subject, x, element)
    if not items and element is not None:
        from ortcffi.session.empty import empty_sequence

        return empty_sequence(api, element)
    values = [of_library(api, i) if isinstance(i, Value) else i for i in items]
    return Value.sequence(values, api=api)


def _as_map(api: "Api", subject: str, spec: "ValueSpec", x: Any) -> Value:
    return Value.map(mapping(subject, x), type_info.contained_dtype(_inside(spec)), api=api)


def _inside(spec: "ValueSpec") -> Any:
    """Return the type of an input, or the one that it may hold if it is optional."""
    return spec.type_info.contained if spec.kind is ValueKind.OPTIONAL else spec.type_info


def _kind_inside(spec: "ValueSpec") -> ValueKind:
    """Return the kind of an input or output, or of what an optional one may hold."""
    contained = spec.type_info.contained if spec.kind is ValueKind.OPTIONAL else None
    return spec.kind if contained is None else ValueKind(contained.kind)


def _as_sparse(api: "Api", subject: str, x: Any) -> Value:
    if not hasattr(x, "tocoo"):
        kind = type(x).__name__
        raise TypeError(f"{subject} must be a sparse Value or one of scipy.sparse, not {kind}")
    return Value.from_scipy(x, api=api)


def _as_tensor(api: "Api", subject: str, spec: "ValueSpec", x: Any) -> Value:
    if isinstance(x, type):
        raise TypeError(f"{subject} must be an array, not the class {x.__name__}")
    if isinstance(x, np.ndarray):
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(
                f"{subject} must not be masked, since values have no mask: use filled()"
            )
        if x.dtype == object and spec.element_type not in (None, ElementType.STRING):
            raise _of_objects(subject, spec, x)
        array = array_for(subject, spec, x)
    elif hasattr(x, "__dlpack__") and not isinstance(x, np.generic) and not _is_for_numpy(x):
        value = Value.from_dlpack(x, api=api)
        if spec.element_type in (None, value.element_type):
            return value
        array = array_for(subject, spec, value.numpy())
    else:
        array = array_for(subject, spec, x)
    try:
        element = element_of(array.dtype)
    except TypeError as error:
        raise TypeError(f"{subject}: {error}") from None
    _check_element(subject, spec, element, array.shape)
    array = np.asarray(array)
    if element is not ElementType.STRING and unfit(array, element):
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        array = np.require(array, requirements=["C", "A"])
    _check_shape(subject, spec, array.shape)
    if element is ElementType.STRING or unfit(array, element):
        return tensors.copy_of(Value, array, element, api, subject)
    return Value.from_numpy(array, api=api)


def _is_for_numpy(x: Any) -> bool:
    """Whether DLPack cannot have an array of Arrow: one with missing elements, or of strings."""
    return bool(getattr(x, "null_count", 0)) or "string" in str(getattr(x, "type", ""))


# --- checks ---------------------------------------------------------------------------------------


def array_for(subject: str, spec: "ValueSpec", x: Any) -> "np.ndarray[Any, Any]":
    """Get an array of a list, a number or an array, in the model's dtype where that only rounds."""
    dtype = spec.dtype
    if spec.kind is ValueKind.OPTIONAL:
        dtype = type_info.contained_dtype(spec.type_info)
    try:
        array = array_of(x, dtype)
    except TypeError as error:
        raise TypeError(f"{subject} cannot be made an array: {error}") from None
    except ValueError as error:
        raise InvalidArgument(f"{subject} cannot be made an array: {error}") from None
    if isinstance(x, (list, tuple, int, float, np.ndarray)):
        _check_held(subject, spec, array)
    if array.dtype == object and (dtype is None or dtype.kind != "O"):
        if array.ndim > 0 and hasattr(x, "astype"):  # such as a pandas.DataFrame
            raise _of_objects(subject, spec, array)
        if isinstance(x, (list, tuple)):
            raise InvalidArgument(
                f"{subject} cannot be made an array of {spec.describe()}: NumPy has no dtype for "
                f"all of {reprlib.repr(x)}"
            )
        raise TypeError(f"{subject} must be an array of {spec.describe()}, not {type(x).__name__}")
    return array


def _of_objects(subject: str, spec: "ValueSpec", array: "np.ndarray[Any, Any]") -> InvalidArgument:
    """Return the error for an array of objects where the model wants numbers."""
    first = f", the first of type {type(array.flat[0]).__name__}" if array.size else ""
    cast = "" if spec.element_type is None else _cast(ElementType.UNDEFINED, spec.element_type)
    return InvalidArgument(
        f"{subject} is an array of Python objects{first}; the model wants {spec.describe()}{cast}"
    )


def _check_held(subject: str, spec: "ValueSpec", array: "np.ndarray[Any, Any]") -> None:
    """Refuse numbers of a list that the model's dtype cannot hold, and name one."""
    dtype = spec.dtype
    if dtype is None or array.dtype == dtype or array.dtype.kind not in "biuf":
        return
    if first := not_held(array, dtype):
        raise InvalidArgument(
            f"{subject} has {first[0]!r}, which {dtype} cannot hold; "
            f"the model wants {spec.describe()}"
        )


def _check_open(subject: str, value: Value) -> None:
    if value.closed:
        raise ValueError(f"{subject} is a Value that is closed")


def _check(subject: str, spec: "ValueSpec", wanted: ValueKind, value: Value) -> None:
    kind = value.kind
    if kind is not wanted:
        article = "an" if kind is ValueKind.OPTIONAL else "a"
        raise InvalidArgument(
            f"{subject} is {article} {kind.name.lower()}; the model wants {spec.describe()}"
        )
    if spec.kind in (ValueKind.TENSOR, ValueKind.SPARSE):
        _check_element(subject, spec, value.element_type, value.shape)
        _check_shape(subject, spec, value.shape)


def check_borrowed(subject: str, x: Any, value: Value) -> None:
    """Refuse an array of which later runs would read a copy."""
    if not isinstance(x, np.ndarray):
        return
    element = value.element_type
    if element is ElementType.STRING or element in PACKED:
        return
    if (has := element_of(x.dtype)) is not element:
        raise InvalidArgument(
            f"{subject} is {described(has.name.lower(), x.shape)}; the model wants "
            f"{element.name.lower()}, so that later runs would read a copy{_cast(has, element)}"
        )
    if reason := unfit(x, element, subject):
        raise ValueError(
            f"{reason}: later runs would read a copy, and not what is written to the array; "
            "bind a C-contiguous array, or pass copy=True"
        )


def _check_element(
    subject: str, spec: "ValueSpec", element: ElementType, shape: tuple[int, ...]
) -> None:
    wanted = spec.element_type
    if wanted is None or element == wanted:
        return
    has = described(element.name.lower(), shape)
    raise InvalidArgument(
        f"{subject} is {has}; the model wants {spec.describe()}{_cast(element, wanted)}"
    )


def _cast(element: ElementType, wanted: ElementType) -> str:
    """How an array gets the dtype that is wanted, if there is a way."""
    if ElementType.STRING in (element, wanted):
        return ""
    try:
        name = dtype_of(wanted).name
    except ImportError:
        return ""
    module = "ml_dtypes" if dtype_of(wanted).type.__module__ == "ml_dtypes" else "numpy"
    return f": cast it with .astype({module}.{name})"


def _check_shape(subject: str, spec: "ValueSpec", shape: tuple[int, ...]) -> None:
    wanted = spec.shape
    if not wanted or spec.element_type is None:  # no dimensions mean any shape
        return
    if len(shape) != len(wanted):
        has = described(spec.element_type.name.lower(), shape)
        is_column = len(shape) == 1 and len(wanted) == 2 and wanted[1] == 1
        hint = ": x[:, None] has, and df[['name']] of a DataFrame" if is_column else ""
        raise InvalidArgument(
            f"{subject} is {has} with {len(shape)} dimensions; "
            f"the model wants {spec.describe()} with {len(wanted)}{hint}"
        )
    for place, (length, expected) in enumerate(zip(shape, wanted, strict=True)):
        if isinstance(expected, int) and expected not in (-1, length):
            has = described(spec.element_type.name.lower(), shape)
            raise InvalidArgument(
                f"{subject} is {has}, whose dimension {place} is {length}; "
                f"the model wants {spec.describe()}, where it is {expected}"
            )
