# SPDX-License-Identifier: MIT
"""Custom ops: what an op declares, domains of ops, attributes."""
