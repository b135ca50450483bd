# SPDX-License-Identifier: MIT
"""The subjects of the benchmark: the core, another library, and plain allocators."""

import importlib.util
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

from ortcffi import _bench
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.table.api import Api
from ortcffi.table.load import LoadError, load

TABLE, BLOCKS, VALUES = "table", "blocks", "values"
PYTHON, CORE, NUMPY, SESSIONS = "python", "core", "numpy", "sessions"
EXTENSIONS, CONTENTS = "extensions", "contents"
MODELS, GRAPHS, PROVIDERS = "models", "graphs", "providers"


@dataclass(frozen=True)
class Subject:
    """One column of the benchmark's table.

    Attributes
    ----------
    name : str
        The column's heading, one of `NAMES`.
    origin : str
        Where it comes from: a path, a version.
    can : frozenset of str
        What can be asked of it: `TABLE`, slots of statuses and memory called from C; `VALUES`,
        slots of values called from C; `BLOCKS`, memory; `PYTHON`, slots called from Python, which
        needs a table without gaps; `CORE`, what only the core has; `NUMPY`, memory for NumPy's
        arrays; `SESSIONS`, runs of models, which the core's column has through the real library;
        `EXTENSIONS`, ops of the package onnxruntime-extensions; `PROVIDERS`, the execution
        provider of the package nxrt-ep-cpu; `CONTENTS`, models with sequences
        and maps, which the package onnx makes; `MODELS`, files of models, which it opens, and
        `GRAPHS`, which it shows.
    handle : cdata
        ``ortcffi_bench_subject *``, what the loops in C run over.
    api : Api or None
        The table, for calls from Python.
    aligned : bool
        Whether blocks are asked for with an alignment of 64 bytes.
    """

    name: str
    origin: str
    can: frozenset[str]
    handle: Any
    api: Api | None = None
    aligned: bool = True


class Missing(Exception):
    """A subject is not available; the message is the reason."""


@dataclass(frozen=True)
class Peer:
    """A plain allocator in a shared library, and the names of its functions."""

    soname: str
    take: str
    take_aligned: str
    give: str


PEERS = {
    "glibc": Peer("libc.so.6", "malloc", "aligned_alloc", "free"),
    "mimalloc": Peer("libmimalloc.so.2", "mi_malloc", "mi_aligned_alloc", "mi_free"),
    "jemalloc": Peer("libjemalloc.so.2", "malloc", "aligned_alloc", "free"),
    "tcmalloc": Peer("libtcmalloc_minimal.so.4", "tc_malloc", "tc_memalign", "tc_free"),
}
NAMES = ("core", "real", "floor", *PEERS, "onnx")


def find(name: str, against: str | None = None, aligned: bool = False) -> Subject:
    """One of `NAMES`.

    Parameters
    ----------
    name : str
        Which.
    against : str, optional
        The library that is "real"; by default the one that `ortcffi.load` finds.
    aligned : bool, optional
        Whether plain allocators are asked for blocks aligned to 64 bytes, as a table's allocator
        is, or through ``malloc``, which asks less of them.

    Raises
    ------
    Missing
        It cannot be had on this machine.
    """
    if name == "core":
        subject = _table(name, "", lib.ortcffi_core_api_base())
        return replace(
            subject,
            can=subject.can | {VALUES, PYTHON, CORE, NUMPY, MODELS, GRAPHS} | _models(),
            api=core_api(),
        )
    if name == "real":
        return _real(against)
    if name == "floor":
        base = _bench.lib.ortcffi_bench_floor()
        if base == ffi.NULL:
            raise Missing("its addresses cannot be reserved")
        return _table(name, "checks nothing,", base)
    return _onnx() if name == "onnx" else _peer(name, PEERS[name], aligned)


def _real(against: str | None) -> Subject:
    try:
        api = load(against)
    except (LoadError, ValueError) as error:
        raise Missing(str(error)) from None
    if api.path is None:
        raise Missing("it has no path")
    entry = _symbol(_open(api.path), "OrtGetApiBase")
    subject = _table("real", api.path, ffi.cast("const OrtApiBase*(*)(void)", entry)())
    can = (
        {VALUES, PYTHON, NUMPY, MODELS}
        if api.supports("CreateSession")
        else {VALUES, PYTHON, NUMPY}
    )
    return replace(subject, can=subject.can | can | _models(), api=api)


def _onnx() -> Subject:
    """The package onnx, which reads and writes models."""
    try:
        version = metadata.version("onnx")
    except metadata.PackageNotFoundError:
        raise Missing("pip install onnx") from None
    return Subject("onnx", f"the package, {version}", frozenset({MODELS, GRAPHS}), ffi.NULL)


def _models() -> frozenset[str]:
    """What both sides need to run models: the official package, that of the ops, and of models."""
    if importlib.util.find_spec("onnxruntime") is None:
        return frozenset()
    packages = {
        "onnxruntime_extensions": EXTENSIONS,
        "onnx": CONTENTS,
        "nxrt_ep_cpu": PROVIDERS,
    }
    found = {can for name, can in packages.items() if importlib.util.find_spec(name) is not None}
    return frozenset(found | {SESSIONS})


def _table(name: str, origin: str, base: Any) -> Subject:
    handle = _bench.ffi.new("ortcffi_bench_subject*", {"base": base, "api": base.GetApi(1)})
    allocator = ffi.new("OrtAllocator**")
    status = lib.GetAllocatorWithDefaultOptions(handle.api, allocator)
    if status != ffi.NULL:
        lib.ReleaseStatus(handle.api, status)
        raise Missing("it has no default allocator")
    handle.allocator = allocator[0]
    version = ffi.string(base.GetVersionString()).decode("utf-8", "replace")
    return Subject(name, f"{origin} {version}".strip(), frozenset({TABLE, BLOCKS}), handle)


def _peer(name: str, peer: Peer, aligned: bool) -> Subject:
    library = _open(peer.soname)
    handle = _bench.ffi.new("ortcffi_bench_subject*")
    taken_by = peer.take_aligned if aligned else peer.take
    take = _symbol(library, taken_by)
    if aligned:
        handle.take_aligned = ffi.cast("void*(*)(size_t, size_t)", take)
    else:
        handle.take = ffi.cast("void*(*)(size_t)", take)
    handle.give = ffi.cast("void (*)(void*)", _symbol(library, peer.give))
    can = {BLOCKS, NUMPY} if name == "glibc" else {BLOCKS}  # NumPy's own memory is glibc's
    return Subject(name, f"{peer.soname}, {taken_by}", frozenset(can), handle, None, aligned)


def _open(path: str) -> Any:
    reason = ffi.new("char[]", 1024)
    library = lib.ortcffi_library_open(path.encode(), reason, len(reason))
    if library != ffi.NULL:
        return library
    text = ffi.string(reason).decode("utf-8", "replace")
    # A library that is made to be linked, not loaded, needs static TLS, which is scarce.
    if "static TLS" in text:
        text += "; start with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384 to have it"
    raise Missing(text)


def _symbol(library: Any, name: str) -> Any:
    symbol = lib.ortcffi_library_symbol(library, name.encode())
    if symbol == ffi.NULL:
        raise Missing(f"does not define {name}")
    return symbol
