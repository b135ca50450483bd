# SPDX-License-Identifier: MIT
"""Libraries with execution providers that an environment has registered."""

import os
import sys
import weakref
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ortcffi._convert import absolute, encode, path_of
from ortcffi._forks import fork_safe_lock
from ortcffi._handle import Handle, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi._table import made_by, registered_devices
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import call

if TYPE_CHECKING:
    from ortcffi.ep.hardware import HardwareDevice
    from ortcffi.ep.watched import WatchedEp
    from ortcffi.table.api import Api

# Held while libraries are registered and devices are looked up, so that it is known whose devices
# are new. Recursive: a library may log while it is registered, and a logger may be Python.
_lock = fork_safe_lock()
# By the address of a device its registration, and whether that has ended, which another thread may
# do at any time.
_owned: "dict[Hashable, dict[int, tuple[weakref.ref[RegisteredEp], Any]]]" = registered_devices

# What is being registered, by name: a later definition of a provider in Python may have the name.
_registering: dict[str, Any] = {}

Find = Callable[[], "list[Any]"]  # the handles of all devices of an environment


@public
class RegisteredEp(Handle):
    """A library with execution providers that an environment has registered.

    `Env.register_ep` makes it. The library is unregistered when this is closed and nothing uses it
    any more: no device, no options that have a device, and no session with such options. API
    functions: ``RegisterExecutionProviderLibrary``, ``UnregisterExecutionProviderLibrary``, since
    version 22.

    Attributes
    ----------
    name : str
        The name that it was registered under.
    path : str
        The path of the library.
    watched : WatchedEp or None
        What the library did, if it was registered with ``watch=True``; also after `close`.
    """

    __slots__ = (
        "_address",
        "_addresses",
        "_in_copy",
        "_process",
        "_source",
        "name",
        "path",
        "watched",
    )

    _pointer, _release = "ortcffi_registered_ep*", lib.ortcffi_unregister_ep
    name: str
    path: str
    watched: "WatchedEp | None"
    _address: int  # of what it owns
    _addresses: tuple[int, ...]  # of the devices
    _in_copy: bool  # whether the library is a copy of the file
    _process: int  # that registered it
    _source: Any  # the path, or the provider in Python, of which there may be a later definition

    @property
    def devices(self) -> list[EpDevice]:
        """The devices of its execution providers."""
        _held = self.handle  # raises if closed, and keeps the parents
        env = self._handle_parents[0]
        pointers = [ffi.cast("OrtEpDevice*", each) for each in self._addresses]
        return [EpDevice._of(self.api, each, self, env) for each in pointers]

    def _is_of(self, path: "str | os.PathLike[str]", name: str) -> bool:
        return (self._source, self.name) == (_source_of(path), name)

    def __repr__(self) -> str:
        return f"<RegisteredEp {'closed' if self.closed else repr(self.name)}>"


def name_of(given: Any, path: str) -> str:
    """Return the name of a provider written in Python, otherwise that of the file."""
    name: str | None = getattr(given, "_registered_name", None)
    return os.path.basename(path).partition(".")[0].removeprefix("lib") if name is None else name


def _free_name(given: Any, path: str, held: "Iterable[RegisteredEp]") -> str:
    """As `name_of`; another name where an earlier definition of a provider in Python has that."""
    name = free = name_of(given, path)
    source, count = _source_of(given), 1
    if source is given:
        earlier = {each.name for each in held if each._source is not given}
        while free in earlier:
            count += 1
            free = f"{name} ({count})"
    return free


def definition_of(name: str) -> Any:
    """Return what is being registered under its own name, if anything."""
    return _registering.get(name)


def register(  # noqa: PLR0913, PLR0917  # as many as Env.register_ep has
    env: Any,
    find: Find,
    path: "str | os.PathLike[str]",
    name: str | None,
    hardware: "Iterable[HardwareDevice] | None",
    host: "Api | None",
    watched: "WatchedEp | None",
) -> RegisteredEp:
    """Register a library with an environment, which is an `Env`."""
    api = env.api
    api.require("RegisterExecutionProviderLibrary")
    full = absolute("path", path)  # libraries look for others in their own folder
    if name is not None:
        encode("name", name)
    kept = _host(api, hardware, host)
    ended = ffi.new("int*")
    made, out = RegisteredEp._blank(api, env, watched, ended)
    opened = full if watched is None else watched.library
    slot, function = "RegisterExecutionProviderLibrary", lib.ortcffi_register_ep
    given_host = kept[0] if kept else ffi.NULL
    with _lock:
        holds = hold_registered(api)  # so that none of their devices makes room for a new one
        given = _free_name(path, full, holds) if name is None else name
        if not kept and watched is None:
            for each, hold in holds.items():
                if each._is_of(path, given) and each._process != os.getpid():
                    return _inherited(env, each, hold)
        before = {address_of(each) for each in find()}
        in_copy = watched is None and _needs_copy(api, _source_of(path), holds)
        named = encode("name", given)
        arguments = env.handle, named, path_of("path", opened), in_copy, given_host, ended
        if name is None:
            _registering[given] = path
        try:
            call(api.pointer, slot, function, api.pointer, *arguments, out)
        finally:
            _registering.pop(given, None)
        made._open_handle()
        made.name, made.path, made.watched = given, full, watched
        made._address, made._process = address_of(made.handle), os.getpid()
        made._source, made._in_copy = _source_of(path), in_copy
        found = [address_of(each) for each in find()]
        made._addresses = tuple(each for each in found if each not in before)
        owned = _owned.setdefault(api.library, {})
        owned.update(dict.fromkeys(made._addresses, (weakref.ref(made), ended)))
        env._state.keep_in_making(_hold(made))  # a policy may have chosen a device of it by now
    del holds  # outside of the lock: libraries may end
    return made


