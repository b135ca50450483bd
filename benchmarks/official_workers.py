# SPDX-License-Identifier: MIT
"""The official package in workers, as its users and the guides of the engines do it."""

from functools import cache
from typing import Any

import numpy as np
import onnxruntime


@cache
def session_of(path: str) -> onnxruntime.InferenceSession:
    """Make a session, once for each process."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options)


class Official:
    """What is sent to workers: a path."""

    def __init__(self, path: str) -> None:
        self.path = path

    def run(self, feed: Any = None, **inputs: Any) -> Any:
        """Run the model."""
        given = {name: np.asarray(x, np.float32) for name, x in (feed or inputs).items()}
        return session_of(self.path).run(None, given)

    def predict(self, frame: Any) -> Any:
        """Run it on a table whose columns are one input."""
        (y,) = self.run({"x": frame.to_numpy()})
        return type(frame)({f"y_{i}": y[:, i] for i in range(y.shape[1])}, index=frame.index)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Run it on a batch of Ray."""
        return {"y": self.run({"x": batch["x"]})[0]}
