# SPDX-License-Identifier: MIT
"""Packages with execution providers that are installed here, none of which is imported."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._public import meant, public
from ortcffi.ep.registered import RegisteredEp, register_once

if TYPE_CHECKING:
    from ortcffi.ep.hardware import HardwareDevice

REFERENCE = "reference"  # of ortcffi.models.reference_ep, which needs the package onnx
# The providers written in Python, by name: what `python_ep` returns. Here, because most sessions
# need no more of them than the names.
PYTHON_EPS: dict[str, Any] = {}
_INTEL = 0x8086


class _Package(NamedTuple):
    """A package of a provider."""

    package: str  # the name to install it by
    folder: str  # of its library: the module, and the folders in it
    library: str  # without what the system puts around the name
    files: Mapping[str, str] = MappingProxyType({})  # options that are libraries of that folder
    is_of_intel: bool = False  # whether it wants a CPU of Intel, though it computes on others


_PACKAGES = {
    "nxrt": _Package("nxrt-ep-cpu", "nxrt_ep_cpu", "onnx_runtime_ep_cpu_plugin"),
    "ggml": _Package("onnxruntime-ggml", "onnxruntime_ggml/lib", "onnxruntime_ggml"),
    "openvino": _Package(
        "onnxruntime-ep-openvino",
        "onnxruntime_ep_openvino",
        "onnxruntime_providers_openvino_plugin",
        is_of_intel=True,
    ),
    "qnn": _Package(
        "onnxruntime-qnn",
        "onnxruntime_qnn",
        "onnxruntime_providers_qnn",
        {"backend_path": "QnnHtp"},
    ),
    "webgpu": _Package(
        "onnxruntime-ep-webgpu", "onnxruntime_ep_webgpu", "onnxruntime_providers_webgpu"
    ),
}
_FORMS = {"darwin": "lib{}.dylib", "win32": "{}.dll"}


@public
class InstalledEp(NamedTuple):
    """A library with execution providers that an installed package has.

    Attributes
    ----------
    name : str
        The name for ``Session(model, providers=[name])``.
    package : str
        The name of the package, such as ``"onnxruntime-ggml"``.
    path : str
        The library.
    options : dict of str to str
        Options that the provider needs to work, which those of the caller replace.
    """

    name: str
    package: str
    path: str
    options: dict[str, str]


@public
def installed_eps() -> list[InstalledEp]:
    """List the libraries of installed packages with execution providers that ortcffi knows.

    No package is imported and no library is loaded. ``python -m ortcffi doctor`` loads each one.

    Examples
    --------
    >>> {ep.name for ep in installed_eps()} <= {"nxrt", "ggml", "openvino", "qnn", "webgpu"}
    True
    """
    found = []
    for name, package in _PACKAGES.items():
        folder = _folder_of(package)
        path = folder and _library(folder, package.library)
        if path and os.path.exists(path):
            options = {key: _library(folder, file) for key, file in package.files.items()}
            found.append(InstalledEp(name, package.package, path, options))
    return found


def _folder_of(package: _Package) -> str:
    module, _, inner = package.folder.partition("/")
    found = PathFinder.find_spec(module)
    places = found.submodule_search_locations if found is not None else None
    return os.path.join(next(iter(places)), inner).rstrip("/") if places else ""


def _library(folder: str, name: str) -> str:
    return os.path.join(folder, _FORMS.get(sys.platform, "lib{}.so").format(name))


_ENDS = (".so", ".dylib", ".dll")


def is_ep_name(name: str) -> bool:
    """Whether a name of a provider is that of a package here, or the path of a library."""
    return name in _PACKAGES or name.endswith(_ENDS) or os.path.dirname(name) != ""


def is_python_ep(name: str) -> bool:
    """Whether a provider written in Python has the name."""
    return name in PYTHON_EPS or name == REFERENCE


def ep_named(name: str) -> InstalledEp:
    """Return what a name means: that of a package here, or the path of a library."""
    if name not in _PACKAGES:
        return InstalledEp("", "", name, {})
    found = next((each for each in installed_eps() if each.name == name), None)
    if found is None:
        package = _PACKAGES[name].package
        raise LookupError(
            f"the execution provider {name!r} is not installed: run 'pip install {package}'"
        )
    return found


def provider_names() -> list[str]:
    """Return the names of providers that sessions take of what is installed."""
    return [each.name for each in installed_eps()] + [REFERENCE] * (find_spec("onnx") is not None)


def unknown_provider(name: str, own: Sequence[str] = ()) -> str:
    """Return the end of an error about an unknown provider: what may be meant, and what is there.

    `own` are those of the library that would run the model.
    """
    short = name.lower().removesuffix("executionprovider")
    hint = meant(short, [*_PACKAGES, REFERENCE]) or meant(name, own, likeness=0.96) or "."
    names = ", ".join(provider_names()) or "none"
    of_library = f"; of the library: {', '.join(own)}" if own else ""
    return f"{hint} Installed providers: {names}{of_library}"


def registered_in(env: Any, ep: InstalledEp) -> RegisteredEp:
    """Return the registration of a library with an environment, a new one if need be."""
    return register_once(env, ep.path, ep.name or None, hardware_for(env, ep))


def hardware_for(env: Any, ep: InstalledEp) -> "list[HardwareDevice] | None":
    """Hardware that the core invents for a provider that refuses what is there."""
    wants_intel = ep.name in _PACKAGES and _PACKAGES[ep.name].is_of_intel
    if not (wants_intel and env.api.is_core and platform.machine() in ("x86_64", "AMD64")):
        return None
    from ortcffi.ep.hardware import HardwareDevice

    return [HardwareDevice("CPU", vendor_id=_INTEL, vendor="Intel", api=env.api)]
