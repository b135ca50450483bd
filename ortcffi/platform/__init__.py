# SPDX-License-Identifier: MIT
"""Objects of the C API, and how long they live."""
