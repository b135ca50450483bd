# SPDX-License-Identifier: MIT
"""Hosts: emulated older ones, and all by name, as ``ortcffi check --hosts`` takes them."""

import re

from ortcffi._convert import integer
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api, of_core
from ortcffi.table.api import Api
from ortcffi.table.load import load

HOSTS = "core, real, a release such as 1.17 or its API version 17, or a library's path"


@public
def emulate(version: int) -> Api:
    """Emulate a host that is ONNX Runtime 1.`version`.0.

    Use it to test how an op library behaves on an older host: register it with `SessionOptions` of
    the result, or pass the ``base`` of the result where it takes an ``OrtApiBase``.

    Parameters
    ----------
    version : int
        The API version, from 1 to that of the core. Release 1.n has version n.

    Returns
    -------
    Api
        A table whose slots up to that version are the embedded core's, like the objects that they
        make. Op libraries are given the base of this host. A later slot, which a client reaches by
        reading past the end of the older table, answers ``ORT_NOT_IMPLEMENTED`` with its name, the
        version that it came with, and the host; a slot without a status answers zero or NULL.
        ``GetApi`` of the base answers NULL for a newer version and writes a line to stderr. The
        newest version is the embedded core itself.

    Notes
    -----
    Other tables, such as that of ``GetModelEditorApi``, are those of the newest version on each
    host that has the slot. C programs use the same hosts through ``ortcore.h``.
    """
    number = integer("version", version, (1, lib.ORTCFFI_API_VERSION))
    play = lib.GetExperimentalFunction(core_api().pointer, b"ortcore_emulate")
    base = ffi.cast("OrtcoreEmulate", play)(number)
    return of_core(base.GetApi(number), base, number)


def release_of(host: str) -> int | None:
    """Return the API version of a release such as ``1.17``, ``1.17.3`` or ``17``, or None."""
    found = re.fullmatch(r"(?:1\.)?(\d+)(?:\.\d+)?", host, re.ASCII)
    return None if found is None else int(found[1])


def host_api(host: str) -> Api:
    """Return the table that a name of `HOSTS` stands for."""
    if host == "core":
        return core_api()
    if (release := release_of(host)) is not None:
        return emulate(release)
    return load(None if host == "real" else host)
