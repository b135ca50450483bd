# SPDX-License-Identifier: MIT
"""Blocks: for results of a library, why there is none, and checks of arguments."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import dtype as as_dtype

from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import lib
from ortcffi.errors import OutOfMemory, out_of_memory

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ortcffi._ort import OrtAllocator
    from ortcffi.table.api import Api

# Limits in bytes, each with the bytes that are in use.
Limits = list[tuple[int, int]]
NO_BLOCK = "the allocator has no block of this size"
# NumPy has no function that returns it.
MAX_DIMENSIONS = 64 if int(np.__version__.split(".")[0]) >= 2 else 32


def refuse(limits: "Limits", failure: BaseException | None, function: str) -> None:
    """Raise for a failed allocation, given the exception of its status; None without a status."""
    try:
        if failure is not None:
            raise failure
        raise out_of_memory(NO_BLOCK, function)
    except OutOfMemory as error:
        # Do not bind the new exception to a name: its traceback refers to this frame, so that
        # would be a cycle.
        raise with_limits(error, limits) from error.__cause__
    finally:
        del failure  # for the same reason


def with_limits(error: OutOfMemory, limits: "Limits") -> OutOfMemory:
    """Return the error with the limits that it may be due to; itself if there are none."""
    if not limits:
        return error
    message = f"{error.message}; {'; '.join(map(_use, limits))}"
    return OutOfMemory(message, error.function)


def _use(limiting: tuple[int, int]) -> str:
    limit, in_use = limiting
    return f"the limit is {limit} bytes, and {in_use} are in use"


def fitting(dtype: "DTypeLike") -> "np.dtype[Any]":
    """Check that arrays of a dtype can be in an allocator's memory; return the dtype."""
    try:
        kind = as_dtype(dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"dtype: {error}") from None
    if kind.hasobject:
        raise TypeError(f"dtype must not hold Python objects, as {kind} does")
    if not kind.itemsize:
        raise ValueError(f"dtype must have a size, which {kind} does not have")
    return kind


def scratch_for(api: "Api") -> "OrtAllocator":
    """Return a new allocator whose blocks are freed with it, when the last reference to it goes.

    A function of the library that answers strings is given it. So no interrupt loses a string, and
    none needs to be freed.
    """
    info: Any = vars(api).get("_scratch_info")
    if info is None:  # the same for ever; belongs to the library, which stays as long as the table
        found = api.default_allocator._get("AllocatorGetInfo", "const OrtMemoryInfo**")
        info = vars(api).setdefault("_scratch_info", found)
    owner = owner_of("OrtAllocator*", None, lib.ortcffi_release_scratch)
    if not lib.ortcffi_new_scratch(info, out_of(owner)):
        raise out_of_memory("there is no memory for an allocator", "Alloc")
    scratch: OrtAllocator = owned_by(owner)
    return scratch
