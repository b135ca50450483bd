# SPDX-License-Identifier: MIT
"""Where the C header and the stand-alone core are, for those who compile against them."""

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(_PACKAGE)


def get_include() -> str:
    """The directory of ``onnxruntime_c_api.h`` and ``ort_slots.def``, for the compiler's ``-I``.

    Returns
    -------
    str
        An absolute path: inside the installed package, or in the checkout that is worked on.

    Raises
    ------
    FileNotFoundError
        The package was installed without the header.
    """
    remedy = "reinstall ortcffi from a wheel"
    return os.path.dirname(_find("include/onnxruntime_c_api.h", "core/include", remedy))


def get_library() -> str:
    """The stand-alone core, a shared library that exports ``OrtGetApiBase``.

    It is a copy of its own, not the core that is embedded in the Python extension.

    Returns
    -------
    str
        The absolute path of ``libortcore.so``: inside the installed package, or in the checkout
        that is worked on.

    Raises
    ------
    FileNotFoundError
        The library was not built.
    """
    remedy = "build it with 'make -C core', or reinstall ortcffi from a wheel"
    return _find("lib/libortcore.so", "core/build", remedy)


def _find(packaged: str, built: str, remedy: str) -> str:
    """A file of the package, or the file of that name in a directory of the checkout."""
    installed = os.path.join(_PACKAGE, packaged)
    working = os.path.join(_CHECKOUT, built, os.path.basename(packaged))
    # Beside an installed package there may be anybody's directory named core.
    is_checkout = os.path.isfile(os.path.join(_CHECKOUT, "build_ort.py"))
    for path in [installed, working] if is_checkout else [installed]:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{os.path.basename(packaged)} is not there ({installed}): {remedy}")
