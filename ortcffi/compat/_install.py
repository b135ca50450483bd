# SPDX-License-Identifier: MIT
"""Has ``import onnxruntime`` give the drop-in, in a program that is not changed."""

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec, spec_from_loader
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ortcffi.compat._environment import stand_in_for_cpu, state
from ortcffi.compat._names import TOOLS
from ortcffi.table.load import installed_packages, package_advice

if TYPE_CHECKING:
    from importlib.abc import Loader
else:  # that module imports twenty others
    Loader = object

_NAME, _OURS = "onnxruntime", "ortcffi.compat"
_COMPILED = "onnxruntime.capi.onnxruntime_pybind11_state"


def install(providers: Iterable[str] = (), *, strict: bool = False) -> None:
    """Have ``import onnxruntime`` give this package from now on, in the whole process.

    Modules of both names are the same objects. ``onnxruntime.quantization``, ``tools``,
    ``transformers``, ``datasets`` and ``backend`` come from the installed package, whose compiled
    module is loaded only for functions that the C API lacks, such as those that pack quantized
    weights.
    Calling it again does nothing. Processes that are started anew, such as workers that
    `multiprocessing` spawns, have to call it for themselves.

    Parameters
    ----------
    providers : iterable of str, optional
        Execution providers that the core hosts, such as ``["nxrt", "reference"]``, the preferred
        first. The drop-in then uses the core, where these stand for ``"CPUExecutionProvider"``: all
        sessions have them, after those that the program names.
    strict : bool, optional
        Whether a session is refused, with `ValueError`, for which the program names an execution
        provider that is not there. By default, as officially, it runs on the CPU after a warning.
        The environment variable ``ORTCFFI_STRICT_PROVIDERS=1`` does the same.

    Raises
    ------
    RuntimeError
        Another package is imported as onnxruntime already; or `providers` are given, and the
        drop-in has loaded an onnxruntime.
    LookupError, ImportError
        One of `providers` is not installed, or none that the core hosts.
    """
    found = sys.modules.get(_NAME)
    ours = sys.modules[_OURS]
    if found is not None and found is not ours:
        place = getattr(found, "__file__", None)
        raise RuntimeError(
            f"{place or 'another module'} is imported as onnxruntime already: call "
            "ortcffi.compat.install() before that"
        )
    if providers:
        stand_in_for_cpu(providers)
    if strict:
        state.is_strict = True
    sys.modules[_NAME] = ours
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds the modules of the drop-in by their official names."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of the drop-in, or a package of tools in the installed one."""
        if name.startswith(f"{_OURS}.") and name.split(".", 2)[2] in TOOLS:
            # Where a program says ``from onnxruntime import datasets``.
            tools = _NAME + name[len(_OURS) :]
            return spec_from_loader(name, _Loader(tools)) if find_spec(tools) else None
        parts = name.split(".")
        if parts[0] != _NAME or (len(parts) > 2 and parts[1] in TOOLS):
            return None
        if len(parts) == 2 and parts[1] in TOOLS:
            return PathFinder.find_spec(name, [place for place, _ in installed_packages()])
        is_ours = name == _NAME or find_spec(_own(name)) is not None
        return spec_from_loader(name, _Loader(_own(name))) if is_ours else None


def _own(name: str) -> str:
    """Return the name of a module of the drop-in that has an official name."""
    return _OURS + name[len(_NAME) :]


class _Loader(Loader):
    """Loads a module under its own name, and hands it out under another."""

    def __init__(self, own: str) -> None:
        self._own = own

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        """Import the module."""
        module = import_module(self._own)
        self._spec: Any = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own spec, which the import has replaced."""
        module.__spec__ = self._spec


@cache
def compiled_module() -> ModuleType:
    """Return the compiled module of the installed package."""
    if sys.modules.get(_NAME) is not sys.modules[_OURS]:
        return import_module(_COMPILED)
    folders = [os.path.join(place, "capi") for place, _ in installed_packages()]
    spec = PathFinder.find_spec(_COMPILED, folders)
    if spec is None or spec.loader is None:
        raise ImportError(f"no installed package has {_COMPILED}: {package_advice()}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:  # what the C API has no function for
        return getattr(compiled_module(), name)
    except (ImportError, AttributeError) as error:
        raise AttributeError(f"{name} is the official package's: {error}") from None
