# SPDX-License-Identifier: MIT
"""Execution providers written in Python; ``boundary/models/python_ep.c`` says what C calls."""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ortcffi._convert import encode, mapping, optional_mapping
from ortcffi._native import ffi, lib
from ortcffi._public import meant, public, quoted
from ortcffi.callbacks.from_c import report
from ortcffi.custom_ops.describe import Characteristic, Operand
from ortcffi.ep.hardware import HardwareDevice, HardwareType
from ortcffi.ep.installed import PYTHON_EPS, REFERENCE
from ortcffi.ep.registered import definition_of
from ortcffi.errors import NotImplemented, check
from ortcffi.kernels.definition import Definition, remember_table, table_of, takes_out
from ortcffi.kernels.host import call_host, empty_sequence_on_core, host_function
from ortcffi.kernels.op_sets import table_of_base
from ortcffi.kernels.python_op import op_struct
from ortcffi.memory.info import MemType
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.parts import ModelNode, part_at
from ortcffi.models.view import listed
from ortcffi.status import KeyValuePairs
from ortcffi.values.containers import sequence_items
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo, contained_element
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["PythonEp", "execution_provider", "python_ep"]

_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
)

Devices = str | Iterable[str] | Callable[[HardwareDevice], bool]


@public
class PythonEp:
    """An execution provider written in Python. Made by `execution_provider`.

    It can still be called as the class that it was made of. As a path (`os.PathLike`) it is that of
    a library, which any host can register under the provider's name: `Env.register_ep`, and
    ``register_execution_provider_library`` of the official package.

    Attributes
    ----------
    name : str
        Its name, under which libraries must register it.
    vendor, version : str
        Who made it, and its version.
    options : dict of str to str
        Its options, with their defaults.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # as many as there are facts
        self,
        name: str,
        function: Callable[..., Any],
        devices: Devices = "CPU",
        options: Mapping[str, str] | None = None,
        vendor: str = "",
        version: str = "0.0.0",
        borrow: bool = False,
    ) -> None:
        if not encode("name", name):
            raise ValueError("name must not be empty")
        encode("vendor", vendor)
        if _VERSION.fullmatch(encode("version", version).decode()) is None:
            raise ValueError(f"version must be three numbers with dots, not {version!r}")
        declared = dict(optional_mapping("options", options))
        for key, text in declared.items():
            encode("a name of options", key)
            encode(f"options[{quoted(key)}]", text)
        takes = devices if callable(devices) else _takes(devices)
        if not callable(function):
            raise TypeError(f"a provider must be a class, not {function!r}")
        if isinstance(function, type):
            _check_methods(name, function)
        update_wrapper(self, function, updated=())
        self.name, self.vendor, self.version = name, vendor, version
        self._registered_name = name  # for Env.register_ep
        self.options = declared
        self._function, self._takes, self._borrow = function, takes, bool(borrow)

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        """Make an object of the class."""
        return self._function(*arguments, **keywords)

    @property
    def path(self) -> str:
        """The path of the library, which is the same for all providers."""
        return sys.modules["ortcffi._ort"].__file__ or ""

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<PythonEp {self.name!r}>"


@public
def execution_provider(  # noqa: PLR0913  # as many as there are facts
    name: str,
    *,
    devices: Devices = "CPU",
    options: Mapping[str, str] | None = None,
    vendor: str = "",
    version: str = "0.0.0",
    borrow: bool = False,
) -> Callable[[Callable[..., Any]], PythonEp]:
    """Define an execution provider by a Python class.

    An object of the class is made for each session, with the provider's options as keywords, if
    any are declared. It has two methods.

    ``capability(graph)`` is shown a `ModelGraph` and returns, or yields, the groups of nodes that
    the provider takes, each an iterable of `ModelNode`, or one node. It is also asked about the
    graphs in attributes of nodes, from the innermost outwards: those have a ``parent``.

    ``compile(graph)`` is given a group as a graph and returns a function that computes: it takes an
    array for each of ``graph.inputs``, in their order, and returns the array of the only output, or
    a tuple of one for each of ``graph.outputs``. Constants are ``graph.initializers``. The function
    may be called by several threads at once. The arrays are those of a `custom_op`, with the same
    rules for ``out`` and for `borrow`.
    A sequence is a list of arrays, a map a dict, and an optional that holds nothing None. Only the
    core takes them as results.

    A graph belongs to the library and is closed after the call; ``Graph(graph)`` is a copy of it,
    which can be kept.

    Parameters
    ----------
    name : str
        The name of the provider. A later definition of the same name takes its place.
    devices : str, iterable of str, or callable, optional
        The hardware that it can use: kinds, as `HardwareType` names them, or a function that says
        so of a `HardwareDevice`. All memory is the CPU's.
    options : mapping of str to str, optional
        The options that sessions can give it, with their defaults.
    vendor : str, optional
        Who made it.
    version : str, optional
        Its version: three numbers with dots.
    borrow : bool, optional
        Whether arrays lie over the memory of the library that runs the model, as of `custom_op`.

    Returns
    -------
    callable
        The decorator, which returns a `PythonEp`.

    Raises
    ------
    TypeError, ValueError
        An argument declares something that cannot be, or a method is missing.

    Examples
    --------
    >>> import numpy as np
    >>> @execution_provider("adds")
    ... class Adds:
    ...     def capability(self, graph):
    ...         return [node for node in graph.nodes if node.op_type == "Add"]
    ...     def compile(self, graph):
    ...         return np.add
    >>> Adds
    <PythonEp 'adds'>
    """

    def define(function: Callable[..., Any]) -> PythonEp:
        made = PythonEp(name, function, devices, options, vendor, version, borrow)
        PYTHON_EPS[name] = made
        return made

    return define


def _takes(devices: Any) -> Callable[[HardwareDevice], bool]:
    known = ", ".join(HardwareType.__members__)
    if not isinstance(devices, Iterable):
        raise TypeError(f"devices must be of {known}, or a function, not {devices!r}")
    names = [devices] if isinstance(devices, str) else list(devices)
    for each in names:
        if not isinstance(each, str) or each not in HardwareType.__members__:
            raise ValueError(f"devices must be of {known}, or a function, not {each!r}")
    kinds = {HardwareType[each] for each in names}
    return lambda device: device.kind in kinds


def _check_methods(name: str, provider: Any) -> None:
    for method in ("capability", "compile"):
        if not callable(getattr(provider, method, None)):
            raise TypeError(f"the provider {name!r} needs a method {method}(graph)")


@public
def python_ep(name: str) -> PythonEp:
    """Return the execution provider written in Python that has a name.

    Parameters
    ----------
    name : str
        The name. "reference" is built in: it computes any nodes by ``onnx.reference`` of the
        package onnx, which must be installed.

    Raises
    ------
    LookupError
        There is none.

    Examples
    --------
    >>> python_ep("reference")
    <PythonEp 'reference'>
    """
    encode("name", name)
    if name not in PYTHON_EPS and name == REFERENCE:
        importlib.import_module("ortcffi.models.reference_ep")
    if name not in PYTHON_EPS:
        known = sorted({*PYTHON_EPS, REFERENCE})
        more = meant(name, known) or f"; those that are: {listed(known)}"
        raise LookupError(f"no execution provider written in Python is named {name!r}{more}")
    return PYTHON_EPS[name]  # type: ignore[no-any-return]


def make_factory(name: str, base: int) -> tuple[Any, ...]:
    """Serve ``CreateEpFactories``."""
    api = table_of_base(ffi.cast("OrtApiBase*", base))
    found = definition_of(name)
    provider = found if isinstance(found, PythonEp) else python_ep(name)
    factory = _Factory(provider, api)
    facts = provider.name, provider.vendor, provider.version
    return factory, remember_table(api), api.version, *facts


class _Factory:
    """A provider for hosts of one table."""

    def __init__(self, provider: PythonEp, api: "Api") -> None:
        self.provider, self.api = provider, api
        self.table = lib.GetEpApi(api.pointer)

    def call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the table for execution providers."""
        check(self.api.pointer, getattr(lib, slot)(self.table, *arguments))

    def devices(  # noqa: PLR0913, PLR0917  # as many as the C function
        self, factory: int, hardware: int, count: int, devices: int, room: int, out: int
    ) -> None:
        """Make a device for each piece of hardware that the provider can use."""
        given = ffi.cast("const OrtHardwareDevice* const*", hardware)
        made, target = 0, ffi.cast("OrtEpDevice**", devices)
        this = ffi.cast("OrtEpFactory*", factory)
        try:
            for i in range(count):
                if made < room and self._takes(given[i]):
                    # The defaults of options are not the device's: libraries warn of each other.
                    pairs = (ffi.NULL, ffi.NULL)
                    self.call("CreateEpDevice", this, given[i], *pairs, target + made)
                    made += 1
        except BaseException:
            for i in range(made):
                lib.ReleaseEpDevice(self.table, target[i])
                target[i] = ffi.NULL
            raise
        ffi.cast("size_t*", out)[0] = made

    def _takes(self, handle: Any) -> bool:
        with closing(HardwareDevice._of(self.api, handle, self)) as device:
            return bool(self.provider._takes(device))

    def create(self, options: int) -> "_Provider":
        """Make a provider for a session."""
        given = self._options(ffi.cast("OrtSessionOptions*", options))
        try:
            instance = self.provider._function(**given)
        except ValueError as error:
            text = ", ".join(f"{key}={value!r}" for key, value in given.items())
            name = self.provider.name
            raise ValueError(
                f"the execution provider {name!r} with the options {text or 'by default'}: {error}"
            ) from error
        _check_methods(self.provider.name, instance)
        return _Provider(self, instance)

    def _options(self, options: Any) -> dict[str, str]:
        out = ffi.new("OrtKeyValuePairs**")
        check(self.api.pointer, lib.GetSessionOptionsConfigEntries(self.api.pointer, options, out))
        with KeyValuePairs.from_handle(self.api, out[0]) as pairs:
            entries = pairs.to_dict()
        prefix, declared = f"ep.{self.provider.name.lower()}.", self.provider.options
        given = {
            key[len(prefix) :]: text for key, text in entries.items() if key.startswith(prefix)
        }
        for key in given.keys() - declared.keys():
            text = f"the execution provider {self.provider.name!r} has no option {quoted(key)}"
            raise ValueError(f"{text}{meant(key, [*declared])}")
        return {**declared, **given}


