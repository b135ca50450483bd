# SPDX-License-Identifier: MIT
"""The copy of ONNX Runtime inside the official package: its table, its objects, its sessions."""
