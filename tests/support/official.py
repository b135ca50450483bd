# SPDX-License-Identifier: MIT
"""Processes for tests of the official package: what it shares lasts until a process ends."""

import textwrap
from pathlib import Path

import pytest
from support.prepared import run_program

onnxruntime = pytest.importorskip("onnxruntime")

MODEL = str(Path(onnxruntime.__file__).parent / "datasets/sigmoid.onnx")  # x: float[3, 4, 5] -> y
SHAPE = (3, 4, 5)


def python(code: str, **given: object) -> str:
    """What a process of its own prints, whose code finds what is given by name."""
    begin = f"""
        import gc, sys, numpy as np, onnxruntime, ortcffi as ort
        MODEL, X = {MODEL!r}, np.ones({SHAPE}, np.float32)
    """
    names = "".join(f"{name} = {value!r}\n" for name, value in given.items())
    text = textwrap.dedent(begin) + names + textwrap.dedent(code)
    return run_program(text).stdout
