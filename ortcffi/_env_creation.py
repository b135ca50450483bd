# SPDX-License-Identifier: MIT
"""How a library is asked for its environment."""

from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from ortcffi.errors import OrtError, checked

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["create_environment"]


def create_environment(api: "Api", slot: str, arguments: tuple[Any, ...], out: Any) -> None:
    """Have the library create the environment.

    A library lets go of its last environment before it ends it, on another thread say, and refuses
    a new one meanwhile.
    """
    end = monotonic() + 10
    while True:
        try:
            getattr(checked, slot)(api.pointer, *arguments, out)
        except OrtError as error:
            if "Only one instance of LoggingManager" not in str(error) or monotonic() > end:
                raise
        else:
            return
        sleep(0.001)
