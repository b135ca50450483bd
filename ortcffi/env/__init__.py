# SPDX-License-Identifier: MIT
"""Environments: logging and the allocators that sessions share."""
