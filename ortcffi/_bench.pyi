# SPDX-License-Identifier: MIT
"""The loops of the benchmark, as ``ortcffi/boundary/bench/bench.h`` declares them."""

from typing import Any

ffi: Any
lib: Any
