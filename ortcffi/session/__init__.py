# SPDX-License-Identifier: MIT
"""Sessions: models, and runs of them on a library that has an engine."""
