# SPDX-License-Identifier: MIT
"""What a session tells of itself and its model, as programs ask for it."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ortcffi.compat._devices import OrtMemoryInfo
from ortcffi.compat._metadata import ModelMetadata, NodeArg
from ortcffi.compat._options import SessionOptions

if TYPE_CHECKING:
    from ortcffi.compat._assignment import OrtEpAssignedSubgraph
    from ortcffi.compat._hardware import OrtEpDevice

__all__ = ["Facts"]


class Facts:
    """The part of a session that only tells."""

    _sess: Any

    @cached_property
    def _inputs_meta(self) -> list[NodeArg]:
        return self._sess.inputs_meta  # type: ignore[no-any-return]

    @cached_property
    def _outputs_meta(self) -> list[NodeArg]:
        return self._sess.outputs_meta  # type: ignore[no-any-return]

    def get_session_options(self) -> SessionOptions:
        """Return the options of the session."""
        return self._sess.session_options  # type: ignore[no-any-return]

    def get_inputs(self) -> list[NodeArg]:
        """Return the inputs of the model, in the same list each time."""
        return self._inputs_meta

    def get_outputs(self) -> list[NodeArg]:
        """Return the outputs of the model, in the same list each time."""
        return self._outputs_meta

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return the inputs that the model has a default for."""
        return self._sess.overridable_initializers  # type: ignore[no-any-return]

    def get_modelmeta(self) -> ModelMetadata:
        """Return what the model says of itself."""
        return self._sess.model_meta  # type: ignore[no-any-return]

    def get_input_memory_infos(self) -> list[OrtMemoryInfo]:
        """Return where inputs are wanted."""
        return self._sess.input_meminfos  # type: ignore[no-any-return]

    def get_output_memory_infos(self) -> list[OrtMemoryInfo]:
        """Return where outputs are made."""
        return self._sess.output_meminfos  # type: ignore[no-any-return]

    def get_input_epdevices(self) -> list["OrtEpDevice | None"]:
        """Return the devices that inputs are wanted on."""
        return self._sess.input_epdevices  # type: ignore[no-any-return]

    def get_providers(self) -> list[str]:
        """Return the names of the execution providers."""
        return self._sess.get_providers()  # type: ignore[no-any-return]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of the execution providers."""
        return self._sess.get_provider_options()  # type: ignore[no-any-return]

    def get_provider_graph_assignment_info(self) -> "list[OrtEpAssignedSubgraph]":
        """Return which execution providers run which nodes."""
        return self._sess.get_provider_graph_assignment_info()  # type: ignore[no-any-return]

    # Programs also read the attributes that the official functions return.
    _sess_options = property(get_session_options)
    _overridable_initializers = property(get_overridable_initializers)
    _model_meta = property(get_modelmeta)
    _providers = property(get_providers)
    _provider_options = property(get_provider_options)
