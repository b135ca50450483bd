# SPDX-License-Identifier: MIT
"""Options of sessions, runs and thread pools."""
