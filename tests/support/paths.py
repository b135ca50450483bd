# SPDX-License-Identifier: MIT
"""Where the checkout and its parts are."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
