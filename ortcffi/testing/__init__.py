# SPDX-License-Identifier: MIT
"""Help for tests of custom ops: comparison with a session, allocation failures.

Imported as ``ortcffi.testing``.
"""

from ortcffi.testing.allocation_failures import sweep_allocation_failures
from ortcffi.testing.compare import compare_with_session

__all__ = ["compare_with_session", "sweep_allocation_failures"]
