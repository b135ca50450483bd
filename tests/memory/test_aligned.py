# SPDX-License-Identifier: MIT
"""`Aligned` allocates blocks with the requested alignment."""

import pytest

from ortcffi import Aligned


@pytest.fixture
def make(api):
    return lambda alignment: Aligned(api.default_allocator, alignment)


@pytest.mark.parametrize("alignment", [1 << i for i in range(22)])
@pytest.mark.parametrize("size", [1, 1000, 100_000])
def test_blocks_begin_at_multiples_of_any_power_of_two_up_to_2_mib(make, alignment, size):
    arrays = [make(alignment).full(size, i, "u1") for i in range(3)]
    assert [array.ctypes.data % alignment for array in arrays] == [0, 0, 0]
    assert [array.sum() for array in arrays] == [0, size, 2 * size]


@pytest.mark.parametrize("alignment", [0, 3, 4 << 20, 100])
def test_an_alignment_that_is_no_power_of_two_up_to_2_mib_is_an_error(make, alignment):
    with pytest.raises(ValueError, match="alignment must be a power of two up to 2 MiB"):
        make(alignment)
