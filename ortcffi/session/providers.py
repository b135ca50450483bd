# SPDX-License-Identifier: MIT
"""Execution providers of a session: those that it is given, and which runs which nodes."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode, optional_mapping
from ortcffi._native import ffi
from ortcffi.env.env import Env
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.installed import (
    ep_named,
    installed_eps,
    is_ep_name,
    is_python_ep,
    registered_in,
    unknown_provider,
)
from ortcffi.ep.registered import register_once
from ortcffi.options.for_library import session_options_for
from ortcffi.options.session_options import SessionOptions
from ortcffi.table.engine import engine_for

if TYPE_CHECKING:
    from ortcffi.session.loaded import Loaded
    from ortcffi.table.api import Api

Choice = str | EpDevice | os.PathLike[str]
Provider = Choice | tuple[Choice, Mapping[str, str]]
Chosen = tuple[Any, dict[str, str]]  # a provider and its options


def providers_of(providers: Iterable[Provider]) -> list[Chosen]:
    """Return the providers that are given, each with its options."""
    if isinstance(providers, (str, EpDevice)) or not isinstance(providers, Iterable):
        raise TypeError(f"providers must be a list, not {type(providers).__name__}")
    return [_chosen(each) for each in providers]


def _chosen(given: Any) -> Chosen:
    pair = given if isinstance(given, (tuple, list)) and len(given) == 2 else (given, None)
    if not isinstance(pair[0], (str, EpDevice, os.PathLike)):
        raise TypeError(
            f"providers has {given!r}; expected a name, an EpDevice or a path, or a pair of one "
            "and its options"
        )
    provider, settings = pair[0], optional_mapping("settings", pair[1])
    if isinstance(provider, str) and is_python_ep(provider):
        provider = _python_ep(provider)
    return provider, settings


def _python_ep(name: str) -> Any:
    from ortcffi.models.python_ep import python_ep

    return python_ep(name)


def _is_library(provider: Any) -> bool:
    return isinstance(provider, os.PathLike) or (isinstance(provider, str) and is_ep_name(provider))


def is_for_core(name: str) -> bool:
    """Whether a name is that of a package, of a provider in Python, or the path of a library."""
    return is_ep_name(name) or is_python_ep(name)


def defaults_of(name: str) -> dict[str, str]:
    """Return the options that the provider of an installed package needs."""
    return next((each.options for each in installed_eps() if each.name == name), {})


def names_for_core(providers: Iterable[str]) -> tuple[str, ...]:
    """Names of providers that are installed and that the core hosts; raises for others."""
    if isinstance(providers, str) or not isinstance(providers, Iterable):
        raise TypeError(f"providers must be a list of names, not {providers!r}")
    names = tuple(providers)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"providers must be a list of names, not {names!r}")
    for name in names:
        if is_python_ep(name):
            _python_ep(name)  # imports what it needs
        elif is_ep_name(name):
            ep_named(name)
        else:
            raise LookupError(f"the core does not host {name!r}{unknown_provider(name)}")
    return names


def engine_with(providers: list[Chosen], api: "Api | None", *belongings: Any) -> "Api":
    """As `engine_for`, for a session with these providers."""
    # Where all are libraries, or devices of the core, that needs no engine.
    found = [
        each.api.is_core if isinstance(each, EpDevice) else _is_library(each)
        for each, _ in providers
    ]
    on_core = all(found) if found else None
    if on_core:
        return engine_for(api, *belongings, on_core=True)
    from ortcffi.table.load import LibraryNotFound

    try:
        return engine_for(api, *belongings, on_core=on_core)
    except LibraryNotFound as error:
        others = [name for name, _ in providers if isinstance(name, str) and not _is_library(name)]
        if not others:
            raise
        subject = f"providers has {others[0]!r}, which the core does not host"
        missing = LibraryNotFound(f"{subject}{unknown_provider(others[0])}; {error}")
        missing.path, missing.problem, missing.remedy = error.path, error.problem, error.remedy
        missing.provider = others[0]
        raise missing from error.__cause__


def with_providers(
    api: "Api", options: SessionOptions | None, providers: list[Chosen], env: Env
) -> SessionOptions:
    """Return a copy of options with execution providers added, the preferred first."""
    chosen = session_options_for(api, options)
    copy = SessionOptions(api) if chosen is None else chosen.clone()
    libraries = [provider for provider, _ in providers if _is_library(provider)]
    for provider in libraries:
        if libraries.count(provider) > 1:
            raise ValueError(f"providers has {provider!r} twice")
    for provider, settings in providers:
        if isinstance(provider, EpDevice):
            copy.add_devices([provider], settings)
        elif _is_library(provider):
            _add_library(copy, provider, settings, env)
        else:
            copy.add_provider(provider, settings)
    return copy


def add_named(options: SessionOptions, name: str, settings: dict[str, str], env: Env) -> None:
    """Add a provider whose name `is_for_core`, of any library, to options."""
    for chosen in providers_of([(name, settings)]):
        _add_library(options, *chosen, env)


def _add_library(
    options: SessionOptions, provider: Any, settings: dict[str, str], env: Env
) -> None:
    """Add the first device of a library, which is registered where it is not yet."""
    defaults: dict[str, str] = {}
    if isinstance(provider, str):
        found = ep_named(provider)
        defaults, registered = found.options, registered_in(env, found)
    else:
        registered = register_once(env, provider)
    devices = registered.devices
    if not devices:
        raise LookupError(
            f"the execution provider {os.fspath(provider)!r} has no device here: "
            f"{registered.path} lists none"
        )
    options.add_devices(devices[:1], defaults | settings)


class AssignedNode(NamedTuple):
    """A node that an execution provider runs."""

    name: str
    domain: str
    op_type: str


def assigned_groups(session: "Loaded") -> list[tuple[str, list[AssignedNode]]]:
    """Of each group of nodes the name of its execution provider, and the nodes.

    API functions: those that `Session.assignment` names.
    """
    api, handle = session.api, session.handle  # what is read belongs to the session
    groups, count = ffi.new("const OrtEpAssignedSubgraph* const**"), ffi.new("size_t*")
    session._call("Session_GetEpGraphAssignmentInfo", groups, count)
    found = []
    for i in range(count[0]):
        provider = _text(api, "EpAssignedSubgraph_GetEpName", groups[0][i])
        nodes, number = ffi.new("const OrtEpAssignedNode* const**"), ffi.new("size_t*")
        api._call("EpAssignedSubgraph_GetNodes", groups[0][i], nodes, number)
        found.append((provider, [_node(api, nodes[0][j]) for j in range(number[0])]))
    del handle
    return found


def _node(api: "Api", node: Any) -> AssignedNode:
    slots = (f"EpAssignedNode_Get{each}" for each in ("Name", "Domain", "OperatorType"))
    return AssignedNode(*(_text(api, slot, node) for slot in slots))


def _text(api: "Api", slot: str, subject: Any) -> str:
    out = ffi.new("const char**")
    api._call(slot, subject, out)
    return decode(out[0])
