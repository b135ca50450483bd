# SPDX-License-Identifier: MIT
"""Arenas: allocators that keep chunks of memory, with a bound and figures."""