class _Provider:
    """What C has of a provider at work in one session."""

    def __init__(self, factory: _Factory, instance: Any) -> None:
        self.factory, self.instance = factory, instance
        self.name = factory.provider.name

    def capability(self, graph: int, info: int) -> None:
        """Tell the host which nodes the provider takes."""
        factory = self.factory
        at = ffi.cast("OrtEpGraphSupportInfo*", info)
        options = ffi.new("OrtNodeFusionOptions*", (factory.api.version, True))
        with ModelGraph(factory.api, ffi.cast("const OrtGraph*", graph)) as borrowed:
            for nodes in self._groups(borrowed):
                array = ffi.new("const OrtNode*[]", [node._pointer for node in nodes])
                factory.call("EpGraphSupportInfo_AddNodesToFuse", at, array, len(nodes), options)

    def _groups(self, graph: ModelGraph) -> list[list[ModelNode]]:
        try:
            return self._checked_groups(graph)
        except Exception as error:
            if self.factory.api.is_core:
                raise
            # A real library would only log it, and take no nodes for the provider either.
            report(error, f"the capability of the execution provider {self.name!r}")
            return []

    def _checked_groups(self, graph: ModelGraph) -> list[list[ModelNode]]:
        groups: list[list[ModelNode]] = []
        taken: set[ModelNode] = set()
        taken_groups = self.instance.capability(graph)
        if not isinstance(taken_groups, Iterable):
            raise TypeError(
                f"{self.name}: capability must return a list of nodes or of groups of nodes, "
                f"not {taken_groups!r}"
            )
        for group in taken_groups:
            nodes: list[Any] = [group] if isinstance(group, (ModelNode, str)) else list(group)
            for node in nodes:
                self._check_node(node, graph, taken)
                taken.add(node)
            if not nodes:
                raise ValueError(f"{self.name}: a group must have nodes")
            groups.append(nodes)
        return groups

    def _check_node(self, node: Any, graph: ModelGraph, taken: set[ModelNode]) -> None:
        if not isinstance(node, ModelNode) or node.graph != graph:
            hint = ": give the node itself, and not its name" if isinstance(node, str) else ""
            text = f"groups must be of nodes of the graph, not of {node!r}{hint}"
            raise TypeError(f"{self.name}: {text}")
        if node in taken:
            raise ValueError(f"{self.name}: a node must be in one group, but {node!r} is in two")

    def compile(self, graphs: int, fused: int, count: int) -> tuple[Any, ...]:
        """Return an op for each group."""
        parts = ffi.cast("const OrtGraph**", graphs)
        nodes = ffi.cast("const OrtNode**", fused)
        return tuple(self._compile(parts[i], nodes[i]) for i in range(count))

    def _compile(self, graph: Any, fused: Any) -> Any:
        api = self.factory.api
        with ModelGraph(api, graph) as borrowed, ModelGraph(api, graph) as around:
            node: ModelNode = part_at(around, fused, ModelNode)
            definition = _Compiled(
                f"{self.name}: {', '.join(node.outputs)}",
                self.instance.compile(borrowed),
                borrowed,
                node,
                borrow=self.factory.provider._borrow,
            )
        outputs = (
            (*each, shape)
            for each, shape in zip(definition.outputs, definition.output_shapes, strict=True)
        )
        return op_struct(api, definition.full_name, definition.inputs, outputs, definition)


