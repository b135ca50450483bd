# SPDX-License-Identifier: MIT
"""Containers of prepacked weights, which sessions share."""

from typing import TYPE_CHECKING

from ortcffi._handle import Handle
from ortcffi._native import lib
from ortcffi._public import public
from ortcffi._table import table_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class PrepackedWeights(Handle):
    """A container in which sessions share prepacked weights.

    Close the sessions that use it before you close it. API functions:
    ``CreatePrepackedWeightsContainer``, ``ReleasePrepackedWeightsContainer``, since version 8.

    Parameters
    ----------
    api : Api, optional
        The table that makes the container, by default the one of `default_api`.
    """

    __slots__ = ()

    _pointer = "OrtPrepackedWeightsContainer*"
    _release = lib.ReleasePrepackedWeightsContainer

    def __init__(self, api: "Api | None" = None) -> None:
        self._create(table_for(api), "CreatePrepackedWeightsContainer")

    def __repr__(self) -> str:
        return f"<PrepackedWeights {'closed' if self.closed else f'of {self.api}'}>"
