# SPDX-License-Identifier: MIT
"""``python -m ortcffi check --api HOST PATH``: what a library does when it is registered.

The library is registered in another process, with a trace that counts its calls in shared memory.
So its calls are known even if it crashes or hangs. Then the ops that it registered are read, or the
factories of execution providers.
"""

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ortcffi._convert import absolute
from ortcffi._native import ffi
from ortcffi._public import joined
from ortcffi.cli.check_client_probe import ENTRY, Op
from ortcffi.kernels import child
from ortcffi.table.hosts import emulate, release_of
from ortcffi.table.trace import Figures, Needs
from ortcffi.testing.ep_factories import EP_ENTRY, Factory

SECONDS = 60  # after which a library is reported as hanging
MOST_NAMES = 20  # exported names in the report for people; JSON has all


class Client(NamedTuple):
    """What a library did when it was registered with a host.

    Attributes
    ----------
    path : str
        The library.
    host : str
        The name and version of the host; "" if it could not be used.
    host_version : int
        The API version of the host.
    asked : tuple of int
        The API versions that the library passed to ``GetApi``, ascending.
    granted : bool
        Whether the host has one of them.
    adapts : bool
        Whether it asks an older host for an older version.
    exports : tuple of str or None
        The names that the library exports, sorted; None if they are unknown.
    called : dict of str to int
        The number of calls of each slot.
    needs : Needs
        The lowest API version that has these slots, and what the ops need of their structs.
    ops : tuple of Op
        The ops that it registered.
    factories : tuple of Factory
        The factories that a library of execution providers made, with the core as its host.
    problem : str or None
        What is wrong; None if the library registered ops or factories.
    printed : str
        What it wrote to stderr.
    """

    path: str
    host: str = ""
    host_version: int = 0
    asked: tuple[int, ...] = ()
    granted: bool = False
    adapts: bool = False
    exports: tuple[str, ...] | None = None
    called: dict[str, int] = {}  # noqa: RUF012  # never changed
    needs: Needs = Needs(1, ())
    ops: tuple[Op, ...] = ()
    factories: tuple[Factory, ...] = ()
    problem: str | None = None
    printed: str = ""


def examine(path: str, host: str = "core", seconds: float = SECONDS) -> Client:
    """Register a library in another process and report what it did.

    Raises
    ------
    ValueError
        `path` is not a path, or `host` is a release that the core does not emulate.
    """
    path = absolute("path", path)
    if (release := release_of(host)) is not None:
        emulate(release)
    client = _probe(path, host, seconds)._replace(exports=_exports(path))
    # Either it was compiled for this version, or it read this version in the host's version string.
    version = client.host_version
    if client.asked == (version,) and version > 1:
        older = _probe(path, str(version - 1), seconds)
        return client._replace(adapts=bool(older.asked) and version not in older.asked)
    return client


def older_hosts(client: Client, seconds: float) -> Iterator[Client]:
    """Register a library with each older host for which it has another version to ask for."""
    asked = _probe(client.path, "1", seconds).asked
    if max(client.asked, default=0) in asked:
        for version in asked[:-1]:
            yield _probe(client.path, str(version), seconds)


def _exports(path: str) -> tuple[str, ...] | None:
    from ortcffi.table import elf

    try:
        exports = elf.read(path).exports
    except (OSError, elf.ElfError):
        return None
    return None if exports is None else tuple(sorted(exports))


