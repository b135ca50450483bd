# SPDX-License-Identifier: MIT
"""Callbacks that several topics use: loggers."""
