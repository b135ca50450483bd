# SPDX-License-Identifier: MIT
"""Sessions of models that are made or changed in Python, by the model editor's functions."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ortcffi._convert import bytes_like, encode, input_path, of_type
from ortcffi._handle import Closing, out_of, owned_by, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public, refuse_pickle
from ortcffi._table import core_api, editor_of
from ortcffi.env.env import Env
from ortcffi.errors import check
from ortcffi.kernels.host import call_host, host_function
from ortcffi.models.editor import Parts, build_model
from ortcffi.models.graph import Graph
from ortcffi.models.model import Model
from ortcffi.models.view import check_model, content_of
from ortcffi.options.for_library import session_options_for
from ortcffi.options.prepacked import PrepackedWeights
from ortcffi.options.session import SessionOptions
from ortcffi.session.creation import Source, borrowed_of
from ortcffi.session.on_core import source_on_core
from ortcffi.session.session import Session
from ortcffi.table.engine import engine_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["ModelEditor"]


@public
class ModelEditor(Closing):
    """A loaded model that is extended before it can be run.

    `apply` adds to the model, `finish` makes the session and ends the editor; so does `close`, and
    a failure of one of them.

    Parameters
    ----------
    model : str, os.PathLike, bytes-like, Model or Graph
        The path or the bytes of a model, or what was read or described in Python.
    options : SessionOptions, optional
        Options of the session.
    api : Api, optional
        The library, as of a `Session`.
    env : Env, optional
        The environment, as of a `Session`.

    Notes
    -----
    Model-editor functions: ``CreateModelEditorSession``, ``CreateModelEditorSessionFromArray``,
    since version 22. API function: ``ReleaseSession``.

    Examples
    --------
    >>> model = Graph()
    >>> _ = model.input("x", "f4", [2]), model.node("Neg", ["x"], ["y"])
    >>> _ = model.output("y", "f4", [2])
    >>> with ModelEditor(model.to_bytes()) as editor:
    ...     more = Graph({"": editor.opset("")})
    ...     _ = more.node("Abs", ["y"], ["z"]), more.output("z", "f4", [2])
    ...     editor.apply(more)
    ...     session = editor.finish()
    >>> session.run({"x": np.array([1, -2], np.float32)})
    [array([1., 2.], dtype=float32)]
    """

    __slots__ = (
        *("__weakref__", "_changes", "_content", "_env", "_handle", "_lock", "_options"),
        *("_owner", "api"),
    )

    def __init__(
        self,
        model: Any,
        options: SessionOptions | None = None,
        *,
        api: "Api | None" = None,
        env: Env | None = None,
    ) -> None:
        if hasattr(self, "_lock"):  # a call under way reads the model and its owner one by one
            raise RuntimeError("this ModelEditor was made before")
        self._handle: Any = None
        self._lock = threading.RLock()  # held while the model is read or changed
        self._changes = False  # whether the thread that holds the lock changes it
        check_model(model)
        of_type("options", options, SessionOptions)
        of_type("env", env, Env)
        self.api = engine_for(api, options, env)
        self._options = session_options_for(self.api, options)
        self._env = Env(api=self.api) if env is None else env
        if not self.api.same_library(self._env.api):
            raise ValueError(f"env belongs to {self._env.api}, and the editor to {self.api}")
        slot, subject = _subject(content_of(model))
        editor = editor_of(self.api, slot)
        if self._options is not None:
            self._options = self._options.clone()
        environment, chosen = self._env.handle, self._options_handle()
        # The environment's handle itself: the collector may take its Env apart before.
        borrowed = None if self._options is None else self._options._alive
        self._content = borrowed_of(subject[0] if len(subject) > 1 else None, self._options)
        keeps = self._env, environment, borrowed, chosen, self._content
        owner = owner_of("OrtSession*", self.api, lib.ReleaseSession, *keeps)
        arguments = editor, environment, *subject, chosen, out_of(owner)
        check(self.api.pointer, getattr(lib, slot)(*arguments))
        self._owner = owner
        self._handle = owned_by(owner)

    def _options_handle(self) -> Any:
        return ffi.NULL if self._options is None else self._options.handle

    def _loaded(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ValueError("this ModelEditor is closed")
        return handle

    def _call(self, slot: str, handle: Any, *arguments: Any) -> None:
        check(self.api.pointer, getattr(lib, slot)(editor_of(self.api, slot), handle, *arguments))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Lock the model, also against callbacks of the library on this thread."""
        with self._lock:
            if self._changes:
                raise RuntimeError("this ModelEditor is changing its model, and called this")
            self._changes = True
            try:
                yield
            finally:
                self._changes = False

    def opset(self, domain: str = "") -> int:
        """The version of an operator set that the model uses.

        Parameters
        ----------
        domain : str, optional
            Its domain; "" is that of ONNX.

        Notes
        -----
        Model-editor function: ``SessionGetOpsetForDomain``.
        """
        out = ffi.new("int*")
        self._loaded()  # raises while `finish` holds the lock
        with self._lock:
            self._call("SessionGetOpsetForDomain", self._loaded(), encode("domain", domain), out)
        return int(out[0])

    def apply(self, graph: Graph) -> None:
        """Add the nodes and initializers of a graph to the model.

        Parameters
        ----------
        graph : Graph
            Its nodes may read what the model makes. If it has inputs, or outputs, they take the
            place of the model's.

        Notes
        -----
        Model-editor function: ``ApplyModelToModelEditorSession``. If it refuses the graph, it may
        have changed the model already, so the editor is closed then.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"graph must be a Graph, not {type(graph).__name__}")
        slot = "ApplyModelToModelEditorSession"
        with self._changing():
            try:
                model = build_model(Parts(self.api, slot), graph, whole=False)
                self._call(slot, self._loaded(), owned_by(model))
            except BaseException:
                self.close()
                raise

    def finish(self, prepacked_weights: PrepackedWeights | None = None) -> Session:
        """Make the model ready to run, and end the editor.

        Parameters
        ----------
        prepacked_weights : PrepackedWeights, optional
            Where sessions share weights that kernels have repacked.

        Returns
        -------
        Session
            The session, which has the options of the editor.

        Notes
        -----
        Model-editor function: ``FinalizeModelEditorSession``. On the core,
        ``ortcore_session_model``, and then as a `Session` of that model.
        """
        of_type("prepacked_weights", prepacked_weights, PrepackedWeights)
        store = None if prepacked_weights is None else prepacked_weights.handle
        with self._changing():
            # Closed from here on: after an interrupt, say, the editor must not use the handle of
            # what belongs to the session.
            handle, owner, content = self._loaded(), self._owner, self._content
            self.close()
            session = Session.__new__(Session)
            slot = "FinalizeModelEditorSession"
            try:
                if self.api.is_core:
                    source = source_on_core(self.api, _model_of(handle, content), self._options)
                else:
                    store_handle = ffi.NULL if store is None else store
                    self._call(slot, handle, self._options_handle(), store_handle)
                    source = Source(partial(_hand_over, owner), store, content)
                session._open(self.api, source, self._options, env=self._env)
            finally:
                del handle, owner, content  # a traceback keeps what has a name here
        return session

    @property
    def closed(self) -> bool:
        """Whether the editor has ended."""
        return self._handle is None

    def close(self) -> None:
        """End the editor. Closing again does nothing."""
        self._handle = self._owner = self._content = None

    __reduce__ = refuse_pickle  # a copy would give the same session away again

    def __repr__(self) -> str:
        return f"<ModelEditor {'closed' if self.closed else f'of {self.api}'}>"


def _hand_over(owner: Any, _env: Any, _options: Any, out: Any) -> None:
    """Give a session what the editor owned."""
    owner._move_handle(address_of(out))


def _model_of(session: Any, content: Any) -> Model:
    """The model of an editor of the core, with the bytes that it reads."""
    owner = owner_of("OrtModel*", core_api(), lib.ReleaseModel, content)
    function = host_function("OrtcoreSessionModel")
    call_host("ortcore_session_model", function, session, out_of(owner))
    return Model(core_api(), owner)


def _subject(model: Any) -> tuple[str, tuple[Any, ...]]:
    """The function that loads a model for editing, and what it is given of the model."""
    if isinstance(model, (str, os.PathLike)):
        return "CreateModelEditorSession", (input_path("model", model),)
    content = bytes_like("model", model)
    return "CreateModelEditorSessionFromArray", (content, len(content))
