# SPDX-License-Identifier: MIT
"""How to make a good object of each public class, so that calls reach what only such objects do.

Each function takes a table and returns objects. Those of `ENGINE` need a real library.
"""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from support import eps, models, processes
from support.allocators import InPython
from support.paths import CHECKOUT

import ortcffi as ort
from ortcffi import compat

F4 = np.float32
adapters = itertools.count()
OPS_IN_C = Path("ops.so")
Maker = Callable[[Any], Any]


def value(api: Any) -> Any:
    return ort.Value.from_numpy(np.arange(6, dtype=F4).reshape(2, 3), api=api)


def strings(api: Any) -> Any:
    return ort.Value.from_strings(["a", "b\0c", "é"], api=api)


def sparse(api: Any) -> Any:
    return ort.Value.sparse_coo(np.ones(2, F4), np.array([1, 4]), [2, 3], api=api)


def scope(api: Any) -> Any:
    tracking = ort.Tracking(api.default_allocator, depth=3)
    with tracking.scope("a", leaks=True) as left:
        kept = tracking.zeros(30)
    return tracking, left, left.leaks, left.groups, *left.by_line(), kept, tracking.scope("b")


def twice(x: Any, *, factor: float = 2.0) -> Any:
    return x * F4(factor)


def python_op(_api: Any) -> Any:
    made = ort.custom_op(
        "hostile", inputs=[F4], outputs=[F4], attributes={"factor": 2.0}, op_set="hostile"
    )(twice)
    return made, made.description, *made.description.inputs, ort.op_set("hostile")


def kernel(_api: Any) -> Any:
    op, *_ = python_op(None)
    return op.kernel({"factor": 3.0})


def compile_ops() -> None:
    """Compile the guide's library of an op into this folder, if there is a compiler."""
    folders = [Path(ort.__file__).parents[1], CHECKOUT]
    sources = [folder / "docs/guide/scale_op.c" for folder in folders]
    found = [source for source in sources if source.exists()]
    if found and (compiler := shutil.which("cc")):
        flags = ["-shared", "-fPIC", "-O1", f"-I{ort.get_include()}"]
        processes.run(compiler, *flags, found[0], "-o", OPS_IN_C)


def op_library(api: Any) -> Any:
    made = python_op(None)
    path = str(OPS_IN_C.absolute()) if OPS_IN_C.exists() else ort.custom_op_library("hostile")
    library = ort.CustomOpLibrary(path, api=api)
    ops = list(library.ops)
    return made[0], library, ops, [op.kernel({"factor": 2.0}) for op in ops]


def graph(_api: Any) -> Any:
    made = ort.Graph()
    made.input("x", "f4", [1, 4])
    made.initializer("w", np.ones((1, 4), F4))
    made.node("Mul", ["x", "w"], ["y"])
    made.output("y", "f4", [1, 4])
    function = made.function("my", "f", ["a"], ["b"], ["c"])
    return made, made.nodes[0], made.inputs[0], function, ort.AttributeReference("c", "INT")


def read_model(_api: Any) -> Any:
    made = ort.Model.load(models.scaled())
    whole = made.graph
    parts = [*whole.nodes, *whole.values.values(), whole.values, whole.initializers]
    other = graph(None)[0].to_model()
    return made, whole, parts, other, other.functions


def type_info(api: Any) -> Any:
    tensor = ort.TypeInfo.tensor("f4", ["N", 3], api)
    return tensor, tensor.tensor_info, ort.TypeInfo.sequence(tensor)


def container(api: Any) -> Any:
    keys, numbers = (ort.Value.from_numpy(np.arange(2), api=api) for _ in range(2))
    return ort.Value.map_of(keys, numbers), ort.Value.sequence([value(api), value(api)])


def env(api: Any) -> Any:
    made = ort.Env("hostile", api, logger=lambda _message: None)
    return made, made.shared_allocator()


def registered(api: ort.Api) -> tuple[Any, ...]:
    ep = eps.register(ort.Env("hostile", api), "memory transfers streams")
    return ep, *ep.devices


