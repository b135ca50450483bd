# SPDX-License-Identifier: MIT
"""What options of sessions have as values. Functions import them, so that a session need not."""

from enum import IntEnum
from typing import NamedTuple

from ortcffi._native import lib
from ortcffi._public import public


@public
class ExecutionMode(IntEnum):
    """Whether the nodes of a graph run one at a time or in parallel (``ExecutionMode``)."""

    SEQUENTIAL = lib.ORT_SEQUENTIAL
    PARALLEL = lib.ORT_PARALLEL


@public
class OptimizationLevel(IntEnum):
    """How far graphs are optimized (``GraphOptimizationLevel``)."""

    DISABLE_ALL = lib.ORT_DISABLE_ALL
    BASIC = lib.ORT_ENABLE_BASIC
    EXTENDED = lib.ORT_ENABLE_EXTENDED
    LAYOUT = lib.ORT_ENABLE_LAYOUT
    ALL = lib.ORT_ENABLE_ALL


@public
class DevicePolicy(IntEnum):
    """Which devices a library prefers (``OrtExecutionProviderDevicePolicy``)."""

    DEFAULT = lib.OrtExecutionProviderDevicePolicy_DEFAULT
    PREFER_CPU = lib.OrtExecutionProviderDevicePolicy_PREFER_CPU
    PREFER_NPU = lib.OrtExecutionProviderDevicePolicy_PREFER_NPU
    PREFER_GPU = lib.OrtExecutionProviderDevicePolicy_PREFER_GPU
    MAX_PERFORMANCE = lib.OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE
    MAX_EFFICIENCY = lib.OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY
    MIN_OVERALL_POWER = lib.OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER


@public
class FreeDimension(NamedTuple):
    """A free dimension of the model's inputs that is fixed to a value.

    Attributes
    ----------
    name : str
        The name or the denotation of the dimension in the model.
    is_denotation : bool
        Whether `name` is the denotation, such as ``"DATA_BATCH"``.
    """

    name: str
    value: int
    is_denotation: bool = False
