# SPDX-License-Identifier: MIT
"""Which compilers there are, and what the package was compiled with."""

import os

USES_MIMALLOC = os.environ.get("ORTCFFI_USE_MIMALLOC") == "1"  # as build_ort.py and core/Makefile
