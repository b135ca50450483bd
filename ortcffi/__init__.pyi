# SPDX-License-Identifier: MIT
"""What a type checker is to see of `ortcffi`, whose modules are imported late."""

from ortcffi import errors as errors
from ortcffi._native import ffi as ffi
from ortcffi._native import lib as lib
from ortcffi._table import build_info as build_info
from ortcffi._table import core_api as core_api
from ortcffi._table import default_api as default_api
from ortcffi._table import init_api as init_api
from ortcffi.arena import Arena as Arena
from ortcffi.arena import ArenaCfg as ArenaCfg
from ortcffi.callbacks.logs import LogMessage as LogMessage
from ortcffi.callbacks.logs import LogSeverity as LogSeverity
from ortcffi.callbacks.thread_functions import ThreadFunctions as ThreadFunctions
from ortcffi.cli.build_flags import get_include as get_include
from ortcffi.cli.build_flags import get_library as get_library
from ortcffi.custom_ops.describe import Characteristic as Characteristic
from ortcffi.custom_ops.describe import CustomOp as CustomOp
from ortcffi.custom_ops.describe import Operand as Operand
from ortcffi.custom_ops.domain import CustomOpDomain as CustomOpDomain
from ortcffi.custom_ops.op_attr import OpAttr as OpAttr
from ortcffi.custom_ops.op_attr import OpAttrType as OpAttrType
from ortcffi.env.env import Env as Env
from ortcffi.ep.devices import EpDevice as EpDevice
from ortcffi.ep.devices import available_providers as available_providers
from ortcffi.ep.hardware import HardwareDevice as HardwareDevice
from ortcffi.ep.hardware import HardwareType as HardwareType
from ortcffi.ep.installed import InstalledEp as InstalledEp
from ortcffi.ep.installed import installed_eps as installed_eps
from ortcffi.ep.registered import RegisteredEp as RegisteredEp
from ortcffi.ep.watched import LeftStatus as LeftStatus
from ortcffi.ep.watched import WatchedEp as WatchedEp
from ortcffi.errors import ErrorCode as ErrorCode
from ortcffi.errors import OrtError as OrtError
from ortcffi.kernels.checked import CheckedKernel as CheckedKernel
from ortcffi.kernels.isolated import IsolatedKernel as IsolatedKernel
from ortcffi.kernels.isolated import KernelCrashed as KernelCrashed
from ortcffi.kernels.kernel import Kernel as Kernel
from ortcffi.kernels.library import CustomOpLibrary as CustomOpLibrary
from ortcffi.kernels.library import LibraryOp as LibraryOp
from ortcffi.kernels.op_sets import OpSet as OpSet
from ortcffi.kernels.op_sets import custom_op_library as custom_op_library
from ortcffi.kernels.op_sets import op_set as op_set
from ortcffi.kernels.operands import Attribute as Attribute
from ortcffi.kernels.operands import optional as optional
from ortcffi.kernels.operands import variadic as variadic
from ortcffi.kernels.python_op import PythonOp as PythonOp
from ortcffi.kernels.python_op import custom_op as custom_op
from ortcffi.memory.adaptors import (
    Aligned as Aligned,
)
from ortcffi.memory.adaptors import (
    Damage as Damage,
)
from ortcffi.memory.adaptors import (
    Failing as Failing,
)
from ortcffi.memory.adaptors import (
    Guarded as Guarded,
)
from ortcffi.memory.allocator import Allocator as Allocator
from ortcffi.memory.handlers import (
    Limiting as Limiting,
)
from ortcffi.memory.handlers import Logging as Logging
from ortcffi.memory.info import AllocatorType as AllocatorType
from ortcffi.memory.info import DeviceMemoryType as DeviceMemoryType
from ortcffi.memory.info import DeviceType as DeviceType
from ortcffi.memory.info import MemoryInfo as MemoryInfo
from ortcffi.memory.info import MemType as MemType
from ortcffi.memory.leaks import Leak as Leak
from ortcffi.memory.leaks import LeakGroup as LeakGroup
from ortcffi.memory.leaks import ScopeLine as ScopeLine
from ortcffi.memory.numpy_memory import numpy_allocator as numpy_allocator
from ortcffi.memory.python_allocator import PythonAllocator as PythonAllocator
from ortcffi.memory.scopes import Scope as Scope
from ortcffi.memory.scopes import carry as carry
from ortcffi.memory.stats import AllocatorStats as AllocatorStats
from ortcffi.memory.tracking import Tracking as Tracking
from ortcffi.models.compile import CompileFlags as CompileFlags
from ortcffi.models.compile import StoredAt as StoredAt
from ortcffi.models.compile import WeightlessMode as WeightlessMode
from ortcffi.models.compile import compile_model as compile_model
from ortcffi.models.ep_library import EpFactory as EpFactory
from ortcffi.models.ep_library import EpLibrary as EpLibrary
from ortcffi.models.graph import Graph as Graph
from ortcffi.models.metadata import ModelMetadata as ModelMetadata
from ortcffi.models.model import Model as Model
from ortcffi.models.model_graph import ModelFunction as ModelFunction
from ortcffi.models.model_graph import ModelGraph as ModelGraph
from ortcffi.models.nodes import GraphNode as GraphNode
from ortcffi.models.nodes import GraphValue as GraphValue
from ortcffi.models.parts import ModelNode as ModelNode
from ortcffi.models.parts import ModelValue as ModelValue
from ortcffi.models.providers import CompiledNode as CompiledNode
from ortcffi.models.providers import Ep as Ep
from ortcffi.models.providers import EpClaims as EpClaims
from ortcffi.models.providers import EpGroup as EpGroup
from ortcffi.models.python_ep import PythonEp as PythonEp
from ortcffi.models.python_ep import execution_provider as execution_provider
from ortcffi.models.python_ep import python_ep as python_ep
from ortcffi.models.view import GraphView as GraphView
from ortcffi.official.attach import attach as attach
from ortcffi.official.attached import Official as Official
from ortcffi.official.layout import UnknownLayoutError as UnknownLayoutError
from ortcffi.options.kinds import DevicePolicy as DevicePolicy
from ortcffi.options.kinds import ExecutionMode as ExecutionMode
from ortcffi.options.kinds import FreeDimension as FreeDimension
from ortcffi.options.kinds import OptimizationLevel as OptimizationLevel
from ortcffi.options.prepacked import PrepackedWeights as PrepackedWeights
from ortcffi.options.run import RunOptions as RunOptions
from ortcffi.options.session import SessionOptions as SessionOptions
from ortcffi.options.thread_pools import ThreadingOptions as ThreadingOptions
from ortcffi.session.batcher import Batcher as Batcher
from ortcffi.session.binding import Binding as Binding
from ortcffi.session.limits import limit_session_memory as limit_session_memory
from ortcffi.session.lora import LoraAdapter as LoraAdapter
from ortcffi.session.metrics import Metrics as Metrics
from ortcffi.session.metrics import SessionMetrics as SessionMetrics
from ortcffi.session.metrics import count_runs as count_runs
from ortcffi.session.metrics import metrics as metrics
from ortcffi.session.metrics import sessions as sessions
from ortcffi.session.package import ModelPackage as ModelPackage
from ortcffi.session.package import PackageVariant as PackageVariant
from ortcffi.session.profile import OperatorTime as OperatorTime
from ortcffi.session.profile import Profile as Profile
from ortcffi.session.profile import ProfileEvent as ProfileEvent
from ortcffi.session.session import Session as Session
from ortcffi.status import KeyValuePairs as KeyValuePairs
from ortcffi.status import Status as Status
from ortcffi.table.api import Api as Api
from ortcffi.table.find import Runtime as Runtime
from ortcffi.table.find import find_runtimes as find_runtimes
from ortcffi.table.hosts import emulate as emulate
from ortcffi.table.load import LibraryNotFound as LibraryNotFound
from ortcffi.table.load import LoadError as LoadError
from ortcffi.table.load import expose_symbols as expose_symbols
from ortcffi.table.load import load as load
from ortcffi.table.trace import trace as trace
from ortcffi.values.element_types import ElementType as ElementType
from ortcffi.values.element_types import ValueKind as ValueKind
from ortcffi.values.sparse import SparseFormat as SparseFormat
from ortcffi.values.tensor_type_info import TensorTypeInfo as TensorTypeInfo
from ortcffi.values.type_info import TypeInfo as TypeInfo
from ortcffi.values.type_info import ValueSpec as ValueSpec
from ortcffi.values.value import Value as Value

__version__: str
