# SPDX-License-Identifier: MIT
"""The process in which a library or a package is examined."""

import sys

MEMORY = 8 << 30  # bytes of address space, beside what Python has
FILE = 64 << 20  # bytes of each file that it writes
CPU = 300  # seconds, of all threads


def limit_this_process(memory: int = MEMORY) -> None:
    """Bound what a library may take in the process that examines it, and write no core dump.

    Whoever started the process bounds its time.
    """
    import resource
    import signal

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: FILE,
        resource.RLIMIT_CPU: CPU,
    }
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        limits[resource.RLIMIT_AS] = used + memory
    for kind, most in limits.items():
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, hard))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and writing would go on
