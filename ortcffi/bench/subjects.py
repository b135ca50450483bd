# SPDX-License-Identifier: MIT
"""What is measured: the core, other providers of the table, and plain allocators."""

import ctypes
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ortcffi._native import ffi, lib


@dataclass(frozen=True)
class Subject:
    """One column of the benchmark's table.

    Attributes
    ----------
    name : str
        The column's heading.
    origin : str
        The library's version or path.
    handle : cdata
        ``ortcffi_bench_subject *``, what the C loops run over.
    """

    name: str
    origin: str
    handle: Any

    @property
    def has_table(self) -> bool:
        """Whether the subject is a provider of the table, not just an allocator."""
        return bool(self.handle.api != ffi.NULL)


class Missing(Exception):
    """A subject that cannot be had; the message is the reason."""


@dataclass(frozen=True)
class Peer:
    """A plain allocator in a shared library: its soname and the names of its functions."""

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
NAMES = ("core", "real", "floor", *PEERS)


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def _open(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path, mode=0)
    except OSError as error:
        reason = str(error)
    if "static TLS" in reason:
        reason += " (start with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384)"
    raise Missing(reason)


def _peer(name: str, aligned: bool) -> Subject:
    peer = PEERS[name]
    library = _open(peer.soname)
    handle = ffi.new("ortcffi_bench_subject *")
    if aligned:
        address = _address(library, peer.take_aligned)
        handle.take_aligned = ffi.cast("void *(*)(size_t, size_t)", address)
    else:
        handle.take = ffi.cast("void *(*)(size_t)", _address(library, peer.take))
    handle.give = ffi.cast("void (*)(void *)", _address(library, peer.give))
    return Subject(name, peer.soname, handle)


def _table(name: str, base: Any, origin: str) -> Subject:
    handle = ffi.new("ortcffi_bench_subject *", {"base": base, "api": base.GetApi(1)})
    allocator = ffi.new("OrtAllocator **")
    status = handle.api.GetAllocatorWithDefaultOptions(allocator)
    if status != ffi.NULL:
        handle.api.ReleaseStatus(status)
        raise Missing("has no default allocator")
    handle.allocator = allocator[0]
    version = ffi.string(base.GetVersionString()).decode()
    return Subject(name, f"{origin} {version}".strip(), handle)


def _real(path: str | None) -> Subject:
    if path is None:
        spec = importlib.util.find_spec("onnxruntime")
        if spec is None or spec.origin is None:
            raise Missing("no library found")
        path = str(next(Path(spec.origin).parent.glob("capi/libonnxruntime.so.*")))
    address = _address(_open(path), "OrtGetApiBase")
    base = ffi.cast("const OrtApiBase *(*)(void)", address)()
    return _table("real", base, path)


def find(name: str, against: str | None = None, aligned: bool = False) -> Subject:
    """The subject of one of `NAMES`; raises `Missing` where it cannot be had."""
    if name == "core":
        return _table(name, lib.ortcffi_core_api_base(), "")
    if name == "real":
        return _real(against)
    if name == "floor":
        base = lib.ortcffi_bench_floor()
        if base == ffi.NULL:
            raise Missing("its addresses cannot be reserved")
        return _table(name, base, "checks nothing")
    return _peer(name, aligned)
