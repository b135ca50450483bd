# SPDX-License-Identifier: MIT
"""Callbacks that several topics use: loggers, and functions that create and join threads."""
