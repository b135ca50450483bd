# SPDX-License-Identifier: MIT
"""Hosts by name, as ``ortcffi check --api`` and ``pytest --ort-host`` take them."""

import re

from ortcffi._table import core_api
from ortcffi.table.api import Api
from ortcffi.table.emulate import emulate
from ortcffi.table.load import load

__all__ = ["HOSTS", "host_api", "release_of"]

HOSTS = "core, real, a release such as 1.17 or its API version 17, or a library's path"


def release_of(host: str) -> int | None:
    """The API version of a release, such as ``1.17``, ``1.17.3`` or ``17``; None if it is none."""
    found = re.fullmatch(r"(?:1\.)?(\d+)(?:\.\d+)?", host, re.ASCII)
    return None if found is None else int(found[1])


def host_api(host: str) -> Api:
    """The table that a name of `HOSTS` stands for.

    Raises
    ------
    ValueError
        The core does not have the API version.
    LoadError
        The library cannot be loaded.
    """
    if host == "core":
        return core_api()
    if (release := release_of(host)) is not None:
        return emulate(release)
    return load(None if host == "real" else host)
