# SPDX-License-Identifier: MIT
"""Loops over arenas: the core's, and that of another library's session."""

from dataclasses import dataclass
from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.errors import check

from .subjects import Subject
from .tasks import Loop, Task

MODEL = bytes.fromhex(
    "08083a370a100a017812017922084964656e746974791201675a0f0a0178120a0a08080112040a020801620f0a0179"
    "120a0a08080112040a0208014202100d"
)
"""A model of one node, Identity: only by a session can clients get the arena of other libraries."""


@dataclass(frozen=True)
class ArenaLoop:
    """A loop over an arena with default settings. Called with a subject, makes the task.

    Attributes
    ----------
    loop : Loop
        The loop.
    """

    loop: Loop

    def __call__(self, subject: Subject) -> "ArenaTask":
        """The task that runs it over a subject's arena."""
        return ArenaTask(self.loop, subject)


class ArenaTask(Task):
    """A loop in C over the arena of a new environment."""

    def __init__(self, loop: Loop, subject: Subject) -> None:
        if subject.api is None:
            raise ValueError(f"subject {subject.name} has no table that Python can call")
        self._api = subject.api.pointer
        self._task = loop(subject)
        self._env = self._make("CreateEnv", "OrtEnv**", lib.ORT_LOGGING_LEVEL_ERROR, b"bench")
        self._info = self._make(
            "CreateCpuMemoryInfo", "OrtMemoryInfo**", lib.OrtArenaAllocator, lib.OrtMemTypeDefault
        )
        self._session = self._allocator = ffi.NULL
        self._call("CreateAndRegisterAllocator", self._env, self._info, ffi.NULL)
        if subject.api.is_core:
            arena = self._make("GetSharedAllocator", "OrtAllocator**", self._env, self._info)
        else:
            arena = self._allocator = self._of_session()
        self._task.replace_allocator(arena)

    def _call(self, name: str, *arguments: Any) -> None:
        check(self._api, getattr(lib, name)(self._api, *arguments), name)

    def _make(self, name: str, kind: str, *arguments: Any) -> Any:
        out = ffi.new(kind)
        self._call(name, *arguments, out)
        return out[0]

    def _of_session(self) -> Any:
        options = self._make("CreateSessionOptions", "OrtSessionOptions**")
        self._call("AddSessionConfigEntry", options, b"session.use_env_allocators", b"1")
        model = ffi.from_buffer(MODEL)
        self._session = self._make(
            "CreateSessionFromArray", "OrtSession**", self._env, model, len(MODEL), options
        )
        lib.ReleaseSessionOptions(self._api, options)
        return self._make("CreateAllocator", "OrtAllocator**", self._session, self._info)

    def prepare(self) -> None:
        """Finds out how many operations fit into a sample."""
        self._task.prepare()

    def sample(self) -> float:
        """Nanoseconds per operation."""
        return self._task.sample()

    def close(self) -> None:
        """Frees the blocks in use and ends the environment."""
        self._task.close()
        if self._session != ffi.NULL:
            lib.ReleaseAllocator(self._api, self._allocator)
            lib.ReleaseSession(self._api, self._session)
        self._call("UnregisterAllocator", self._env, self._info)
        lib.ReleaseMemoryInfo(self._api, self._info)
        lib.ReleaseEnv(self._api, self._env)
