# SPDX-License-Identifier: MIT
"""Processes for tests of the official package: what it shares lasts until a process ends."""

import sys
import textwrap
from pathlib import Path

import pytest
from support.processes import run

onnxruntime = pytest.importorskip("onnxruntime")

MODEL = str(Path(onnxruntime.__file__).parent / "datasets/sigmoid.onnx")  # x: float[3, 4, 5] -> y
SHAPE = (3, 4, 5)


def python(code: str) -> str:
    """What a process of its own prints."""
    begin = f"""
        import gc, sys, numpy as np, onnxruntime, ortcffi as ort
        MODEL, X = {MODEL!r}, np.ones({SHAPE}, np.float32)
    """
    text = textwrap.dedent(begin) + textwrap.dedent(code)
    return run(sys.executable, "-c", text).stdout
