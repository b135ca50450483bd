# SPDX-License-Identifier: MIT
"""What a type checker is to see of `ortcffi`, whose modules are imported late."""

from ortcffi import errors as errors
from ortcffi._native import ffi as ffi
from ortcffi._native import lib as lib
from ortcffi.adaptors import (
    Aligned as Aligned,
)
from ortcffi.adaptors import (
    Failing as Failing,
)
from ortcffi.adaptors import (
    Limiting as Limiting,
)
from ortcffi.adaptors import (
    Logging as Logging,
)
from ortcffi.api import (
    Api as Api,
)
from ortcffi.api import (
    build_info as build_info,
)
from ortcffi.api import (
    core_api as core_api,
)
from ortcffi.api import (
    default_api as default_api,
)
from ortcffi.api import (
    init_api as init_api,
)
from ortcffi.arena import Arena as Arena
from ortcffi.arena_cfg import ArenaCfg as ArenaCfg
from ortcffi.config import get_include as get_include
from ortcffi.config import get_library as get_library
from ortcffi.custom_op import Characteristic as Characteristic
from ortcffi.custom_op import CustomOp as CustomOp
from ortcffi.custom_op import Operand as Operand
from ortcffi.custom_ops import CustomOpDomain as CustomOpDomain
from ortcffi.element_types import ElementType as ElementType
from ortcffi.element_types import SparseFormat as SparseFormat
from ortcffi.element_types import ValueKind as ValueKind
from ortcffi.env import Env as Env
from ortcffi.env import available_providers as available_providers
from ortcffi.ep_devices import EpDevice as EpDevice
from ortcffi.errors import ErrorCode as ErrorCode
from ortcffi.errors import OrtError as OrtError
from ortcffi.hosts import emulate as emulate
from ortcffi.key_values import KeyValuePairs as KeyValuePairs
from ortcffi.logs import LogMessage as LogMessage
from ortcffi.logs import LogSeverity as LogSeverity
from ortcffi.memory import Allocator as Allocator
from ortcffi.memory import AllocatorStats as AllocatorStats
from ortcffi.memory_info import (
    AllocatorType as AllocatorType,
)
from ortcffi.memory_info import (
    DeviceMemoryType as DeviceMemoryType,
)
from ortcffi.memory_info import (
    DeviceType as DeviceType,
)
from ortcffi.memory_info import (
    MemoryInfo as MemoryInfo,
)
from ortcffi.memory_info import (
    MemType as MemType,
)
from ortcffi.numpy_memory import numpy_allocator as numpy_allocator
from ortcffi.op_attr import OpAttr as OpAttr
from ortcffi.op_attr import OpAttrType as OpAttrType
from ortcffi.options import DevicePolicy as DevicePolicy
from ortcffi.options import ExecutionMode as ExecutionMode
from ortcffi.options import OptimizationLevel as OptimizationLevel
from ortcffi.options import SessionOptions as SessionOptions
from ortcffi.providers import (
    LibraryNotFound as LibraryNotFound,
)
from ortcffi.providers import (
    LoadError as LoadError,
)
from ortcffi.providers import (
    load as load,
)
from ortcffi.python_allocator import PythonAllocator as PythonAllocator
from ortcffi.run_options import PrepackedWeights as PrepackedWeights
from ortcffi.run_options import RunOptions as RunOptions
from ortcffi.runtimes import Runtime as Runtime
from ortcffi.runtimes import find_runtimes as find_runtimes
from ortcffi.session_inputs import FreeDimension as FreeDimension
from ortcffi.status import Status as Status
from ortcffi.symbols import expose_symbols as expose_symbols
from ortcffi.tensor_type_info import TensorTypeInfo as TensorTypeInfo
from ortcffi.thread_functions import ThreadFunctions as ThreadFunctions
from ortcffi.threading_options import ThreadingOptions as ThreadingOptions
from ortcffi.tracing import trace as trace
from ortcffi.tracking import Leak as Leak
from ortcffi.tracking import Scope as Scope
from ortcffi.tracking import Tracking as Tracking
from ortcffi.type_info import TypeInfo as TypeInfo
from ortcffi.value import Value as Value
