# SPDX-License-Identifier: MIT
"""Processes for tests of the official package: what it shares lasts until a process ends."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

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
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
