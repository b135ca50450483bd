# SPDX-License-Identifier: MIT
"""What a session tells beside its inputs and outputs: metadata, memory, devices, profiles."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT32, decode, encode, integer, mapping, of_type
from ortcffi._handle import out_of, owner_of
from ortcffi._native import Token, ffi, lib
from ortcffi._public import described_by, public
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import checked
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo
from ortcffi.memory.scratch import scratch_for
from ortcffi.options.run import RunOptions
from ortcffi.session.metadata import ModelMetadata, read_metadata
from ortcffi.session.profile import Profile, profiling, read_profile
from ortcffi.session.specs import Described

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ortcffi._ort import OrtSession

__all__ = ["Facts"]


@public
class Facts(Described):
    """The part of a session that tells facts and changes settings."""

    __slots__ = ("_options", "_python", "_recorder", "_source")

    _options: Any  # as the library was given them
    _python: str  # what may call Python in a run
    _recorder: Any  # makes the options of runs that are profiled, in `profiling`
    _source: Any  # the path or the bytes; None for a model that was made in Python

    @property
    def handle(self) -> "OrtSession":
        """The cdata to pass to functions of ``lib``; it keeps the session while it lives."""
        # The collector clears no method, so that the owner can call it whenever it ends.
        owner = Token("OrtSession*", self._take_back, None)
        self._hand_out(owner)
        owned: OrtSession = ffi.from_buffer(owner.type, owner)  # type: ignore[assignment]
        return owned

    def _call(self, slot: str, *arguments: Any) -> None:
        handle, api = self.handle, self.api
        api.require(slot)
        getattr(checked, slot)(api.pointer, handle, *arguments)

    @property
    def metadata(self) -> ModelMetadata:
        """What the model says of itself. API function: ``SessionGetModelMetadata``."""
        return read_metadata(self)

    # --- memory -----------------------------------------------------------------------------------

    def allocator(self, info: MemoryInfo | None = None) -> Allocator:
        """Return the allocator that the session uses for a kind of memory.

        It keeps the session. Its `~Allocator.stats` are those of the session's arena.

        Parameters
        ----------
        info : MemoryInfo, optional
            The memory, by default the CPU's.

        Notes
        -----
        API function: ``CreateAllocator``, since version 5.
        """
        api = self.api
        of_type("info", info, MemoryInfo)
        if info is not None and not api.same_library(info.api):
            raise ValueError(f"info belongs to {info.api}, and the session to {api}")
        described = api.cpu_memory_info() if info is None else info
        # The handle keeps the session until the allocator has gone.
        owner = owner_of("OrtAllocator*", api, lib.ReleaseAllocator, self.handle)
        self._call("CreateAllocator", described.handle, out_of(owner))
        return Allocator(api, owner)

    @property
    def input_memory(self) -> list[MemoryInfo]:
        """Where the session wants its inputs.

        Notes
        -----
        API function: ``SessionGetMemoryInfoForInputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForInputs", len(self.inputs))

    @property
    def output_memory(self) -> list[MemoryInfo]:
        """Where the session makes its outputs.

        Notes
        -----
        API function: ``SessionGetMemoryInfoForOutputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForOutputs", len(self.outputs))

    def _infos(self, slot: str, count: int) -> list[MemoryInfo]:
        out = ffi.new("const OrtMemoryInfo*[]", count)
        handle = self.handle  # keeps the session, also after it is closed
        self._call(slot, out, count)
        return [MemoryInfo(self.api, out[i], lender=handle) for i in range(count)]

    # --- execution providers ----------------------------------------------------------------------

    @property
    def input_devices(self) -> list[EpDevice | None]:
        """The devices of inputs, None for one that has none.

        Notes
        -----
        API function: ``SessionGetEpDeviceForInputs``, since version 23.
        """
        return self._devices("SessionGetEpDeviceForInputs", len(self.inputs))

    @property
    def output_devices(self) -> list[EpDevice | None]:
        """The devices of outputs, None for one that has none.

        Notes
        -----
        API function: ``SessionGetEpDeviceForOutputs``, since version 24.
        """
        return self._devices("SessionGetEpDeviceForOutputs", len(self.outputs))

    def _devices(self, slot: str, count: int) -> list[EpDevice | None]:
        out = ffi.new("const OrtEpDevice*[]", count)
        handle = self.handle  # keeps the session, and so its environment
        self._call(slot, out, count)
        return [EpDevice(self.api, each, lender=handle) if each else None for each in out]

    @property
    def assignment(self) -> dict[str, list[str]]:
        """Which nodes run on which execution provider: names of provider and of operators.

        The session needs the configuration entry ``session.record_ep_graph_assignment_info`` to be
        ``"1"``.

        Notes
        -----
        API functions: ``Session_GetEpGraphAssignmentInfo``, ``EpAssignedSubgraph_GetEpName``,
        ``EpAssignedSubgraph_GetNodes``, ``EpAssignedNode_GetName``, ``EpAssignedNode_GetDomain``,
        ``EpAssignedNode_GetOperatorType``, since version 24.
        """
        found: dict[str, list[str]] = {}
        for provider, nodes in self._assigned():
            found.setdefault(provider, []).extend(op for _name, _domain, op in nodes)
        return found

    def _assigned(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        """Of each group of nodes its execution provider, and name, domain and operator of each."""
        out, count = ffi.new("const OrtEpAssignedSubgraph* const**"), ffi.new("size_t*")
        handle = self.handle  # what is read belongs to the session
        self._call("Session_GetEpGraphAssignmentInfo", out, count)
        found = []
        for i in range(count[0]):
            provider = self._text("EpAssignedSubgraph_GetEpName", out[0][i])
            nodes, number = ffi.new("const OrtEpAssignedNode* const**"), ffi.new("size_t*")
            self._read("EpAssignedSubgraph_GetNodes", out[0][i], nodes, number)
            found.append((provider, [self._node(nodes[0][j]) for j in range(number[0])]))
        del handle
        return found

    def _node(self, node: Any) -> tuple[str, str, str]:
        return (
            self._text("EpAssignedNode_GetName", node),
            self._text("EpAssignedNode_GetDomain", node),
            self._text("EpAssignedNode_GetOperatorType", node),
        )

    def _read(self, slot: str, *arguments: Any) -> None:
        getattr(checked, slot)(self.api.pointer, *arguments)

    def _text(self, slot: str, subject: Any) -> str:
        out = ffi.new("const char**")
        self._read(slot, subject, out)
        return decode(out[0])

    def set_ep_options(self, options: Mapping[str, str]) -> None:
        """Change options of execution providers while the session lives.

        Notes
        -----
        API function: ``SetEpDynamicOptions``, since version 20.
        """
        pairs = mapping("options", options)
        keys = [ffi.new("char[]", encode("a key", key)) for key in pairs]
        values = [ffi.new("char[]", encode("a value", value)) for value in pairs.values()]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        self._call("SetEpDynamicOptions", *arrays, len(pairs))

    def release_captured_graph(self, annotation: int) -> None:
        """Release a graph that an execution provider captured in runs of that annotation.

        Notes
        -----
        API function: ``SessionReleaseCapturedGraph``, since version 27.
        """
        self._call("SessionReleaseCapturedGraph", integer("annotation", annotation, INT32))

    # --- profiles ---------------------------------------------------------------------------------

    def end_profiling(self) -> Profile:
        """End the profile that the options of the session began, and read it.

        Raises
        ------
        ValueError
            The session has no profile: set `SessionOptions.profiling` before it is made.

        Notes
        -----
        API function: ``SessionEndProfiling``.
        """
        path = self._end_profile()
        if not path:
            raise ValueError("this Session has no profile: set SessionOptions.profiling for it")
        return read_profile(path)

    def _end_profile(self) -> str:
        """End the profile and return its path, "" if there is none."""
        out, allocator = ffi.new("char**"), scratch_for(self.api)
        self._call("SessionEndProfiling", allocator, out)
        return decode(out[0])

    @property
    def profiling_start(self) -> int:
        """When the profile began, in nanoseconds of the library's clock.

        Notes
        -----
        API function: ``SessionGetProfilingStartTimeNs``, since version 5.
        """
        out = ffi.new("uint64_t*")
        self._call("SessionGetProfilingStartTimeNs", out)
        return int(out[0])

    @described_by(profiling)
    def profiling(self) -> "AbstractContextManager[Profile]":
        return profiling(self)

    def run_profiled(
        self,
        /,
        feed: Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        *,
        out: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        **inputs: Any,
    ) -> tuple[list[Any], Profile]:
        """Run the model once and return its outputs and the profile of this run.

        Takes what `run` takes but options.

        Notes
        -----
        API functions: ``Run``, ``RunOptionsEnableProfiling``, since version 25.
        """
        import glob
        import os
        import tempfile

        with tempfile.TemporaryDirectory() as folder, RunOptions(self.api) as options:
            options.profiling = os.path.join(folder, "run")
            results = self.run(feed, outputs, options=options, out=out, timeout=timeout, **inputs)
            (path,) = glob.glob(os.path.join(glob.escape(folder), "*.json"))
            return results, read_profile(path)

    # --- pickling ---------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed:
            raise ValueError("this Session is closed")
        from ortcffi.session.pickling import parts_of

        return parts_of(self)

    def __copy__(self) -> Self:
        raise TypeError("a Session is not copied: threads share it")

    def __deepcopy__(self, _memo: object) -> Self:
        raise TypeError("a Session is not copied: threads share it")
