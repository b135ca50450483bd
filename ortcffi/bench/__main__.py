# SPDX-License-Identifier: MIT
"""``python -m ortcffi.bench``: the command ``bench`` of ``python -m ortcffi``."""

import argparse
import sys

from .cli import add_arguments, run

parser = argparse.ArgumentParser(prog="python -m ortcffi.bench")
add_arguments(parser)
sys.exit(run(parser.parse_args(), parser))
