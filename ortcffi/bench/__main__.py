# SPDX-License-Identifier: MIT
"""``python -m ortcffi.bench``: the command ``bench`` of ``python -m ortcffi``."""

import sys

from .cli import main

sys.exit(main())
