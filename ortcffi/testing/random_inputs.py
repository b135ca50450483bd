# SPDX-License-Identifier: MIT
"""Random inputs of models and ops, for the commands that run one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi.values.element_types import ValueKind

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.values.type_info import ValueSpec

Shapes = dict[str, tuple[int, ...]]


def shapes_of(given: Iterable[str]) -> Shapes:
    """Read ``NAME=1,3,48,192``; `ValueError` for what is none."""
    shapes: Shapes = {}
    for each in given:
        name, equals, numbers = each.rpartition("=")
        try:
            shape = tuple(int(n) for n in numbers.split(",") if n.strip())
        except ValueError:
            equals = ""
        if not equals or any(n < 0 for n in shape):
            raise ValueError(f"--shape takes NAME=1,3,48,192, not {each!r}")
        shapes[name] = shape
    return shapes


def random_feed(
    session: "Session", feed: dict[str, Any], shapes: Shapes, size: int
) -> dict[str, Any]:
    """Return inputs by name: those given, and random ones for the others.

    Parameters
    ----------
    session : Session
        Whose inputs they are.
    feed : dict of str to array-like
        The inputs that are given.
    shapes : dict of str to tuple of int
        Shapes of others.
    size : int
        What open dimensions of all others get.
    """
    names = [spec.name for spec in session.inputs]
    for name in shapes:
        if name not in names:
            raise ValueError(f"--shape: the model has no input {name!r}, but {', '.join(names)}")
    rng = np.random.default_rng(0)
    return {
        spec.name: feed[spec.name]
        if spec.name in feed
        else random_array(spec, shapes.get(spec.name), size, rng)
        for spec in session.inputs
    } | feed


def random_array(
    spec: "ValueSpec", shape: tuple[int, ...] | None, size: int, rng: np.random.Generator
) -> Any:
    """Return an array of random elements for an input, by default of its own shape.

    Open dimensions of that get the size.

    Raises
    ------
    ValueError
        The input is no dense tensor, or too large.
    """
    if spec.kind is not ValueKind.TENSOR or spec.dtype is None:
        raise ValueError(f"input {spec.name!r} is {spec.describe()}: give it by session.run")
    lengths = (n if isinstance(n, int) and n >= 0 else size for n in spec.shape or ())
    shape = tuple(lengths) if shape is None else shape
    try:
        return random_elements(spec.dtype, shape, rng)
    except (MemoryError, ValueError):
        raise ValueError(
            f"there is no memory for input {spec.name!r} with the shape {list(shape)}: --size sets "
            "its open dimensions, --shape all of them"
        ) from None


def random_elements(dtype: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an array of random elements: 0 and 1, numbers around 0, or the digits of a number."""
    if dtype.hasobject:
        return np.asarray(rng.integers(0, 100, shape)).astype(str).astype(object)
    if dtype.kind in "iub":
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def described(given: list[Any]) -> str:
    """Return the types and shapes of inputs."""
    names = ["none" if x is None else str(x.dtype).replace("object", "string") for x in given]
    shapes = ["" if x is None else list(x.shape) for x in given]
    return ", ".join(map("{}{}".format, names, shapes)) or "none"
