# SPDX-License-Identifier: MIT
"""Whether a kernel computes the same without a session as in one."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Barrier
from time import monotonic
from typing import Any

import numpy as np

from ortcffi._convert import integer
from ortcffi.custom_ops.op_attr import other_attributes
from ortcffi.errors import OrtError
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.library import LibraryOp
from ortcffi.kernels.make_kernel import attributes_for
from ortcffi.kernels.python_op import PythonOp
from ortcffi.options.session_options import SessionOptions
from ortcffi.table.api import Api
from ortcffi.table.load import load
from ortcffi.testing.one_node import Model, ProcessEnded, run_in_process, tried
from ortcffi.values.element_types import dtype_of


def compare_with_session(  # noqa: PLR0913  # as many as a node has
    op: LibraryOp | PythonOp,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    outputs: Any = None,
    api: Api | None = None,
    rtol: float = 1e-6,
    atol: float = 0.0,
    repeats: int = 2,
    threads: int = 2,
) -> None:
    """Compute with an op's kernel and in a session with a model of one node, and compare.

    The kernel is made with ``check=True``, as `CheckedKernel` says. Then others compute the same:
    new ones, one after the other, and one on several threads at the same time. For an op of a
    library the session runs in a process of its own, and for each number among its attributes one
    of a model with another number: a kernel with that must compute the same between two calls of
    the first one.

    Parameters
    ----------
    op : LibraryOp or PythonOp
        The op.
    inputs : sequence
        The inputs, as a `Kernel` takes them: tensors.
    attributes : mapping, optional
        The attributes of the node. A session's cannot be tensors.
    outputs : int or list, optional
        The outputs asked for, as `LibraryOp.kernel` takes them.
    api : Api, optional
        The library whose session it is; by default what `load` finds.
    rtol, atol : float, optional
        How far floating-point numbers may differ, as of `numpy.testing.assert_allclose`. All else
        must be equal.
    repeats : int, optional
        How many kernels compute. 1 for an op that is to give another result each time.
    threads : int, optional
        On how many threads one more kernel computes, for a twentieth of a second and twice at
        least; less than 2 for none.

    Raises
    ------
    AssertionError
        The outputs differ, or one of the two fails and the other does not; or the kernel has one of
        the bugs that a `CheckedKernel` finds.
    OrtError
        Both fail: what the kernel raised.
    """
    if not isinstance(op, (LibraryOp, PythonOp)):
        raise TypeError(f"op must be a LibraryOp or a PythonOp, not {type(op).__name__}")
    api = load() if api is None else api
    name = f"{op.domain}:{op.name}"
    repeats = integer("repeats", repeats, (1, 1000))
    asked: dict[str, list[str]] = {}
    checked: dict[str, Any] = {"check": True, "repeats": min(repeats, 2), "_asked": asked}
    with op.kernel(attributes, outputs=outputs, **checked) as kernel:
        given = (None if x is None else kernel._convert(i, x) for i, x in enumerate(inputs))
        values = [None if x is None else x.numpy(copy=True) for x in given]
        try:
            found = kernel(*values)
        except OrtError as error:
            model = _model(op, values, attributes, _inferred(kernel, values))
            if isinstance(_run(op, [model], api)[0], Exception):
                raise
            text = f"{name}: the kernel fails, and the session does not: {error}"
            raise AssertionError(text) from error
    several = _listed(found)

    def make() -> Kernel:
        return op.kernel(attributes, outputs=outputs)

    for _ in range(repeats - 1):
        with make() as kernel:
            _equal(f"{name}, of a new kernel", several, kernel(*values))
    model = _model(op, values, attributes, [(each.dtype, each.ndim) for each in several])
    flipped = model._replace(inputs=[None if x is None else flip(x) for x in values])
    expected, takes_flipped = _run(op, [model, flipped], api)
    if isinstance(expected, Exception):
        raise AssertionError(
            f"{name}: the session fails, and the kernel does not: {expected}"
        ) from expected
    if repeats > 1 and threads > 1:
        inputs = [values] if isinstance(takes_flipped, Exception) else [values, flipped.inputs]
        compute_on_threads(name, make, inputs, integer("threads", threads, (2, 256)))
    same = partial(check_same, tolerance=(rtol, atol), where="in a session")
    for i, (ours, theirs) in enumerate(zip(several, expected, strict=True)):
        same(f"output {i} of {name}", ours, theirs)
    if repeats > 1 and isinstance(op, LibraryOp):
        others = other_attributes(attributes or {}, attributes_for(attributes), asked)
        models = [model._replace(attributes=other) for other in others]
        with make() as kernel:
            _compute_between(op, kernel, several, _alone(op, models, api), same)


def _alone(op: LibraryOp, models: list[Model], api: Api) -> list[tuple[Model, list[Any]]]:
    """Return what sessions compute of each model, as far as inputs fit its attributes."""
    free = [m._replace(outputs=[(dtype, None) for dtype, _ in m.outputs]) for m in models]
    try:
        answers = run_in_process(free, op.path, api.path) if free else []
    except ProcessEnded:
        return []
    pairs = zip(models, answers, strict=True)
    return [(model, answer) for model, answer in pairs if not isinstance(answer, Exception)]


def _compute_between(
    op: LibraryOp, kernel: Kernel, expected: Any, others: list[tuple[Model, list[Any]]], same: Any
) -> None:
    name = f"{op.domain}:{op.name}"
    for model, alone in others:
        kernel(*model.inputs)
        with op.kernel(model.attributes, outputs=len(alone), check=True) as other:
            try:
                found = _listed(other(*model.inputs))
            except AssertionError as error:
                error.add_note(f"with attributes {model.attributes}")
                raise
        beside = f"with attributes {model.attributes}, beside a kernel with others"
        for i, (ours, theirs) in enumerate(zip(found, alone, strict=True)):
            same(f"output {i} of {name}, {beside},", ours, theirs)
        beside = f"after a kernel with attributes {model.attributes} computed"
        _equal(f"{name}, {beside},", expected, kernel(*model.inputs))


def _listed(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def compute_on_threads(
    name: str, make: Callable[[], Kernel], given: list[list[Any]], threads: int
) -> None:
    """Compute with one kernel on several threads at the same time.

    Every other thread has the elements of its inputs in the opposite order, if a session takes them
    so: threads that overwrite each other's memory with the same values would not be seen.
    """
    together = Barrier(threads)

    def compute(kernel: Kernel, inputs: list[Any], wanted: Any) -> None:
        together.wait()
        end, calls = monotonic() + 0.05, 0
        while calls < 2 or monotonic() < end:
            calls += 1
            found = kernel(*inputs)
            if not all(map(_has_same_bytes, wanted, _listed(found))):
                _equal(f"{name}, on {threads} threads at the same time", wanted, found)

    with make() as kernel, ThreadPoolExecutor(threads) as pool:
        pairs = [(inputs, _listed(kernel(*inputs))) for inputs in given]
        tasks = [pool.submit(compute, kernel, *pairs[n % len(pairs)]) for n in range(threads)]
        for task in tasks:
            task.result()


def flip(x: Any) -> Any:
    """Return the array with its elements in the opposite order."""
    return np.ascontiguousarray(np.flip(x)).reshape(x.shape)


def _has_same_bytes(x: Any, y: Any) -> bool:
    """Whether two arrays of numbers are the same; False for what takes longer to compare."""
    if x is None or y is None or x.dtype.hasobject:
        return False
    return (x.dtype, x.shape) == (y.dtype, y.shape) and x.tobytes() == y.tobytes()


def _equal(name: str, expected: tuple[Any, ...], found: Any) -> None:
    for i, (first, again) in enumerate(zip(expected, _listed(found), strict=True)):
        np.testing.assert_array_equal(again, first, err_msg=f"output {i} of {name}")


def _model(op: Any, values: list[Any], attributes: Any, dtypes: list[Any]) -> Model:
    version = op.description.since_version
    return Model(op.domain, op.name, version, values, dict(attributes or {}), dtypes)


def _run(op: Any, models: list[Model], api: Api) -> list[Any]:
    """Return the outputs of each model in a session, or the exception that was raised.

    If not the first model but another one ends the process, that is the answer to all others.
    """
    if isinstance(op, LibraryOp):
        try:
            return run_in_process(models, op.path, api.path)
        except ProcessEnded as error:
            if len(models) > 1:
                return _run(op, models[:1], api) + [error] * (len(models) - 1)
            raise AssertionError(f"{op.domain}:{op.name}: in a session, {error}") from None

    from ortcffi.custom_ops.domain import CustomOpDomain

    with CustomOpDomain(op.domain, api) as domain:
        domain.add(op)

        def register(options: SessionOptions) -> None:
            options.add_custom_op_domain(domain)

        return [tried(model, register, api) for model in models]


def _inferred(kernel: Kernel, values: list[Any]) -> list[tuple[np.dtype[Any], int | None]]:
    """Return the dtypes and ranks of outputs that a kernel does not make.

    By the op's inference; else by the declared type; else, as ONNX has it for a type that the model
    decides, by the first input of such a type.
    """
    about = kernel.description
    infos: tuple[Any, ...] = ()
    with suppress(OrtError):
        infos = kernel.infer_shapes(*values)
    types = [operand.element_type for operand in about.inputs]
    types += types[-1:] * (len(values) - len(types))  # a variadic one is the last
    pairs = zip(types, values, strict=False)
    free = next((x.dtype for t, x in pairs if not t and x is not None), np.dtype("f4"))
    found: list[tuple[np.dtype[Any], int | None]] = []
    for place, operand in enumerate(about.outputs):
        info = infos[place] if place < len(infos) else None
        element = (info.element_type if info else 0) or operand.element_type
        shape = info.shape if info else None
        dtype = dtype_of(element) if element else free
        found.append((dtype, None if shape is None else len(shape)))
    return found


def check_same(
    name: str, ours: Any, theirs: Any, tolerance: tuple[float, float], where: str
) -> None:
    """Hold an output against that of another engine, and show where they differ most.

    `tolerance` is that of floats, relative and absolute.
    """
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        kinds = [f"{each.dtype}{list(each.shape)}" for each in (ours, theirs)]
        raise AssertionError(f"{name} is {kinds[0]}, and {kinds[1]} {where}")
    if ours.dtype.kind not in "fc" and "float" not in ours.dtype.name:
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
        return
    if ours.dtype.isbuiltin == 2:  # a type of ml_dtypes, with which NumPy does not compute
        ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    close = np.isclose(ours, theirs, *tolerance, equal_nan=True)
    if not close.all():
        with np.errstate(invalid="ignore"):  # of equal infinities
            differ = np.where(close, 0, np.abs(ours - theirs))
        place = tuple(int(i) for i in np.unravel_index(np.argmax(differ), differ.shape))
        raise AssertionError(
            f"{name} differs by {differ[place]:.3g} at {list(place)}: it is {ours[place]:.6g}, and "
            f"{theirs[place]:.6g} {where}"
        )
