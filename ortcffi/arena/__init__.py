# SPDX-License-Identifier: MIT
"""Arenas: allocators that keep chunks of memory, with a limit and statistics."""
