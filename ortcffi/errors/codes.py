# SPDX-License-Identifier: MIT
"""The codes of statuses, which few programs read."""

from enum import IntEnum

from ortcffi._native import lib

__all__ = ["ErrorCode"]


class ErrorCode(IntEnum):
    """The codes of a status (``OrtErrorCode``, without its prefix).

    Any other number is a code as well, with a name such as ``UNKNOWN_99``.
    """

    OK = lib.ORT_OK
    FAIL = lib.ORT_FAIL
    INVALID_ARGUMENT = lib.ORT_INVALID_ARGUMENT
    NO_SUCHFILE = lib.ORT_NO_SUCHFILE
    NO_MODEL = lib.ORT_NO_MODEL
    ENGINE_ERROR = lib.ORT_ENGINE_ERROR
    RUNTIME_EXCEPTION = lib.ORT_RUNTIME_EXCEPTION
    INVALID_PROTOBUF = lib.ORT_INVALID_PROTOBUF
    MODEL_LOADED = lib.ORT_MODEL_LOADED
    NOT_IMPLEMENTED = lib.ORT_NOT_IMPLEMENTED
    INVALID_GRAPH = lib.ORT_INVALID_GRAPH
    EP_FAIL = lib.ORT_EP_FAIL
    MODEL_LOAD_CANCELED = lib.ORT_MODEL_LOAD_CANCELED
    MODEL_REQUIRES_COMPILATION = lib.ORT_MODEL_REQUIRES_COMPILATION
    NOT_FOUND = lib.ORT_NOT_FOUND
    DEVICE_RESET = lib.ORT_DEVICE_RESET

    @classmethod
    def _missing_(cls, value: object) -> "ErrorCode | None":
        if type(value) is not int:
            return None
        code = int.__new__(cls, value)
        code._name_, code._value_ = f"UNKNOWN_{value}", value
        return code


ErrorCode.__module__ = "ortcffi.errors"  # where users import it from
