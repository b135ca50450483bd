# SPDX-License-Identifier: MIT
"""The library and the one environment that a program of the official package uses."""

import os
from collections.abc import Iterable, Mapping
from operator import index
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._table import core_api
from ortcffi.compat._errors import translated
from ortcffi.env.env import Env
from ortcffi.env.state import state_of
from ortcffi.errors import Fail, check
from ortcffi.table.engine import engine_for
from ortcffi.table.load import LibraryNotFound

if TYPE_CHECKING:
    from ortcffi.ep.devices import EpDevice
    from ortcffi.ep.registered import RegisteredEp
    from ortcffi.table.api import Api


CPU = "CPUExecutionProvider"

# By default priority, as the official package 1.32 has them.
ALL_PROVIDERS = [
    *("TensorrtExecutionProvider", "CUDAExecutionProvider"),
    *("MIGraphXExecutionProvider", "OpenVINOExecutionProvider", "DnnlExecutionProvider"),
    *("VitisAIExecutionProvider", "QNNExecutionProvider", "NnapiExecutionProvider"),
    *("VSINPUExecutionProvider", "JsExecutionProvider", "CoreMLExecutionProvider"),
    *("DmlExecutionProvider", "RknpuExecutionProvider"),
    *("WebNNExecutionProvider", "WebGpuExecutionProvider", "XnnpackExecutionProvider"),
    *("CANNExecutionProvider", "AzureExecutionProvider", CPU),
]


class State:
    """What a process of the official package has once."""

    def __init__(self) -> None:
        self.api: Api | None = None  # from its first use on, as the environment
        self.environment: Env | None = None
        self.providers: tuple[str, ...] | None = None  # that the library was built with
        self.stand_ins: tuple[str, ...] = ()  # for the CPU's provider, which the core has not
        self.libraries: dict[str, RegisteredEp] = {}  # of execution providers, by name
        self.chosen: dict[str, Any] = {}  # what an environment is made with: threads, a logger
        # Whether a session needs each execution provider that the program names for it.
        self.is_strict = os.environ.get("ORTCFFI_STRICT_PROVIDERS") == "1"


# No attributes of the class: CPython finds the old one while it is being released.
state = State()


def api() -> "Api":
    """Return the library that runs models: the one that `ortcffi.load` finds, or else the core."""
    found = state.api
    if found is None:
        found = state.api = core_api() if state.stand_ins else _found_or_core()
    return found


def _found_or_core() -> "Api":
    try:
        return engine_for(None)
    except LibraryNotFound as error:
        if error.path is not None:  # ORTCFFI_LIBRARY names it
            raise
        return core_api()


def stand_in_for_cpu(providers: Iterable[str]) -> None:
    """Use the core, on which these run what the CPU's provider runs elsewhere."""
    from ortcffi.session.providers import names_for_core

    names = names_for_core(providers)
    if state.api is not None and not state.api.is_core:
        raise RuntimeError(f"{state.api} is in use: call install() before that")
    state.stand_ins, state.providers = names, None


def env() -> Env:
    """Return the environment, which is made at the first call."""
    found = state.environment  # read once: another thread may close it
    if found is None:
        found = state.environment = Env("Default", api(), **state.chosen)
    return found


def close_environment() -> None:
    """Drop the environment and the library. Sessions keep them until they are gone."""
    state.environment = None
    state.libraries.clear()
    state.chosen.clear()
    state.api = state.providers = None


def choose(what: str, **arguments: Any) -> None:
    """Have the environment made with these arguments, which nothing may use yet."""
    found = state.environment
    if found is not None:
        arguments.setdefault("severity", found.severity)
    found = state.environment = None
    if state_of(api()).open_envs():
        raise RuntimeError(f"sessions or values use the environment, so its {what} is chosen")
    state.environment = Env("Default", api(), **state.chosen | arguments)
    state.chosen |= arguments


def text(path: Any) -> str:
    """Return a path or a name as text, as the official package takes it."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"incompatible function arguments: {type(path).__name__} is not a str")
    return os.fsdecode(path)


def built_in_providers() -> tuple[str, ...]:
    """Return the execution providers that sessions can have before a library is registered.

    Those that the library was built with; on the core those that stand for the CPU's, if any, and
    otherwise those that are installed.
    """
    found = state.providers
    if found is None:
        if not api().is_core:
            from ortcffi.ep.devices import available_providers

            found = tuple(available_providers(api()))
        elif state.stand_ins:
            found = (*state.stand_ins, CPU)
        else:
            from ortcffi.ep.installed import provider_names

            found = tuple(provider_names())
        state.providers = found
    return found


def has_cpu() -> bool:
    """Whether there is what runs all nodes that other execution providers leave."""
    return bool(state.stand_ins) or not api().is_core


def get_available_providers() -> list[str]:
    return list(dict.fromkeys([*built_in_providers(), *(each.name for each in registered())]))


def registered(name: str | None = None) -> "list[EpDevice]":
    """Return the devices of all libraries or of one, without the core's CPU."""
    return [each for each in env().devices if name in (None, each.name) and each.name != CPU]


def get_all_providers() -> list[str]:
    return list(ALL_PROVIDERS)


def get_build_info() -> str:
    return api().build_info


def get_version_string() -> str:
    return api().version_string


def get_device() -> str:
    devices = {"CUDAExecutionProvider": "GPU", "DmlExecutionProvider": "DML"}
    found = (device for name, device in devices.items() if name in get_available_providers())
    return next(found, "CPU")


def has_collective_ops() -> bool:
    """Return whether the library has operators between processes; the C API cannot tell."""
    return False


def enable_telemetry_events() -> None:
    env().set_telemetry(True)


def disable_telemetry_events() -> None:
    env().set_telemetry(False)


def set_seed(seed: int, /) -> None:
    """Set the seed of random numbers: not by the C API, so this does nothing but check it."""
    index(seed)


def set_global_thread_pool_sizes(
    intra_op_num_threads: int = 0, inter_op_num_threads: int = 0
) -> None:
    from ortcffi.options.shared import ThreadingOptions

    threads = ThreadingOptions(
        api(), intra_op_threads=intra_op_num_threads, inter_op_threads=inter_op_num_threads
    )
    choose("number of threads", threading=threads)


@translated
def register_execution_provider_library(name: str, path: Any, /) -> None:
    given = text(name)
    # ONNX Runtime takes a relative path from its own folder.
    full = os.path.join(os.path.dirname(api().path or ""), text(path))
    state.libraries[given] = env().register_ep(full, given)


@translated
def unregister_execution_provider_library(name: str, /) -> None:
    """Unload a library with execution providers, once nothing uses its devices any more.

    Those that ONNX Runtime has itself are refused, unlike by the official package: what describes
    their devices would be freed, which programs may still use.
    """
    slot, table = "UnregisterExecutionProviderLibrary", api()
    table.require(slot)
    arguments = (env().handle, text(name).encode())
    if name in built_in_providers():
        raise Fail(f"{name} is no library, but a part of ONNX Runtime", slot)
    if library := state.libraries.pop(name, None):
        library.close()
    else:
        check(table.pointer, lib.UnregisterExecutionProviderLibrary(table.pointer, *arguments))


def pairs(options: Mapping[Any, Any] | None) -> dict[str, str]:
    """Options as text."""
    return {str(key): str(value) for key, value in (options or {}).items()}
