# SPDX-License-Identifier: MIT
"""The environment of official sessions, and allocators that stay there until the process ends."""

from typing import TYPE_CHECKING

from ortcffi.env.env import Env
from ortcffi.errors import NotImplemented, RuntimeException
from ortcffi.memory.python_allocator import PythonAllocator

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator
    from ortcffi.official.attached import Official

__all__ = ["environment_of", "share_for_good"]


def environment_of(official: "Official") -> Env:
    """The environment in which the sessions of the official package are.

    Older releases make it without the function that counts its users, so that the API finds none,
    and cannot make a second one.
    """
    try:
        return Env(api=official)
    except RuntimeException as error:
        raise NotImplemented(
            f"the environment of onnxruntime {official.version_string} cannot be reached; that of "
            "1.23 and newer ones can"
        ) from error


def share_for_good(official: "Official", allocator: "Allocator") -> None:
    """Register an allocator that stays until the process ends, also when another replaces it.

    Parameters
    ----------
    official : Official
        The library of the sessions.
    allocator : Allocator
        One whose memory is C's.
    """
    if isinstance(allocator, PythonAllocator):
        raise TypeError("an allocator in Python cannot outlive the interpreter, as sessions may")
    official.env._register(allocator, for_good=True)