class _Compiled(Definition):
    """The op that a compiled group is."""

    def __init__(
        self, name: str, function: Any, graph: ModelGraph, node: ModelNode, *, borrow: bool
    ) -> None:
        if not callable(function) or isinstance(function, type):
            hint = ""
            if isinstance(function, (list, tuple)):
                hint = "; it is called once for each group, and returns one function"
            elif isinstance(function, type):
                hint = "; give an object of the class"
            raise TypeError(f"{name}: compile must return a function, not {function!r}{hint}")
        made = {value.name: value for value in graph.outputs}
        ports = [tuple(value.name for value in graph.inputs), tuple(made)]
        if ports != [node.inputs, node.outputs]:
            function = _reordered(function, node, graph)
        types = [made[each]._borrowed_type() for each in node.outputs]
        tensors = [None if each is None else each.tensor_info for each in types]
        self.output_shapes = [_lengths(each and each.shape) for each in tensors]
        self.containers = [None if tensors[i] else _container_type(t) for i, t in enumerate(types)]
        self.optional = [not tensors[i] and _is_optional(t) for i, t in enumerate(types)]
        if not graph.api.is_core and (any(self.containers) or any(self.optional)):
            text = f"{name}: kernels can make sequences, maps and optionals on the core only"
            raise NotImplemented(text, "KernelContext_GetOutput")
        super().__init__(
            name,
            function,
            inputs=tuple(_operand(0) for _ in node.inputs),
            outputs=tuple(_operand(each.element_type if each else 0) for each in tensors),
            attributes=(),
            shapes=None,
            borrow=borrow,
        )
        if self.out_mode:
            self.shapes, self.out_mode = _shapes(graph, node), 2

    def make(self, api: int, version: int, info: int) -> tuple[Any, None, int, bool]:
        """Return what to call; the node has no attributes, and no info."""
        del api, version, info
        return self.function, None, self.out_mode, self.borrow

    def array(self, index: int, element: int, result: Any) -> Any:
        """Do the same, for results that are no list of outputs."""
        if isinstance(result, (tuple, list)):
            kind = type(result).__name__
            raise TypeError(f"{self.full_name}: output {index} must be an array, not a {kind}")
        return super().array(index, element, result)

    def write(  # noqa: PLR0913, PLR0917  # as many as C has to say
        self, api: int, version: int, context: int, index: int, element: int, result: Any
    ) -> None:
        """Do the same for results whose shape the model says, and for other types."""
        if result is None and self.optional[index]:
            return  # what is not made holds nothing
        if self.containers[index] is not None:
            self._set_container(api, version, context, index, result)
            return
        declared, shape = self.output_shapes[index], np.shape(result)
        if declared is not None and not _fits(shape, declared):
            self.refuse_shape(index, shape)
        super().write(api, version, context, index, element, result)

    def _set_container(self, api: int, version: int, context: int, index: int, result: Any) -> None:
        kind, element = self.containers[index] or (None, None)
        subject, table = f"{self.full_name}: output {index}", table_of(api, version)
        make = _map if kind is ValueKind.MAP else _sequence
        with make(subject, result, element, table) as value:
            at = ffi.cast("OrtKernelContext*", context)
            function = host_function("OrtcoreKernelSetOutput")
            call_host("OrtcoreKernelSetOutput", function, at, index, value.handle)

    def refuse_shape(self, index: int, shape: tuple[int, ...]) -> NoReturn:
        """Raise for an output that has another shape than in the model."""
        declared = ["?" if each < 0 else each for each in self.output_shapes[index] or ()]
        text = f"output {index} has the shape {[*shape]}, and {declared} in the model"
        raise ValueError(f"{self.full_name}: {text}")


