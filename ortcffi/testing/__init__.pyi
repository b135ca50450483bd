# SPDX-License-Identifier: MIT
from ortcffi.testing.allocation_failures import (
    sweep_allocation_failures as sweep_allocation_failures,
)
from ortcffi.testing.compare import compare_with_session as compare_with_session
