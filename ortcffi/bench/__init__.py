# SPDX-License-Identifier: MIT
"""``ortcffi bench``: what this package takes for some calls, beside onnxruntime."""
