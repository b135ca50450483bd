# SPDX-License-Identifier: MIT
"""What the library borrows of official options, which several sessions may have been made with."""

from typing import Any

__all__ = ["Lent"]


class Lent(dict[str, Any]):
    """Borrowed objects by the name of the setting; what is replaced stays.

    A session that was made before still calls the logger that the options had then. Sessions keep
    their official options, and these keep this.
    """

    def __init__(self) -> None:
        self.replaced: list[Any] = []

    def __setitem__(self, name: str, borrowed: Any) -> None:
        if name in self:
            self.replaced.append(self[name])
        super().__setitem__(name, borrowed)

    def pop(self, name: str, *default: Any) -> Any:
        """Remove what a setting has borrowed; it stays as well."""
        if name in self:
            self.replaced.append(self[name])
        return super().pop(name, *default)
