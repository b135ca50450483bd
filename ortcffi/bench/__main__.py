# SPDX-License-Identifier: MIT
"""``python -m ortcffi.bench``."""

import argparse
import fnmatch

from .measure import measure
from .rows import ROWS
from .subjects import NAMES, Missing, find

parser = argparse.ArgumentParser()
parser.add_argument("--rows", default="*")
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--aligned", action="store_true")
parser.add_argument("--subjects", default=",".join(NAMES))
args = parser.parse_args()
subjects = []
for name in args.subjects.split(","):
    try:
        subjects.append(find(name, None, args.aligned))
    except Missing as error:
        print(name, "missing:", error)
rows = [r for r in ROWS if any(fnmatch.fnmatch(r.name, p) for p in args.rows.split(","))]
print(f"{'row':38}" + "".join(f"{s.name:>10}" for s in subjects) + "   ratio  required/wanted")
for row in rows:
    best = {k: min(v) for k, v in measure(row, subjects, args.seconds / len(rows)).items()}
    ratio = f"{best['real'] / best['core']:7.1f}x" if {"real", "core"} <= set(best) else ""
    print(f"{row.title:38}" + "".join(f"{best[s.name]:10.2f}" if s.name in best else " " * 10 for s in subjects), ratio, row.required, "/", row.wanted, flush=True)
