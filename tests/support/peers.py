# SPDX-License-Identifier: MIT
"""What tests need that is not installed: packages of the extra ``test``, a library of ORT."""

import importlib.util
import re
import sys
from itertools import chain

# As Python says it, or an error of ours with that remedy.
MISSING = re.compile(
    r"ModuleNotFoundError: (?:No module named '|import of )(\w+)|pip install (onnx(?:runtime)?)'"
)
OURS = {"ortcffi", "support"}


def is_installed(package: str) -> bool:
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # its entry in `sys.modules` is None
        return False
    return spec is not None and spec.origin is not None


def hide_folder(package: str) -> None:
    """A folder of tests that is called as a package is not taken for it if it is not installed."""
    if not is_installed(package):
        sys.modules[package] = None  # type: ignore[assignment]  # to import it is an error now


def missing_peer(error: BaseException) -> str | None:
    """What is not installed that an error tells of; None for other errors."""
    errors: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in errors:
        errors.append(following)
        following = following.__cause__ or following.__context__
    return missing_in_text("\n".join(f"{type(each).__name__}: {each}" for each in errors))


def missing_in_text(text: str) -> str | None:
    """What is not installed that the output of a program tells of."""
    for package in filter(None, chain.from_iterable(MISSING.findall(text))):
        if package not in OURS and not is_installed(package):
            return f"the package {package} is not installed"
    return None
