# SPDX-License-Identifier: MIT
"""ONNX Runtime's C API in Python, and a C library that answers it: `ortcffi --help` says more.

A module is imported when one of its names is first used, so that the import takes no time.
"""

from typing import Any

# The compiled module has one set of error classes and callbacks for the whole process, so a second
# interpreter would replace those of the first.
try:  # since Python 3.13
    import _interpreters
except ImportError:
    try:
        import _xxsubinterpreters as _interpreters
    except ImportError:  # another Python
        _interpreters = None
if _interpreters is not None and _interpreters.get_current() != _interpreters.get_main():
    raise ImportError(
        "ortcffi can be imported in the main interpreter only, not in a subinterpreter: "
        "its C code calls back into one interpreter"
    )

# The public names, by module. tools/generate.py makes the stub for type checkers of them, and
# docs/generate the reference.
_NAMES = {
    "_native": "ffi lib",
    "memory.adaptors": "Aligned Damage Failing Guarded Limiting",
    "_table": "core_api default_api init_api",
    "table.api": "Api",
    "arena": "Arena ArenaCfg",
    "cli.build_flags": "get_include get_library",
    "custom_ops.describe": "Characteristic CustomOp Operand",
    "custom_ops.domain": "CustomOpDomain",
    "kernels.operands": "Attribute optional variadic",
    "kernels.checked": "CheckedKernel",
    "kernels.kernel": "Kernel",
    "kernels.library": "CustomOpLibrary LibraryOp",
    "kernels.op_sets": "OpSet custom_op_library op_set",
    "kernels.python_op": "PythonOp custom_op",
    "values.element_types": "ElementType ValueKind",
    "values.sparse": "SparseFormat",
    "env.env": "Env",
    "ep.devices": "available_providers EpDevice",
    "ep.hardware": "HardwareDevice HardwareType",
    "ep.installed": "InstalledEp installed_eps",
    "ep.registered": "RegisteredEp",
    "ep.watched": "LeftStatus WatchedEp",
    "errors": "ErrorCode OrtError",
    "table.hosts": "emulate",
    "status": "KeyValuePairs Status",
    "callbacks.logs": "LogMessage LogSeverity",
    "memory.allocator": "Allocator",
    "memory.info": "MemoryInfo AllocatorType DeviceMemoryType DeviceType MemType",
    "memory.numpy_memory": "numpy_allocator",
    "custom_ops.op_attr": "OpAttr OpAttrType",
    "official.attach": "attach Official",
    "official.layout": "UnknownLayoutError",
    "options.kinds": "DevicePolicy ExecutionMode FreeDimension OptimizationLevel",
    "options.session_options": "SessionOptions",
    "table.load": "LibraryNotFound load LoadError expose_symbols",
    "memory.python_allocator": "PythonAllocator",
    "options.run_options": "RunOptions",
    "models.compile": "CompileFlags compile_model StoredAt WeightlessMode",
    "models.graph": "Graph GraphFunction",
    "models.model_graph": "ModelFunction ModelGraph",
    "models.model": "Model",
    "models.parts": "ModelNode ModelValue",
    "models.providers": "CompiledNode Ep EpClaims EpGroup",
    "models.python_ep": "PythonEp execution_provider python_ep",
    "models.graph_attributes": "AttributeReference",
    "models.graph_parts": "GraphNode GraphValue",
    "session.batcher": "Batcher",
    "session.binding": "Binding",
    "session.lora": "LoraAdapter",
    "models.metadata": "ModelMetadata",
    "session.limits": "limit_session_memory",
    "session.metrics": "Metrics SessionMetrics metrics sessions",
    "session.profile": "OperatorTime Profile ProfileEvent",
    "session.session": "Session",
    "values.type_info": "ValueSpec TypeInfo",
    "table.find": "find_runtimes Runtime",
    "values.tensor_type_info": "TensorTypeInfo",
    "options.shared": "PrepackedWeights ThreadingOptions",
    "table.trace": "trace",
    "memory.stats": "AllocatorStats",
    "memory.tracking": "Leak LeakGroup Scope ScopeLine Tracking",
    "values.value": "Value",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = list(_MODULES)
__all__ += ["errors"]
_OFFICIAL = {"InferenceSession", "OrtValue", "get_available_providers", "get_device"}
# Not public: the bases in C of public classes, where a pickle of ``Session.run`` looks for it; what
# IPython calls.
_BASES = {
    "Blocks": "memory.allocator",
    "Owner": "_native",
    "Binder": "session.compiled",
    "Engine": "session.compiled",
    "KernelHost": "kernels.kernel",
    "Tensor": "values.lifecycle",
    "load_ipython_extension": "memory.notebook",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in ("errors", "testing"):
        import_module("ortcffi.table.api")
        return import_module(f"ortcffi.{name}")
    module = _MODULES.get(name) or _BASES.get(name)
    if name == "__version__":
        from importlib.metadata import version

        return version("ortcffi")
    if module is None:
        hint = "; ortcffi.compat has the official package's names" if name in _OFFICIAL else ""
        raise AttributeError(f"module 'ortcffi' has no attribute {name!r}{hint}")
    import_module("ortcffi.table.api")  # every topic makes tables
    value = globals()[name] = getattr(import_module(f"ortcffi.{module}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
