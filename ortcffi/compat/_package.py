# SPDX-License-Identifier: MIT
"""Facts of the official package and its build."""

import os
import platform
from collections.abc import Iterable
from typing import Any

from ortcffi.compat._environment import api

package_name = "onnxruntime"
cuda_version = ""


def __getattr__(name: str) -> Any:
    if name in ("version", "__version__"):  # of the library, which is loaded for it
        return api().version_string
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def print_debug_info() -> None:
    """Print what helps to find a fault: versions and places."""
    table = api()
    print(f"{package_name} version: {table.version_string}")
    print("platform:", platform.platform())
    print("library:", table.path)
    print("build:", table.build_info)


def preload_dlls(
    cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | None = None
) -> None:
    """Load the libraries of CUDA and cuDNN that packages of NVIDIA's have, if there are any.

    Parameters
    ----------
    cuda, cudnn : bool, optional
        Whether to load those.
    msvc : bool, optional
        Of no effect: Python itself has loaded that runtime.
    directory : str, optional
        Where they are; by default in the installed packages. "" leaves the search to the system.
    """
    del msvc
    from ctypes import CDLL

    for path in _found(_libraries(cuda, cudnn), directory):
        try:
            CDLL(path)
        except OSError as error:
            print(f"Failed to load {path}: {error}")


def _libraries(cuda: bool, cudnn: bool) -> list[str]:
    names = ["cublasLt", "cublas", "cufft", "curand", "cudart"] if cuda else []
    return [*names, *(["cudnn"] if cudnn else [])]


def _found(names: Iterable[str], directory: str | None) -> list[str]:
    if directory == "":
        return []
    from importlib.util import find_spec

    folders = [directory] if directory else []
    spec = None if directory else find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec is not None else []:
        folders += [os.path.join(root, part, "lib") for part in sorted(os.listdir(root))]
    files = [os.path.join(f, name) for f in folders if os.path.isdir(f) for name in os.listdir(f)]
    return [p for n in names for p in sorted(files) if os.path.basename(p).startswith(f"lib{n}.so")]


# Libraries of CUDA 12 and cuDNN 9 by the package of NVIDIA's that has them, in the order in which
# they are to be loaded: by the folder of Linux, and that of Windows.
_CUDA = {
    "lib": [
        ("cublas", "libcublasLt.so.12"),
        ("cublas", "libcublas.so.12"),
        ("cuda_nvrtc", "libnvrtc.so.12"),
        ("curand", "libcurand.so.10"),
        ("cufft", "libcufft.so.11"),
        ("cuda_runtime", "libcudart.so.12"),
    ],
    "bin": [
        ("cublas", "cublasLt64_12.dll"),
        ("cublas", "cublas64_12.dll"),
        ("cufft", "cufft64_11.dll"),
        ("cuda_runtime", "cudart64_12.dll"),
    ],
}
_CUDNN_PARTS = [
    *("engines_runtime_compiled", "engines_precompiled", "heuristic", "ops", "adv", "graph", ""),
    "engines_tensor_ir",
]
_CUDNN = {
    "lib": [("cudnn", "libcudnn.so.9")],
    "bin": [("cudnn", f"cudnn{'_' if part else ''}{part}64_9.dll") for part in _CUDNN_PARTS],
}


def _get_nvidia_dll_paths(
    is_windows: bool, cuda: bool = True, cudnn: bool = True
) -> list[tuple[str, ...]]:
    """Return where packages of NVIDIA's have the libraries, as parts of paths below site-packages.

    Those of CUDA 12, as a package has that was not built for a version of CUDA.
    """
    folder = "bin" if is_windows else "lib"
    chosen = [*(_CUDA[folder] if cuda else []), *(_CUDNN[folder] if cudnn else [])]
    return [("nvidia", package, folder, name) for package, name in chosen]