def provider(_api: Any) -> Any:
    ep = eps.adding()
    claims = ep.capability(eps.added())
    return ep, claims, *claims.groups, *ep.compile(claims)


def watched_library(_api: Any) -> Any:
    env = ort.Env("hostile", ort.core_api())
    name = f"watched {next(numbers)}"
    return env.register_ep(eps.built(eps.ADDING), name, watch=True).watched


numbers = itertools.count()


class Doubles:
    """What a provider written in Python is made of."""

    def capability(self, graph: Any) -> Any:
        return [node for node in graph.nodes if node.op_type in ("Add", "Mul")]

    def compile(self, _graph: Any) -> Any:
        return lambda x, *_others: x * F4(2)


def python_ep(_api: Any) -> Any:
    ep = ort.execution_provider(f"hostile {next(numbers)}")(Doubles)
    provider = ort.Ep(ort.Env("hostile", ort.core_api()).register_ep(ep).devices)
    return ep, *provider.compile(provider.capability(eps.added()))


MAKERS: dict[str, Maker] = {
    "Aligned": lambda api: ort.Aligned(api.default_allocator, 4096),
    "Allocator AllocatorStats": lambda api: (
        api.default_allocator,
        ort.Tracking(ort.core_api().default_allocator).stats,
    ),
    "Api": lambda api: api,
    "Arena": lambda api: ort.Arena(api.default_allocator),
    "ArenaCfg": lambda api: ort.ArenaCfg(api, max_bytes=1 << 20),
    "Attribute": lambda _api: ort.Attribute("factor", ort.OpAttrType.FLOAT, 1.0, False),
    "CustomOp Operand OpSet PythonOp": python_op,
    "CustomOpDomain": lambda api: ort.CustomOpDomain("hostile", api),
    "CustomOpLibrary LibraryOp": op_library,
    "Env": env,
    "CheckedKernel": lambda _api: python_op(None)[0].kernel({"factor": 3.0}, check=True),
    "Damage": lambda _api: ort.Damage(1 << 20, 16, 16, 4, False),
    "Failing": lambda api: ort.Failing(api.default_allocator, 5),
    "FreeDimension": lambda _api: ort.FreeDimension("n", 3, False),
    "Guarded": lambda api: ort.Guarded(api.default_allocator),
    "Graph GraphFunction GraphNode GraphValue AttributeReference": graph,
    "Kernel": kernel,
    "KeyValuePairs": lambda api: api.key_values({"a": "b"}),
    "HardwareDevice": lambda api: ort.HardwareDevice("NPU", api=api),
    "RegisteredEp EpDevice": registered,
    "Ep EpClaims EpGroup CompiledNode": provider,
    "WatchedEp": watched_library,
    "PythonEp": python_ep,
    "InstalledEp": lambda _api: ort.InstalledEp("a name", "a package", "a.so", {}),
    "LeftStatus": lambda _api: ort.LeftStatus("a slot", ort.ErrorCode.FAIL, "text"),
    "Limiting": lambda api: ort.Limiting(api.default_allocator, 1 << 16, soft=True),
    "LogMessage": lambda _api: ort.LogMessage(ort.LogSeverity.INFO, "c", "i", "l", "t"),
    "MemoryInfo": lambda api: api.cpu_memory_info(),
    "Model ModelFunction ModelGraph ModelNode ModelValue": read_model,
    "OpAttr": lambda api: ort.OpAttr("name", [1, 2], api=api),
    "PrepackedWeights": ort.PrepackedWeights,
    "PythonAllocator": InPython,
    "RunOptions": lambda api: ort.RunOptions(api, tag="tag"),
    "Runtime": lambda _api: ort.find_runtimes(),
    "Scope ScopeLine Leak LeakGroup Tracking": scope,
    "SessionOptions": lambda api: ort.SessionOptions(api, logger=print, config={"a": "1"}),
    "Status": lambda api: api.status(ort.ErrorCode.FAIL, "text"),
    "StoredAt": lambda _api: ort.StoredAt("a file", 0, 4),
    "TensorTypeInfo TypeInfo": type_info,
    "ThreadingOptions": ort.ThreadingOptions,
    "Trace": ort.trace,
    "Value": lambda api: (value(api), strings(api), *container(api), sparse(api)),
    "numpy_allocator": lambda api: ort.numpy_allocator(ort.Tracking(api.default_allocator)),
}


