# SPDX-License-Identifier: MIT
"""A model that the backend has prepared."""

from collections.abc import Mapping
from typing import Any

from onnx.backend.base import BackendRep

from ortcffi.compat import RunOptions

_ALLOWED_RUN_OPTIONS = frozenset(
    {"log_severity_level", "log_verbosity_level", "logid", "only_execute_path_to_fetches"}
)


class OnnxRuntimeBackendRep(BackendRep):
    """A session, as ONNX's protocol has it.

    Parameters
    ----------
    session : InferenceSession
        The session.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(  # type: ignore[override]  # a list, as officially
        self, inputs: Any, **kwargs: Any
    ) -> list[Any]:
        """Run the model and return its outputs.

        Parameters
        ----------
        inputs : list or array
            What the inputs get, in the model's order; anything but a list is that of the only one.
        **kwargs
            Settings of `RunOptions`, of those that concern logging. Other names are ignored.

        Raises
        ------
        RuntimeError
            There are not as many as the model has inputs, or a setting is not allowed.
        """
        options = RunOptions()
        set_allowed(options, kwargs, _ALLOWED_RUN_OPTIONS)
        names = [each.name for each in self._session.get_inputs()]
        given = inputs if isinstance(inputs, list) else [inputs]
        if len(given) < len(names) or (given is not inputs and len(names) != 1):
            raise RuntimeError(f"the model expects {len(names)} inputs, not {len(given)}")
        feed = dict(zip(names, given, strict=False))  # more are ignored, as officially
        return self._session.run(None, feed, options)  # type: ignore[no-any-return]


def set_allowed(options: Any, settings: Mapping[str, Any], allowed: frozenset[str]) -> None:
    """Set those that are allowed; another one of the options is an error, the rest is ignored."""
    for name, value in settings.items():
        if name in allowed:
            setattr(options, name, value)
        elif hasattr(options, name):
            kind, names = type(options).__name__, ", ".join(sorted(allowed))
            raise RuntimeError(
                f"{kind}.{name} is not permitted through the backend, which allows {names}"
            )