def _container_type(info: TypeInfo | None) -> tuple[ValueKind, int | None] | None:
    """Return the kind of a sequence or map, and the type of its elements; None for other types."""
    if info is not None and _is_optional(info):
        return _container_type(info.contained)
    if info is None or info.kind not in (ValueKind.SEQUENCE, ValueKind.MAP):
        return None
    return ValueKind(info.kind), contained_element(info)


def _is_optional(info: TypeInfo | None) -> bool:
    return info is not None and info.kind is ValueKind.OPTIONAL


def _sequence(subject: str, x: Any, element: int | None, api: "Api") -> Value:
    items = sequence_items(subject, x, element)
    if items or element is None:
        return Value.sequence(items, api=api)
    return empty_sequence_on_core(api, element)


def _map(subject: str, x: Any, element: int | None, api: "Api") -> Value:
    dtype = None if element is None else dtype_of(element)
    return Value.map(mapping(subject, x), dtype, api=api)


def _lengths(shape: Any) -> tuple[int, ...] | None:
    """Return a shape as C is given it: -1 for what is free."""
    return None if shape is None else tuple(n if isinstance(n, int) else -1 for n in shape)


def _fits(shape: tuple[int, ...], declared: tuple[int, ...]) -> bool:
    pairs = zip(shape, declared, strict=False)
    return len(shape) == len(declared) and all(m in (n, -1) for n, m in pairs)


