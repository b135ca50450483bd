# SPDX-License-Identifier: MIT
"""What libraries with the C API answer: rows that all of them must keep, and who tries them."""
