# SPDX-License-Identifier: MIT
"""ONNX's backend protocol: models prepared and run by sessions."""

import os
from typing import Any
from unittest import SkipTest

from onnx import checker, helper
from onnx.backend.base import Backend

from ortcffi.compat import InferenceSession, SessionOptions, get_available_providers, get_device
from ortcffi.compat._options import Setting
from ortcffi.compat.backend.backend_rep import OnnxRuntimeBackendRep, set_allowed

# None of them writes a file.
_ALLOWED_SESSION_OPTIONS = frozenset(
    {"use_per_session_threads"}
    | {name for name, each in vars(SessionOptions).items() if isinstance(each, Setting)}
)


class OnnxRuntimeBackend(Backend):
    """ONNX Runtime as a backend of the package onnx.

    Two environment variables have the official meaning: ``ALLOW_RELEASED_ONNX_OPSET_ONLY=0`` has
    models of operator sets tried that are not released, and ``ORT_ONNX_BACKEND_EXCLUDE_PROVIDERS``
    names execution providers that are not to be used, with commas between them.
    """

    allowReleasedOpsetsOnly = os.getenv("ALLOW_RELEASED_ONNX_OPSET_ONLY", "1") == "1"

    @classmethod
    def is_compatible(cls, model: Any, device: str | None = None, **kwargs: Any) -> bool:  # noqa: ARG003  # the protocol's
        """Return whether the library supports a device; the model is not looked at."""
        return device is None or cls.supports_device(device)

    @classmethod
    def is_opset_supported(cls, model: Any) -> tuple[bool, str]:
        for opset in model.opset_import if cls.allowReleasedOpsetsOnly else ():
            key = (opset.domain or "ai.onnx", opset.version)
            if key not in helper.OP_SET_ID_VERSION_MAP:
                return False, (
                    f"version {key[1]} of the operator set {key[0]!r} is not released; set "
                    "ALLOW_RELEASED_ONNX_OPSET_ONLY=0 to try it"
                )
        return True, ""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether the library was built for a device, such as ``"CPU"`` or ``"CUDA"``."""
        found = get_device()
        return ("GPU" if device == "CUDA" else device) in {found, *found.split("-")}

    @classmethod
    def prepare(cls, model: Any, device: str | None = None, **kwargs: Any) -> OnnxRuntimeBackendRep:
        """Load a model.

        Parameters
        ----------
        model : onnx.ModelProto, bytes, path, InferenceSession or OnnxRuntimeBackendRep
            The model. An ``onnx.ModelProto`` is checked first.
        device : str, optional
            The device that the model is to run on.
        **kwargs
            Settings of `SessionOptions`, of those that write no files. Other names are ignored.

        Raises
        ------
        RuntimeError
            The library does not support the device, or a setting is not allowed.
        unittest.SkipTest
            The model uses an operator set that is not released.
        """
        if isinstance(model, OnnxRuntimeBackendRep):
            return model
        if isinstance(model, InferenceSession):
            return OnnxRuntimeBackendRep(model)
        if not isinstance(model, (str, bytes, os.PathLike)):
            model = cls._checked(model)
        if device is not None and not cls.supports_device(device):
            raise RuntimeError(f"Incompatible device expected '{device}', got '{get_device()}'")
        options = SessionOptions()
        set_allowed(options, kwargs, _ALLOWED_SESSION_OPTIONS)
        excluded = os.getenv("ORT_ONNX_BACKEND_EXCLUDE_PROVIDERS", "").split(",")
        providers = [name for name in get_available_providers() if name not in excluded]
        session = InferenceSession(model, options, providers=providers)
        session.disable_fallback()  # which could hide a failure from a test
        return OnnxRuntimeBackendRep(session)

    @classmethod
    def _checked(cls, model: Any) -> bytes:
        serialized: bytes = model.SerializeToString()
        checker.check_model(serialized)
        supported, message = cls.is_opset_supported(model)
        if not supported:
            raise SkipTest(message)
        return serialized

    @classmethod
    def run_model(  # type: ignore[override]  # a list, as officially
        cls, model: Any, inputs: Any, device: str | None = None, **kwargs: Any
    ) -> list[Any]:
        """Load a model and run it once; see `prepare` and `OnnxRuntimeBackendRep.run`."""
        return cls.prepare(model, device, **kwargs).run(inputs, **kwargs)
