# SPDX-License-Identifier: MIT
"""Memory: devices, allocators, adaptors around allocators, arrays in their memory."""
