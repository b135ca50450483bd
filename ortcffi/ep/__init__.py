# SPDX-License-Identifier: MIT
"""Execution providers (EP) and the devices that they offer."""
