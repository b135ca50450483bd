# SPDX-License-Identifier: MIT
"""What a library says of a model that it has loaded: ports, memory, devices, profiles."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT32, decode, encode, integer, mapping, of_type_or_none
from ortcffi._handle import owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.env.env import Env
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo
from ortcffi.session.compiled import Engine
from ortcffi.values.element_types import ElementType, ValueKind

if TYPE_CHECKING:
    from ortcffi._compiled import Port
    from ortcffi.ep.devices import EpDevice
    from ortcffi.models.metadata import ModelMetadata
    from ortcffi.session.profile import Profile
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import ValueSpec


@public
class Loaded(Engine):
    """A model that a library has loaded, without what makes and ends it: see `Session`."""

    __slots__ = ("_arena", "_number", "_options", "_source", "_specs")

    _arena: int | None  # the number of the environment's arena when the session was made
    _number: int  # of the sessions made here; 0 for a session that other code owns
    _options: Any  # as the library was given them
    _source: Any  # the path or the bytes; None for a model that was made in Python
    _specs: "tuple[tuple[ValueSpec, ...], ...] | None"  # from their first use on

    def __new__(cls, *_arguments: Any, **_options: Any) -> Self:
        """Return a session that no library knows."""
        made = super().__new__(cls)
        made._arena = made._options = made._source = made._specs = None
        made._number = 0
        return made

    def _all_specs(self) -> "tuple[tuple[ValueSpec, ...], ...]":
        if self._specs is None:
            inputs, outputs, required = self._ports(
                lambda: owner_of("OrtTypeInfo*", self.api, lib.ReleaseTypeInfo)
            )
            parts = inputs[:required], inputs[required:], outputs
            specs = tuple(tuple(_spec(self.api, port) for port in part) for part in parts)
            if self._specs is None:  # another thread may have been first
                self._specs = specs
        return self._specs

    @property
    def inputs(self) -> "tuple[ValueSpec, ...]":
        """The inputs of the model, in its order.

        API functions: ``SessionGetInputCount``, ``SessionGetInputName``,
        ``SessionGetInputTypeInfo``.
        """
        return self._all_specs()[0]

    @property
    def overridable_initializers(self) -> "tuple[ValueSpec, ...]":
        """Inputs that the model has a default for.

        API functions: ``SessionGetOverridableInitializerCount``,
        ``SessionGetOverridableInitializerName``, ``SessionGetOverridableInitializerTypeInfo``.
        """
        return self._all_specs()[1]

    @property
    def outputs(self) -> "tuple[ValueSpec, ...]":
        """The outputs of the model, in its order.

        API functions: ``SessionGetOutputCount``, ``SessionGetOutputName``,
        ``SessionGetOutputTypeInfo``.
        """
        return self._all_specs()[2]

    def _call(self, slot: str, *arguments: Any) -> None:
        self.api._call(slot, self.handle, *arguments)

    @property
    def metadata(self) -> "ModelMetadata":
        """The model's metadata. API function: ``SessionGetModelMetadata``."""
        from ortcffi.models.metadata import read_metadata

        return read_metadata(self, "SessionGetModelMetadata")

    # --- memory -----------------------------------------------------------------------------------

    def allocator(self, info: MemoryInfo | None = None) -> Allocator:
        """Return the allocator that the session uses for a kind of memory.

        It keeps the session. Its `~Allocator.stats` are those of the session's arena. API function:
        ``CreateAllocator``, since version 5.

        Parameters
        ----------
        info : MemoryInfo, optional
            The memory, by default the CPU's.
        """
        api = self.api
        of_type_or_none("info", info, MemoryInfo)
        if info is not None and not api.same_library(info.api):
            raise ValueError(f"info belongs to {info.api}, and the session to {api}")
        described = api.cpu_memory_info() if info is None else info
        # The handle keeps the session until the allocator has gone.
        made = Allocator.__new__(Allocator)
        out = made._begin_handle(api, self, release=lib.ReleaseAllocator)
        self._call("CreateAllocator", described.handle, out)
        made._open_allocator()
        return made

    def shrink(self) -> None:
        """Return the unused memory of the session's arena to the system.

        The arena may be one that sessions share. If its chunks double, which is the default, it
        keeps the first of them. Outputs that are still in use keep the chunks that they are in. API
        function: ``Run``, whose options have the entry ``memory.enable_memory_arena_shrinkage`` and
        are terminated, so that no node runs; the inputs have no elements where the model allows
        that.

        Raises
        ------
        InvalidArgument
            The session has no arena.
        NotImplemented
            The library is the core, whose sessions have none.
        """
        from ortcffi.session.limits import shrink

        shrink(self)

    @property
    def input_memory(self) -> list[MemoryInfo]:
        """Where the session wants its inputs.

        API function: ``SessionGetMemoryInfoForInputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForInputs", len(self.inputs))

    @property
    def output_memory(self) -> list[MemoryInfo]:
        """Where the session makes its outputs.

        API function: ``SessionGetMemoryInfoForOutputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForOutputs", len(self.outputs))

    def _infos(self, slot: str, count: int) -> list[MemoryInfo]:
        out = ffi.new("const OrtMemoryInfo*[]", count)
        handle = self.handle  # keeps the session, also after it is closed
        self._call(slot, out, count)
        return [MemoryInfo(self.api, out[i], parent=handle) for i in range(count)]

    # --- execution providers ----------------------------------------------------------------------

    @property
    def input_devices(self) -> "list[EpDevice | None]":
        """The devices of inputs, None for one that has none.

        API function: ``SessionGetEpDeviceForInputs``, since version 23.
        """
        return self._devices("SessionGetEpDeviceForInputs", len(self.inputs))

    @property
    def output_devices(self) -> "list[EpDevice | None]":
        """The devices of outputs, None for one that has none.

        API function: ``SessionGetEpDeviceForOutputs``, since version 24.
        """
        return self._devices("SessionGetEpDeviceForOutputs", len(self.outputs))

    def _devices(self, slot: str, count: int) -> "list[EpDevice | None]":
        from ortcffi.ep.devices import EpDevice

        out = ffi.new("const OrtEpDevice*[]", count)
        handle = self.handle  # keeps the session, and so its environment
        self._call(slot, out, count)
        env = Env(api=self.api)
        return [EpDevice._of(self.api, each, handle, env) if each else None for each in out]

    @property
    def assignment(self) -> dict[str, list[str]]:
        """Which nodes run on which execution provider: names of provider and of operators.

        The session needs the configuration entry ``session.record_ep_graph_assignment_info`` to be
        ``"1"``. API functions: ``Session_GetEpGraphAssignmentInfo``,
        ``EpAssignedSubgraph_GetEpName``, ``EpAssignedSubgraph_GetNodes``,
        ``EpAssignedNode_GetName``, ``EpAssignedNode_GetDomain``,
        ``EpAssignedNode_GetOperatorType``, since version 24.

        Raises
        ------
        Fail
            The session was made without that entry.
        """
        from ortcffi.session.providers import assigned_groups

        found: dict[str, list[str]] = {}
        for provider, nodes in assigned_groups(self):
            found.setdefault(provider, []).extend(node.op_type for node in nodes)
        return found

    def set_ep_options(self, options: Mapping[str, str]) -> None:
        """Change options of execution providers while the session lives.

        API function: ``SetEpDynamicOptions``, since version 20.
        """
        pairs = mapping("options", options)
        keys = [ffi.new("char[]", encode("a key", key)) for key in pairs]
        values = [ffi.new("char[]", encode("a value", value)) for value in pairs.values()]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        self._call("SetEpDynamicOptions", *arrays, len(pairs))

    def release_captured_graph(self, annotation: int) -> None:
        """Release a graph that an execution provider captured in runs of that annotation.

        API function: ``SessionReleaseCapturedGraph``, since version 27.
        """
        self._call("SessionReleaseCapturedGraph", integer("annotation", annotation, INT32))

    # --- profiles ---------------------------------------------------------------------------------

    def end_profiling(self) -> "Profile":
        """End the profile that the options of the session began, and read it.

        API function: ``SessionEndProfiling``.

        Raises
        ------
        ValueError
            The session has no profile: set `SessionOptions.profiling` before it is made.
        """
        from ortcffi.session.profile import read_profile

        path = self._end_profile()
        if not path:
            raise ValueError("this Session has no profile: set SessionOptions.profiling for it")
        return read_profile(path)

    def _end_profile(self) -> str:
        """End the profile and return its path, "" if there is none."""
        from ortcffi.memory.blocks import scratch_for

        out, allocator = ffi.new("char**"), scratch_for(self.api)
        self._call("SessionEndProfiling", allocator, out)
        return decode(out[0])

    @property
    def profiling_start(self) -> int:
        """When the profile began, in nanoseconds of the library's clock.

        API function: ``SessionGetProfilingStartTimeNs``, since version 5.
        """
        out = ffi.new("uint64_t*")
        self._call("SessionGetProfilingStartTimeNs", out)
        return int(out[0])


def _spec(api: "Api", port: "Port") -> "ValueSpec":
    from ortcffi.values.type_info import TypeInfo, ValueSpec

    name, owner = port
    # Borrowed: an interrupt, or another thread, may want a spec of the same port.
    info = TypeInfo(api, owned_by(owner), parent=owner)
    tensor = info.tensor_info
    shape = None if tensor is None else tensor.shape
    if shape == () and not api.supports("TensorTypeAndShape_HasShape"):
        shape = None  # a scalar's, or unknown
    lengths = None if shape is None else tuple(-1 if each is None else each for each in shape)
    element_type = None if tensor is None else ElementType(tensor.element_type)
    return ValueSpec(name, info, ValueKind(info.kind), element_type or None, lengths)
