# SPDX-License-Identifier: MIT
"""What is set before NumPy, the package and the tests are imported, also for processes of tests."""

import os
import sys

from support.paths import CHECKOUT

# A second thread of NumPy's BLAS waits busily, which takes a third of the time of NumPy's import,
# and it would not be in the forks of a process that has imported NumPy.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Compiled modules are kept, also where the environment says otherwise: each of hundreds of
# processes would compile the package anew, and pytest the package and the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(CHECKOUT / "core/build/tests/bytecode")
sys.dont_write_bytecode = False
