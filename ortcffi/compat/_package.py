# SPDX-License-Identifier: MIT
"""Facts of the official package and its build."""

import os
import sys
from typing import Any

from ortcffi.compat._environment import api

package_name = "onnxruntime"
cuda_version = ""


def __getattr__(name: str) -> Any:
    if name == "version":  # of the library, which is loaded for it
        return api().version_string
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def print_debug_info() -> None:
    """Print what helps to find a fault: versions and places."""
    import platform

    table = api()
    print(f"{package_name} version: {table.version_string}")
    print("platform:", platform.platform())
    print("library:", table.path)
    print("build:", table.build_info)


# Libraries of CUDA 12 and cuDNN 9 by the package of NVIDIA's that has them, in the order in which
# they are to be loaded: by the folder of Linux, and that of Windows.
_CUDA = {
    "lib": (
        "cublas/libcublasLt.so.12 cublas/libcublas.so.12 cuda_nvrtc/libnvrtc.so.12 "
        "curand/libcurand.so.10 cufft/libcufft.so.11 cuda_runtime/libcudart.so.12"
    ),
    "bin": (
        "cublas/cublasLt64_12.dll cublas/cublas64_12.dll cufft/cufft64_11.dll "
        "cuda_runtime/cudart64_12.dll"
    ),
}
_CUDNN = {
    "lib": "cudnn/libcudnn.so.9",
    "bin": (
        "cudnn/cudnn_engines_runtime_compiled64_9.dll cudnn/cudnn_engines_precompiled64_9.dll "
        "cudnn/cudnn_heuristic64_9.dll cudnn/cudnn_ops64_9.dll cudnn/cudnn_adv64_9.dll "
        "cudnn/cudnn_graph64_9.dll cudnn/cudnn64_9.dll cudnn/cudnn_engines_tensor_ir64_9.dll"
    ),
}


def _get_nvidia_dll_paths(
    is_windows: bool, cuda: bool = True, cudnn: bool = True
) -> list[tuple[str, ...]]:
    """Return where packages of NVIDIA's have the libraries, as parts of paths below site-packages.

    Those of CUDA 12, as a package has that was not built for a version of CUDA.
    """
    folder = "bin" if is_windows else "lib"
    chosen = (_CUDA[folder] if cuda else "") + " " + (_CUDNN[folder] if cudnn else "")
    pairs = [each.split("/") for each in chosen.split()]
    return [("nvidia", package, folder, name) for package, name in pairs]


def preload_dlls(
    cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | None = None
) -> None:
    """Load the libraries of CUDA and cuDNN that packages of NVIDIA's have, if there are any.

    Parameters
    ----------
    msvc : bool, optional
        Of no effect: Python itself has loaded that runtime.
    directory : str, optional
        Where they are; by default, and for "", in the installed packages.
    """
    del msvc
    from ctypes import CDLL

    for parts in _get_nvidia_dll_paths(os.name == "nt", cuda, cudnn):
        places = [os.path.join(root, *parts) for root in sys.path]
        if directory:
            places = [os.path.join(directory, parts[-1])]
        for path in filter(os.path.isfile, places):
            try:
                CDLL(path)
            except OSError as error:
                print(f"Failed to load {path}: {error}")
