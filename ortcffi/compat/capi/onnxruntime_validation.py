# SPDX-License-Identifier: MIT
"""What the official package checks when it is imported."""

from ortcffi.compat import _package

__all__ = ["check_distro_info", "get_package_name_and_version_info"]


def check_distro_info() -> None:
    """Do nothing: the library has been loaded, so the system is fine."""


def get_package_name_and_version_info() -> tuple[str, str, str]:
    return _package.package_name, _package.version, _package.cuda_version
