# SPDX-License-Identifier: MIT
"""Function tables: the embedded core, other libraries, emulation, tracing."""
