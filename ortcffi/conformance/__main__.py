# SPDX-License-Identifier: MIT
"""``python -m ortcffi.conformance LIBRARY``, as ``ortcffi conform LIBRARY``."""

import sys

from ortcffi.__main__ import main

sys.exit(main(["conform", *sys.argv[1:]]))
