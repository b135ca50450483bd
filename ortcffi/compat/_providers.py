# SPDX-License-Identifier: MIT
"""The arguments that name execution providers."""

import os
import warnings
from collections.abc import Sequence
from typing import Any

__all__ = ["check_and_normalize_provider_args", "is_strict", "set_strict"]


_strict = os.environ.get("ORTCFFI_STRICT_PROVIDERS") == "1"


def set_strict() -> None:
    """Refuse providers that are not there from now on, instead of going on without them."""
    global _strict  # noqa: PLW0603  # one setting for the process
    _strict = True


def is_strict() -> bool:
    """Whether a session needs each execution provider that the program names for it."""
    return _strict


def check_and_normalize_provider_args(
    providers: Any, provider_options: Any, available_provider_names: Sequence[str]
) -> tuple[list[str], list[dict[str, str]]]:
    """Return the names of the providers, and the options of each, as text.

    Parameters
    ----------
    providers : sequence of str or of (str, dict), or None
        The names, or the names with options; the preferred ones first.
    provider_options : sequence of dict, or None
        Options, one for each of `providers`, which are names only then.
    available_provider_names : sequence of str
        What there is; others lead to a warning.
    """
    if providers is None:
        return [], []
    if not isinstance(providers, Sequence):
        raise ValueError("'providers' should be a sequence.")
    if provider_options is None:
        given = [_pair(provider) for provider in providers]
    else:
        _check_options(providers, provider_options)
        given = list(zip(providers, provider_options, strict=True))
    found: dict[str, dict[str, str]] = {}
    for name, options in given:
        if name not in available_provider_names:
            known = ", ".join(available_provider_names)
            if _strict:
                raise ValueError(f"there is no execution provider {name!r}; there are: {known}")
            warnings.warn(
                f"Specified provider '{name}' is not in available provider names."
                f"Available providers: '{known}'",
                stacklevel=2,
            )
        if name in found:
            warnings.warn(f"Duplicate provider '{name}' encountered, ignoring.", stacklevel=2)
        else:
            found[name] = {str(key): str(value) for key, value in options.items()}
    return list(found), list(found.values())


def _pair(provider: Any) -> tuple[str, dict[Any, Any]]:
    if isinstance(provider, str):
        return provider, {}
    if isinstance(provider, tuple) and len(provider) == 2:
        name, options = provider
        if isinstance(name, str) and isinstance(options, dict):
            return name, options
    raise ValueError("'providers' values must be either strings or (string, dict) tuples.")


def _check_options(providers: Any, options: Any) -> None:
    if not isinstance(options, Sequence):
        raise ValueError("'provider_options' should be a sequence.")
    if len(providers) != len(options):
        raise ValueError(
            "'providers' and 'provider_options' should be the same length if both are given."
        )
    if not all(isinstance(provider, str) for provider in providers):
        raise ValueError(
            "Only string values for 'providers' are supported if 'provider_options' is given."
        )
    if not all(isinstance(each, dict) for each in options):
        raise ValueError("'provider_options' values must be dicts.")
