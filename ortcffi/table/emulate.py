# SPDX-License-Identifier: MIT
"""Hosts of older API versions, played by the embedded core."""

from ortcffi._convert import integer
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api, of_core
from ortcffi.table.api import Api

__all__ = ["emulate"]


@public
def emulate(version: int) -> Api:
    """Play a host that is ONNX Runtime 1.`version`.0.

    What a library does on an older host, it does here: give it the ``base`` of the result where it
    takes an ``OrtApiBase``, as ``RegisterCustomOps`` does.

    Parameters
    ----------
    version : int
        The API version, from 1 to 30. Release 1.n has version n.

    Returns
    -------
    Api
        A table whose slots up to the version are the embedded core's own, and so are the objects
        that they make. A slot that came later, which a client finds by reading on, answers
        ``ORT_NOT_IMPLEMENTED`` and names itself, the version that it came with, and the host; where
        it has no status it answers zero or NULL. ``GetApi`` of the base answers NULL to a newer
        version, with a line on stderr. Version 30 is the embedded core itself.

    Raises
    ------
    TypeError, ValueError
        The version is no integer, or there is no such host.

    Notes
    -----
    The tables that slots lead to, such as that of ``GetModelEditorApi``, are those of version 30 on
    each host that has the slot. C clients reach the same hosts through ``ortcore.h``.
    """
    number = integer("version", version, (1, lib.ORTCFFI_API_VERSION))
    play = lib.GetExperimentalFunction(core_api().pointer, b"ortcore_emulate")
    base = ffi.cast("OrtcoreEmulate", play)(number)
    return of_core(base.GetApi(number), base, number)
