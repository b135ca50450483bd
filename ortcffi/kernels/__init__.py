# SPDX-License-Identifier: MIT
"""Kernels of custom ops: run without a model, and written in Python."""