def _needs_copy(api: "Api", source: Any, own: "Iterable[RegisteredEp]") -> bool:
    """Whether a library gets variables of its own, because another host has the file open.

    Most libraries keep the table of their host in a global variable, and the last host that opened
    them would replace the others' in it.
    """

    def open_in(eps: "Iterable[RegisteredEp | None]") -> bool:
        return any(each and each._source == source and not each._in_copy for each in eps)

    if not isinstance(source, str) or open_in(own):
        return False
    official, libraries = _official_libraries()
    if source in libraries:
        return api.path != official
    others = {name: owned for name, owned in _owned.items() if name != api.library}
    registered = [ep() for owned in others.values() for ep, ended in owned.values() if not ended[0]]
    return open_in(registered)


def _official_libraries() -> tuple[str, set[str]]:
    """Return the official extension module, if it is imported, and what it registered."""
    module = sys.modules.get("onnxruntime.capi.onnxruntime_pybind11_state")
    path = getattr(module, "__file__", None) or ""
    if not path.endswith((".so", ".pyd")):  # the drop-in, say
        return "", set()
    devices: Iterable[Any] = getattr(module, "get_ep_devices", tuple)()
    return path, {each.ep_metadata.get("library_path", "") for each in devices}


def _source_of(path: "str | os.PathLike[str]") -> Any:
    return path if hasattr(path, "_registered_name") else absolute("path", path)


def _inherited(env: Any, ep: RegisteredEp, hold: Any) -> RegisteredEp:
    """Get what the parent of this process had registered before it forked, for a user of its own.

    The library's environment in the child is a copy, in which the name is in use: by sessions of
    the parent too, which the child cannot end.
    """
    handle = ffi.cast("ortcffi_registered_ep*", ep._address)
    shared = RegisteredEp(env.api, handle, parent=(env, hold))
    for name in RegisteredEp.__slots__:
        setattr(shared, name, getattr(ep, name))
    return shared


def devices_of(env: Any, find: Find) -> list[EpDevice]:
    """All devices of an environment; each keeps the library that it is of."""
    api, devices = env.api, []
    with _lock:
        owned = _owned.get(api.library, {})
        # Before the search: another device may have the address of one that is gone.
        for gone in [address for address, (_, ended) in owned.items() if ended[0]]:
            del owned[gone]
        holds, found = hold_registered(api), find()
        for each in found:
            known = owned.get(address_of(each))
            owner = env if known is None else known[0]()
            if owner is env or owner in holds:  # otherwise it is being unregistered
                devices.append(EpDevice._of(api, each, owner, env))
    del holds
    return devices


def hold_registered(api: "Api") -> "dict[RegisteredEp, Any]":
    """Return what has the registrations that have not ended stay as they are.

    Sessions have it: the library may give each of them what a factory makes.
    """
    owned = _owned.get(api.library)
    if owned is None:
        return {}
    # Sessions do not wait for the lock, so another thread may register a library meanwhile.
    alive = {ep for each, _ in list(owned.values()) if (ep := each()) is not None}
    holds = {}
    for ep in alive:
        with suppress(ValueError):  # it has ended
            holds[ep] = _hold(ep)
    return holds


def _hold(ep: RegisteredEp) -> Any:
    """Return what has a registration stay as it is; raises if it has ended."""
    return owner_of("ortcffi_registered_ep*", ep.api, lib.ortcffi_unregister_ep, ep)


def register_once(
    env: Any,
    path: "str | os.PathLike[str]",
    name: str | None = None,
    hardware: "Iterable[HardwareDevice] | None" = None,
) -> RegisteredEp:
    """Get the registration of a library under a name: the one that there is, or else a new one."""
    full = absolute("path", path)
    with _lock:  # so that two threads do not both register it
        holds = hold_registered(env.api)
        given = _free_name(path, full, holds) if name is None else name
        for each in holds:
            if each._is_of(path, given) and not each.closed:
                return each
        return env.register_ep(path, name, hardware=hardware)  # type: ignore[no-any-return]


def _host(
    api: "Api", hardware: "Iterable[HardwareDevice] | None", host: "Api | None"
) -> "tuple[Any, ...]":
    """Return what only the core can give a library, and what keeps it, where asked for."""
    if hardware is None and host is None:
        return ()
    from ortcffi.ep.hardware import HardwareDevice

    if host is not None:
        made_by(host, "host")
    if hardware is not None and not isinstance(hardware, Iterable):
        raise TypeError(f"hardware must be an iterable of HardwareDevice, not {hardware!r}")
    if not api.is_core or not (host is None or host.is_core):
        raise ValueError(f"only the embedded core takes hardware and a host, not {host or api}")
    pieces = [] if hardware is None else list(hardware)
    for each in pieces:
        if not isinstance(each, HardwareDevice) or not each.api.same_library(api):
            raise TypeError(f"hardware has {each!r}, not a HardwareDevice of {api}")
    handles = [each.handle for each in pieces]
    array = ffi.new("OrtHardwareDevice*[]", handles or [ffi.NULL])
    base: Any = ffi.NULL if host is None else host.base
    given = ffi.NULL if hardware is None else array
    struct = ffi.new("ortcffi_ep_host*", (base, given, len(handles)))
    return struct, array, handles
