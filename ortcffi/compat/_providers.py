# SPDX-License-Identifier: MIT
"""The arguments that name execution providers."""

import warnings
from collections.abc import Sequence
from typing import Any

from ortcffi.compat._environment import built_in_providers, get_available_providers, state


def known_and_options(providers: Any, options: Any) -> tuple[list[str], list[dict[str, str]]]:
    """Return the names of the execution providers for a session, and the options of each."""
    given = [each[0] if isinstance(each, tuple) and each else each for each in providers or ()]
    names = [each for each in given if isinstance(each, str)]
    if {"TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider"} <= set(names):
        raise ValueError("TensorRT and TensorRT RTX cannot be used in the same session.")
    known: Sequence[str] = built_in_providers()
    if not all(name in known for name in names):  # asked first: the other question takes longer
        from ortcffi.session.providers import is_for_core

        known = [*get_available_providers(), *(name for name in names if is_for_core(name))]
    return check_and_normalize_provider_args(providers, options, known)


def check_and_normalize_provider_args(
    providers: Any, provider_options: Any, available_provider_names: Sequence[str]
) -> tuple[list[str], list[dict[str, str]]]:
    """Return the names of the providers, and the options of each, as text.

    Options stand beside a name, or in `provider_options`. Other names than the available ones lead
    to a warning.
    """
    if providers is None:
        return [], []
    if not isinstance(providers, Sequence):
        raise ValueError("'providers' should be a sequence.")
    found: dict[str, dict[str, str]] = {}
    for name, options in _pairs(providers, provider_options):
        if name not in available_provider_names:
            known = ", ".join(available_provider_names)
            if state.is_strict:
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


def _pairs(providers: Sequence[Any], options: Any) -> list[tuple[str, dict[Any, Any]]]:
    if options is None:
        pairs = [(each, {}) if isinstance(each, str) else each for each in providers]
        for each in pairs:
            is_pair = isinstance(each, tuple) and len(each) == 2
            if not (is_pair and isinstance(each[0], str) and isinstance(each[1], dict)):
                raise ValueError(
                    "'providers' values must be either strings or (string, dict) tuples."
                )
        return pairs
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
    return list(zip(providers, options, strict=True))
