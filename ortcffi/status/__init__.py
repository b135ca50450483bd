# SPDX-License-Identifier: MIT
"""Statuses as objects, and key-value pairs."""