# --- sessions of the core ------------------------------------------------------------------------


def adding_session(_api: Any) -> Any:
    """One whose node is run by a provider in C."""
    made = ort.Session(eps.added(), api=ort.core_api(), providers=eps.adding_devices())
    bound = ort.Binding(made)
    bound.bind(x=np.ones(3, F4), y=np.zeros(3, F4))
    return made, *made.inputs, made.metadata, bound, ort.Batcher(made)


def session_of_ops(_api: Any) -> Any:
    """One whose node is run by an op in Python."""
    api = ort.core_api()
    options = ort.SessionOptions(api)
    with ort.CustomOpDomain("hostile", api) as domain:
        domain.add(python_op(None)[0])
        options.add_custom_op_domain(domain)
    x, y = (models.value(name, shape=[1, 4]) for name in "xy")
    node = models.node("twice", "x", "y", "hostile")
    source = models.model([node], [x], [y], domains={"hostile": 1})
    return ort.Session(source, options, api=api), options


CORE: dict[str, Maker] = {
    "Session ModelMetadata ValueSpec Binding Batcher": adding_session,
    "a session of ops": session_of_ops,
}


# --- what needs an engine -------------------------------------------------------------------------


def session(api: Any) -> Any:
    options = ort.SessionOptions(api, intra_op_threads=1)
    made = ort.Session(models.add(), options, api=api)
    return made, *made.inputs, made.metadata


def binding(api: Any) -> Any:
    made, *_ = session(api)
    bound = ort.Binding(made)
    bound.bind(x=np.ones((1, 4), F4), y=np.zeros((1, 4), F4))
    return bound


def adapter(api: Any) -> Any:
    written = compat.AdapterFormat()
    written.set_parameters({"w": compat.OrtValue.ortvalue_from_numpy(np.ones((1, 4), F4))})
    # ONNX Runtime maps the file, which must not be written again while it does.
    path = f"adapter {next(adapters)}"
    written.export_adapter(path)
    return written, ort.LoraAdapter(path, api)


def profile(api: Any) -> Any:
    made, *_ = session(api)
    _, found = made.run_profiled({"x": np.ones((1, 4), F4)})
    return found, *found.events, *found.by_operator().values()


def figures(api: Any) -> Any:
    with ort.Session(models.add(), api=api):
        found = ort.metrics()
    return found, *found.sessions


def of_compat(_api: Any) -> Any:
    made = compat.InferenceSession(models.add(), providers=["CPUExecutionProvider"])
    value = compat.OrtValue.ortvalue_from_numpy(np.ones((1, 4), F4))
    bound = made.io_binding()
    bound.bind_cpu_input("x", np.ones((1, 4), F4))
    bound.bind_output("y")
    return (
        *(made, value, bound, *made.get_inputs(), made.get_modelmeta()),
        *(made.get_session_options(), compat.RunOptions(), compat.OrtDevice.make("cpu", 0)),
        *(compat.get_ep_devices(), compat.OrtArenaCfg(0, -1, -1, -1)),
        compat.SparseTensor.sparse_coo_from_numpy(
            np.array([2, 3]), np.ones(2, F4), np.array([1, 4]), compat.OrtDevice.make("cpu", 0)
        ),
    )


ENGINE: dict[str, Maker] = {
    "Session ModelMetadata ValueSpec": session,
    "Batcher": lambda api: ort.Batcher(session(api)[0]),
    "Binding": binding,
    "LoraAdapter": adapter,
    "Official": lambda _api: ort.attach(),
    "Profile ProfileEvent OperatorTime": profile,
    "Metrics SessionMetrics": figures,
    "compat": of_compat,
}
