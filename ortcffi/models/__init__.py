# SPDX-License-Identifier: MIT
"""Models made in Python, and models compiled ahead of time."""
