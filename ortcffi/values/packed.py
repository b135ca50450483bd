# SPDX-License-Identifier: MIT
"""Elements of 4 and 2 bits: several in a byte, the first in the lowest bits."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pack(elements: "NDArray[Any]", bits: int) -> "NDArray[np.uint8]":
    """The bytes of a tensor, of an array with an element in each byte.

    What is left of the last byte is 0.
    """
    per_byte, mask = 8 // bits, (1 << bits) - 1
    flat = np.ascontiguousarray(elements).reshape(-1).view(np.uint8) & mask
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    packed = np.zeros(padded.size // per_byte, np.uint8)
    for place in range(per_byte):
        packed |= padded[place::per_byte] << (place * bits)
    return packed


def unpack(packed: "NDArray[np.uint8]", bits: int, count: int) -> "NDArray[np.uint8]":
    """The first `count` elements, each in the lowest bits of a byte; the others are 0."""
    per_byte, mask = 8 // bits, (1 << bits) - 1
    elements = np.empty((packed.size, per_byte), np.uint8)
    for place in range(per_byte):
        elements[:, place] = (packed >> (place * bits)) & mask
    return elements.reshape(-1)[:count].copy()
