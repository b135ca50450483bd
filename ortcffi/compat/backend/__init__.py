# SPDX-License-Identifier: MIT
"""The names of ``onnxruntime.backend``: ONNX's backend protocol, over this package's sessions.

``import ortcffi.compat.backend as backend`` gives what `onnx.backend.test.BackendTest` takes. Needs
the package onnx.
"""

from ortcffi.compat.backend.backend import OnnxRuntimeBackend

__all__ = ["is_compatible", "prepare", "run", "run_model", "supports_device"]

is_compatible = OnnxRuntimeBackend.is_compatible
prepare = OnnxRuntimeBackend.prepare
run = run_model = OnnxRuntimeBackend.run_model
supports_device = OnnxRuntimeBackend.supports_device
