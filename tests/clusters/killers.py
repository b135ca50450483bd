# SPDX-License-Identifier: MIT
"""What kills the worker that has it first. Workers import this module."""

import os
import signal

import clusters
import numpy as np


def kill_once(marker):
    """End this process as the kernel does that has no memory; only the first time."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Killer:
    """Runs a model as a session does."""

    def __init__(self, session, marker):
        self.session, self.marker = session, str(marker)

    def run(self, *feeds, **named):
        kill_once(self.marker)
        return self.session.run(*feeds, **named)

    def predict(self, frame):
        if len(frame) > 1:  # not the one that only says the columns
            kill_once(self.marker)
        return self.session.predict(frame)


def killer_of(path, session_of=clusters.session_of):
    """What each worker of Spark makes."""
    return Killer(session_of(path), f"{path}.killed")


class KilledScores(clusters.Scores):
    """An actor of Ray."""

    def __init__(self, path):
        super().__init__(path)
        self.marker = f"{path}.killed"

    def __call__(self, batch):
        kill_once(self.marker)
        return super().__call__({"x": np.asarray(batch["x"])})
