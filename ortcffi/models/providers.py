# SPDX-License-Identifier: MIT
"""Execution providers at work on a model, without a session."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode, encode, of_type, optional_mapping
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import meant, public, quoted
from ortcffi._table import core_api, host_function
from ortcffi.custom_ops.describe import read_op
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import check
from ortcffi.kernels.host import call_host
from ortcffi.kernels.make_kernel import make_kernel
from ortcffi.models.model import Model
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.view import content_of, listed
from ortcffi.options.session_options import SessionOptions

if TYPE_CHECKING:
    from ortcffi.kernels.kernel import Kernel
    from ortcffi.models.parts import ModelNode


@public
class EpGroup(NamedTuple):
    """Nodes that an execution provider takes, to be run as one.

    Attributes
    ----------
    nodes : tuple of ModelNode
        The nodes.
    is_fused : bool
        Whether the provider compiles them; otherwise it has a kernel for the one node.
    drops_constants : bool
        Whether the provider has a copy of the constants, so that the group has no inputs for them.
    """

    nodes: "tuple[ModelNode, ...]"
    is_fused: bool
    drops_constants: bool


@public
class EpClaims(Handle):
    """What an execution provider takes of a model. Made by `Ep.capability`."""

    __slots__ = ("_indexes",)

    _pointer, _release = "OrtcoreClaims*", "OrtcoreReleaseClaims"
    _indexes: dict[Any, Any]

    @property
    def model(self) -> Model:
        """The model."""
        _held = self.handle  # raises if closed, and keeps the parents
        model: Model = self._handle_parents[1]
        return model

    @property
    def ep(self) -> "Ep":
        """The provider."""
        _held = self.handle  # raises if closed, and keeps the parents
        ep: Ep = self._handle_parents[0]
        return ep

    @property
    def graph(self) -> ModelGraph:
        """The graph that the nodes are of, as the provider has seen it.

        Constants are initializers in it, and attributes that nodes leave out have their defaults.
        Where the provider wants the channels last (NHWC), those of its nodes that depend on it have
        the domain ``com.ms.internal.nhwc``, between nodes ``Transpose``.
        """
        return ModelGraph._of(self, self.handle.graph, self._indexes)

    @property
    def groups(self) -> tuple[EpGroup, ...]:
        """The groups of nodes, in the order in which the provider named them."""
        claims, graph = self.handle, self.graph
        return tuple(
            EpGroup(
                tuple(graph._node_at(each.nodes[i]) for i in range(each.node_count)),
                bool(each.is_fused),
                bool(each.drops_constants),
            )
            for each in (claims.groups[i] for i in range(claims.group_count))
        )

    @property
    def left(self) -> "tuple[ModelNode, ...]":
        """The nodes that the provider does not take."""
        taken = {node for group in self.groups for node in group.nodes}
        return tuple(node for node in self.graph.nodes if node not in taken)

    def __repr__(self) -> str:
        if self.closed:
            return "<EpClaims closed>"
        taken = sum(len(group.nodes) for group in self.groups)
        return f"<EpClaims of {taken} nodes in {len(self.groups)} groups, {len(self.left)} left>"


class _Compiled(Handle):
    """What a provider has compiled."""

    __slots__ = ()
    _pointer, _release = "OrtcoreCompiled*", "OrtcoreReleaseCompiled"


@public
class CompiledNode:
    """Nodes that an execution provider compiled, or one that it has a kernel for.

    Made by `Ep.compile`.

    Called with its inputs, in their order or by name, it returns a tuple of arrays. Inputs of
    another element type or shape than the model says are refused.

    Attributes
    ----------
    name : str
        The name of the fused node, or of the one in the graph.
    inputs, outputs : tuple of str
        The names of the values that it takes and makes; "" for one that is left out. Constants that
        the provider does not keep are inputs that need not be given.
    constants : frozenset of str
        The inputs that are constants.
    kernel : Kernel
        What computes: a kernel of its own, with the state that the provider made for it.
    """

    __slots__ = ("constants", "inputs", "kernel", "name", "outputs")

    def __init__(self, compiled: Any, node: Any, is_checked: bool) -> None:
        if not isinstance(compiled, _Compiled):
            raise TypeError("compiled nodes are made by Ep.compile")
        out = ffi.new("const char**")
        table = core_api().pointer
        check(table, lib.Node_GetName(table, node.node, out))
        self.name = decode(out[0])
        check(table, lib.Node_GetDomain(table, node.node, out))
        op = read_op(decode(out[0]), node.op)
        self.inputs, self.outputs = (
            tuple(decode(side[i].name) if side[i].name else "" for i in range(count))
            for side, count in ((node.inputs, node.input_count), (node.outputs, node.output_count))
        )
        fixed = [i for i in range(node.input_count) if node.inputs[i].constant]
        self.constants = frozenset(self.inputs[i] for i in fixed)
        self.kernel: Kernel = make_kernel(
            op, node.op, compiled, ffi.NULL, None, node_name=self.name, check=is_checked, _of=node
        )

    def __call__(self, *inputs: Any, **named: Any) -> tuple[Any, ...]:
        """Compute.

        Parameters
        ----------
        *inputs
            As many as there are inputs that are no constants, in their order.
        **named
            Or the same by name.
        """
        wanted = [name for name in self.inputs if name and name not in self.constants]
        for name in named:
            if name not in wanted:
                raise TypeError(f"{quoted(name)} is no input of {self.name}{meant(name, wanted)}")
        if len(inputs) > len(wanted):
            count = f"{len(inputs)}; the inputs are {', '.join(wanted)}"
            raise TypeError(f"{self.name} takes {len(wanted)} arrays, not {count}")
        placed = dict(zip(wanted, inputs, strict=False))
        if twice := placed.keys() & named.keys():
            raise TypeError(f"input {min(twice)!r} of {self.name} was given twice")
        given = {**placed, **named}
        if lacking := [name for name in wanted if name not in given]:
            raise TypeError(f"input {lacking[0]!r} of {self.name} is missing")
        found = self.kernel(*(given.get(name) for name in self.inputs))
        return (found,) if len(self.outputs) == 1 else tuple(found)

    def __repr__(self) -> str:
        inputs, outputs = map(listed, (self.inputs, self.outputs))
        return f"<CompiledNode {quoted(self.name)}: {inputs} -> {outputs}>"


@public
class Ep(Handle):
    """An execution provider, made for some of its devices, without a session.

    Functions of the provider: ``CreateEp``, ``GetCapability``, ``Compile``, ``ReleaseEp``.

    Parameters
    ----------
    devices : EpDevice or iterable of EpDevice
        Devices of the core, all of one provider, such as ``env.register_ep(path).devices``.
    options : mapping of str to str, optional
        The provider's own options.
    config : mapping of str to str, optional
        Configuration entries, as a session would have them.

    Raises
    ------
    OrtError
        The provider cannot be made.
    """

    __slots__ = ()

    _pointer, _release = "OrtcoreEp*", "OrtcoreReleaseEp"

    def __init__(
        self,
        devices: EpDevice | Iterable[EpDevice],
        options: Mapping[str, str] | None = None,
        *,
        config: Mapping[str, str] | None = None,
    ) -> None:
        if isinstance(devices, str) or not isinstance(devices, (EpDevice, Iterable)):
            raise TypeError(
                f"devices must be EpDevices of the core, such as env.register_ep(path).devices, "
                f"not {devices!r}"
            )
        chosen = [devices] if isinstance(devices, EpDevice) else list(devices)
        for i, device in enumerate(chosen):
            if not isinstance(device, EpDevice) or not device.api.is_core:
                raise TypeError(f"devices[{i}] must be an EpDevice of the core, not {device!r}")
        if not chosen:
            raise ValueError("devices must not be empty")
        prefix = f"ep.{chosen[0].name.lower()}."
        own = {}
        for key, text in optional_mapping("options", options).items():
            encode("a name of options", key)
            encode(f"options[{key!r}]", text)
            own[f"{prefix}{key}"] = text
        entries = {**optional_mapping("config", config), **own}
        out = self._begin_handle(core_api(), *chosen, table=ffi.NULL)
        handles = [device.handle for device in chosen]
        with SessionOptions(core_api(), config=entries) as session:
            logger = host_function("OrtcoreLogger")()
            array = ffi.new("const OrtEpDevice*[]", handles)
            given = array, len(chosen), session.handle, logger, out
            call_host("OrtcoreCreateEp", *given, function="CreateEp")
        self._open_handle()

    @property
    def name(self) -> str:
        """The provider's name."""
        return decode(self.handle.name)

    def capability(self, model: Any) -> EpClaims:
        """Ask the provider which nodes it takes.

        Parameters
        ----------
        model : Model, or what `Model.load` takes
            The model. The provider knows of inner values only what its graph says; some need a
            type for each.
        """
        if not isinstance(model, Model):
            model = Model.load(content_of(model))
        graph = model._graph(lib.ORTCORE_GRAPH_FOLDED)
        claims, out = EpClaims._blank(core_api(), self, model, table=ffi.NULL)
        claims._indexes = {}
        call_host("OrtcoreEpClaim", self.handle, graph.handle, out, function="GetCapability")
        claims._open_handle()
        return claims

    def compile(self, claims: EpClaims, *, check: bool = False) -> tuple[CompiledNode, ...]:
        """Have the provider compile what it takes, and find its kernels for single nodes.

        Parameters
        ----------
        claims : EpClaims
            From `capability` of this provider.
        check : bool, optional
            Whether each call looks for mistakes of the provider, as `CheckedKernel` says: it
            computes twice, with inputs and outputs in memory that is guarded.

        Returns
        -------
        tuple of CompiledNode
            One for each group, those that are fused first.
        """
        compiled = self._compile(claims)
        made = compiled.handle
        return tuple(CompiledNode(compiled, made.nodes[i], check) for i in range(made.node_count))

    def _compile(self, claims: EpClaims) -> Handle:
        of_type("claims", claims, EpClaims)
        if claims.ep is not self:
            raise ValueError(f"claims must be of this provider, not of another {claims.ep!r}")
        made, out = _Compiled._blank(core_api(), self, claims.model, table=ffi.NULL)
        call_host("OrtcoreEpCompile", claims.handle, out, function="Compile")
        made._open_handle()
        return made

    def __repr__(self) -> str:
        return "<Ep closed>" if self.closed else f"<Ep {quoted(self.name)}>"
