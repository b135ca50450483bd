# SPDX-License-Identifier: MIT
"""A process that has imported NumPy, and runs each program that it is sent in a fork of itself.

It has done nothing else, so a program begins as in a new interpreter, and ends as there.
"""

import gc
import json
import os
import socket
import sys
from types import ModuleType
from typing import Any

import numpy as np  # noqa: F401  # takes longer than most programs

MOST_BYTES = 1 << 20  # of a request


def next_request() -> tuple[dict[str, Any], list[int]]:
    """Return in the child of a fork, with a request and the files for its standard streams."""
    gc.freeze()  # or the collector writes to all pages, which are copied then
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while True:
            message, files, _, _ = socket.recv_fds(requests, MOST_BYTES, 3)
            if not message:
                sys.exit()
            child = os.fork()
            if child == 0:
                return json.loads(message), files
            for file in files:
                os.close(file)
            requests.send(str(os.waitpid(child, 0)[1]).encode())


def begin() -> Any:
    """The code of the next program, in a process with its arguments and environment."""
    request, files = next_request()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv[:] = ["-c", *request["arguments"]]
    if not sys.flags.ignore_environment:
        first = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:0] = [entry for entry in first if entry and entry not in sys.path]
    return compile(request["program"], "<string>", "exec")


def names_of_new_main() -> dict[str, Any]:
    """The names of a main module, as a program finds them; what is frozen would never end."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    return vars(main)


exec(begin(), names_of_new_main())
