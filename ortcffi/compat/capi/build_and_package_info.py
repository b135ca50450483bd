# SPDX-License-Identifier: MIT
"""What the official package says of its build, where programs look for it."""

from ortcffi.compat._package import package_name
from ortcffi.compat._package import version as __version__

__all__ = ["__version__", "package_name"]
