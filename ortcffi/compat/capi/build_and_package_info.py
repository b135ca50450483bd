# SPDX-License-Identifier: MIT
"""The facts of the build, in the official package's module for them."""

from ortcffi.compat._names import listed, names_of

_PLACES = listed({"_package": "__version__=version package_name"})
__getattr__, __dir__ = names_of(__name__, _PLACES)