def _probe(path: str, host: str, seconds: float) -> Client:
    """What a library does with one host."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(ffi.sizeof("OrtcoreFigures"))
        where = "ortcffi.cli.check_client_probe", "answer"
        told, problem, printed = child.ask(*where, path, host, file.name, seconds=seconds)
        counted = file.read()
    read: Any = ffi.from_buffer("OrtcoreFigures*", counted)
    facts: dict[str, Any] = {key: each[key] for each in told for key in each}
    figures, version = Figures(read), facts.get("version", 0)
    found: list[Any] = facts.get("ops", [])
    ops = tuple(Op._make([*op[:-1], tuple(op[-1])]) for op in found)
    made = tuple(
        Factory._make([*each[:-1], tuple(each[-1])]) for each in facts.get("factories", [])
    )
    if not problem and not facts.get("problem"):
        if "ops" in facts and not ops:
            problem = f"{ENTRY} succeeded but registered no op"
        elif "factories" in facts and not made:
            problem = f"{EP_ENTRY} succeeded but made no factory"
            if (wanted := max(figures.asked, default=0)) > version:
                problem += f": it asked for API version {wanted}, which this host does not have"
    return Client(
        path,
        facts.get("host", ""),
        version,
        asked=figures.asked,
        granted=any(asked <= version for asked in figures.asked),
        called=figures.called,
        needs=figures.needs,
        ops=ops,
        factories=made,
        problem=problem or facts.get("problem"),
        printed=printed,
    )


# --- for people -----------------------------------------------------------------------------------


def describe(client: Client) -> str:
    """The report for people."""
    lines = [f"library {client.path}"]
    if client.host:
        lines.append(f"registered with {client.host}")
    if client.asked:
        versions = ", ".join(map(str, client.asked))
        refused = ", ".join(map(str, _refused(client)))
        got = "none" if not client.granted else f"no {refused}" if refused else ""
        lines.append(f"asked for API version {versions}{got and f', and got {got}'}")
    for name, count in client.called.items():
        lines.append(f"called {name}" if count == 1 else f"called {name}, {count} times")
    lines += [
        f"registered {op.domain}:{op.name}, whose struct has API version {op.version}"
        for op in client.ops
    ]
    for factory in client.factories:
        text = f"made the factory {factory.name} {factory.ep_version} of {factory.vendor}"
        lines.append(f"{text}, whose struct has API version {factory.version}")
    if client.exports is not None:
        lines.append(f"exports {_shortened(client.exports)}")
    lines += [f"it printed: {line}" for line in client.printed.splitlines()]
    lines.append(f"PROBLEM: {client.problem}" if client.problem else "ok: it was registered")
    if client.asked:
        lines += _conclude(client)
    return joined(lines, "\n    ")


def _refused(client: Client) -> list[int]:
    """The versions that the library asked for and the host does not have."""
    return [asked for asked in client.asked if asked > client.host_version]


def _shortened(names: Sequence[str]) -> str:
    """Names for people, those of C first: the names of C++ are long and mostly of templates."""
    listed = sorted(names, key=lambda name: name.startswith("_Z"))
    most = max(1, min(MOST_NAMES, sum(not name.startswith("_Z") for name in names)))
    more = len(names) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")


def _conclude(client: Client) -> list[str]:
    # One that gives up where it gets no table may have asked for an older one to say so.
    lowest = min((client.problem and _refused(client)) or client.asked)
    lines = [f"needs a host of API version {lowest} or newer, because it asks for that"]
    if client.adapts:
        lines = ["asks for the API version that the host says it has"]
    structs = max((op.version for op in client.ops), default=1)
    if structs > (1 if client.adapts else lowest):
        lines.append(
            f"needs a host of API version {structs} or newer, because the struct of an op has it"
        )
    if client.called or client.ops:
        lines.append(_enough(client))
    return lines


def _enough(client: Client) -> str:
    """The lowest API version that has what the library uses."""
    version, slots, fields = client.needs
    used = "all that it used" if version == 1 else ", ".join((*slots, *sorted(fields)))
    so_far = " so far" if client.problem else ""
    return f"for what it used{so_far}, API version {version} is enough ({used})"


def as_document(client: Client) -> dict[str, Any]:
    """The same for machines."""
    return client._asdict() | {
        "needs": client.needs._asdict(),
        "ops": [op._asdict() for op in client.ops],
        "factories": [factory._asdict() for factory in client.factories],
    }
