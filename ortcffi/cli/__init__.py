# SPDX-License-Identifier: MIT
"""The commands of the command line."""
