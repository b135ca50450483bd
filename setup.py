# SPDX-License-Identifier: MIT
"""Hands build_ort.py to setuptools; everything else is in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["build_ort.py:ffibuilder"], options={"bdist_wheel": {"py_limited_api": "cp311"}})
