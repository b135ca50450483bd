# SPDX-License-Identifier: MIT
"""Execution providers written in Python; ``boundary/models/python_ep.c`` says what C calls."""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ortcffi._convert import encode, optional_mapping
from ortcffi._native import extension_path, ffi, lib
from ortcffi._public import meant, public, quoted
from ortcffi.callbacks.from_c import report
from ortcffi.ep.hardware import HardwareDevice, HardwareType
from ortcffi.ep.installed import PYTHON_EPS, REFERENCE
from ortcffi.ep.registered import definition_of
from ortcffi.errors import check
from ortcffi.kernels.definition import remember_table
from ortcffi.kernels.op_sets import table_of_base
from ortcffi.kernels.python_op import op_struct
from ortcffi.models.compiled_group import CompiledGroup
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.parts import ModelNode, part_at
from ortcffi.models.view import listed
from ortcffi.status import KeyValuePairs

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
        self._function, self._takes = function, takes

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        """Make an object of the class."""
        return self._function(*arguments, **keywords)

    @property
    def path(self) -> str:
        """The path of the library, which is the same for all providers."""
        return extension_path()

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<PythonEp {self.name!r}>"


@public
def execution_provider(  # as many as there are facts
    name: str,
    *,
    devices: Devices = "CPU",
    options: Mapping[str, str] | None = None,
    vendor: str = "",
    version: str = "0.0.0",
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
    may be called by several threads at once. The arrays are those of a `custom_op`.
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
    encode("name", name)  # or the decorator without an argument would do nothing

    def define(function: Callable[..., Any]) -> PythonEp:
        made = PythonEp(name, function, devices, options, vendor, version)
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


def make_factory(text: int, base: int, *places: int) -> tuple[Any, ...] | int:
    """Serve ``CreateEpFactories``."""
    name = ffi.string(ffi.cast("const char*", text)).decode()
    watched = sys.modules.get("ortcffi.ep.watched")
    made: int | None = None if watched is None else watched.create(name, base, *places)
    if made is not None:
        return made
    api = table_of_base(ffi.cast("OrtApiBase*", base))
    found = definition_of(name)
    provider = found if isinstance(found, PythonEp) else python_ep(name)
    factory = _Factory(provider, api)
    facts = provider.name, provider.vendor, provider.version
    return factory, remember_table(api), api.version, *facts


def release_factory(factory: int) -> int | None:
    """Serve ``ReleaseEpFactory`` for a factory of a watched library; None for others."""
    watched = sys.modules.get("ortcffi.ep.watched")
    return None if watched is None else watched.release(factory)


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
            definition = CompiledGroup(
                f"{self.name}: {', '.join(node.outputs)}",
                self.instance.compile(borrowed),
                borrowed,
                node,
            )
        outputs = (
            (*each, shape)
            for each, shape in zip(definition.outputs, definition.output_shapes, strict=True)
        )
        return op_struct(api, definition.full_name, definition.inputs, outputs, definition)