def _shapes(graph: ModelGraph, node: ModelNode) -> Callable[..., Any]:
    """Return a function from the shapes of named inputs to those of named outputs."""
    taken = [graph.values[name].shape for name in node.inputs]
    wanted = [graph.values[name].shape for name in node.outputs]

    def shapes(*inputs: Any) -> Any:
        lengths = {
            name: length
            for declared, given in zip(taken, inputs, strict=True)
            for name, length in zip(declared or (), given or (), strict=False)
            if isinstance(name, str)
        }
        found = [
            each and tuple(lengths.get(n, n) if isinstance(n, str) else n for n in each)
            for each in wanted
        ]
        return found if len(found) > 1 else found[0]

    return shapes


def _operand(element: Any) -> Operand:
    return Operand(ElementType(element), Characteristic.REQUIRED, MemType.DEFAULT, 1, True)


def _reordered(function: Any, node: ModelNode, graph: ModelGraph) -> Any:
    """Return the function for a node whose inputs have another order than the graph's."""
    inputs, outputs = (
        [names.index(value.name) for value in values]
        for names, values in ((node.inputs, graph.inputs), (node.outputs, graph.outputs))
    )
    back = sorted(range(len(outputs)), key=outputs.__getitem__)

    def call_reordered(*arrays: Any) -> Any:
        results = function(*(arrays[i] for i in inputs))
        return tuple(results[i] for i in back) if len(back) > 1 else results

    def call_with_out(*arrays: Any, out: Any) -> Any:
        given = tuple(out[i] for i in outputs) if len(back) > 1 else out
        results = function(*(arrays[i] for i in inputs), out=given)
        return tuple(results[i] for i in back) if len(back) > 1 and results is not None else results

    return call_with_out if takes_out(function) else call_reordered
