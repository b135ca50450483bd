# SPDX-License-Identifier: MIT
"""Sets of ops written in Python, and how a library gets them through ``RegisterCustomOps``.

The extension module is itself a library of custom ops. What it registers are the ops of one set:
that of the process, or the one that the calling thread has asked for last.

A host does not say when it no longer uses an op. So each op that was registered this way stays, and
the domains of a table are made once for each state of a set.
"""

import os
import re
import threading
from collections.abc import Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode, encode, pointer
from ortcffi._handle import Array
from ortcffi._native import address_of, compiled, extension_path, ffi, lib
from ortcffi._public import public
from ortcffi._table import HIGHEST_VERSION, api_version_of, core_api, table_at
from ortcffi.errors import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ortcffi.kernels.python_op import PythonOp
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.table.api import Api

_chosen = threading.local()
_lock = threading.RLock()


@public
class OpSet:
    """Ops written in Python that are registered together. Made by `op_set`.

    Iterating over it gives the ops.
    """

    def __init__(self, name: str) -> None:
        encode("name", name)
        self.name = name
        self._ops: dict[tuple[str, str], PythonOp] = {}
        # By the address of a table the ops that it was given, and the domains that have them.
        self._registered: dict[int, tuple[tuple[PythonOp, ...], Array]] = {}

    def add(self, op: "PythonOp") -> None:
        """Add an op. It takes the place of one with the same domain and name."""
        if not hasattr(op, "_struct_for"):
            raise TypeError(f"op must be a PythonOp, not {type(op).__name__}")
        with _lock:
            self._ops[op.domain, op.name] = op

    def remove(self, op: "PythonOp") -> None:
        """Remove an op; `LookupError` if it is not there. Sessions that know it go on."""
        with _lock:
            # Not looked up by name, which may have been set since.
            found = [key for key, each in self._ops.items() if each is op]
            if not found:
                raise LookupError(f"{op!r} is not in the set {self.name!r}")
            for key in found:
                del self._ops[key]

    def __iter__(self) -> "Iterator[PythonOp]":
        return iter(list(self._ops.values()))  # a tuple is not made in one step

    def __len__(self) -> int:
        return len(self._ops)

    def register(self, options: Any, base: Any) -> None:
        """Add the ops to session options of whatever library `base` belongs to.

        Parameters
        ----------
        options : cdata of ``OrtSessionOptions *``
            The options.
        base : cdata of ``const OrtApiBase *``
            Where the library's table comes from.
        """
        pointer("options", options, "OrtSessionOptions*")
        pointer("base", base, "const OrtApiBase*")
        with _lock:
            api = table_of_base(base)
            domains, count = self._domains(api)
            for domain in domains.items[0:count]:
                check(api.pointer, lib.AddCustomOpDomain(api.pointer, options, domain))

    def _domains(self, api: "Api") -> tuple[Array, int]:
        """Return the domains of a table, and how many there are."""
        address = address_of(api.pointer)
        ops = tuple(self)
        registered, domains = self._registered.get(address, ((), None))
        if domains is None or registered != ops:
            domains = _new_domains(api, ops)
            self._registered[address] = ops, domains
        compiled.keep_forever(domains)
        return domains, len({op.domain for op in ops})

    def __repr__(self) -> str:
        return f"<OpSet {self.name!r} of {len(self)}>"


def _new_domains(api: "Api", ops: "tuple[PythonOp, ...]") -> Array:
    names = list(dict.fromkeys(op.domain for op in ops))
    domains = Array("OrtCustomOpDomain*", api, lib.ReleaseCustomOpDomain, len(names))
    for i, name in enumerate(names):
        check(api.pointer, lib.CreateCustomOpDomain(api.pointer, name.encode(), domains.items + i))
    for op in ops:
        struct, domain = op._struct_for(api), domains.items[names.index(op.domain)]
        compiled.keep_forever(struct)
        at = ffi.cast("OrtCustomOp*", struct.address)
        check(api.pointer, lib.CustomOpDomain_Add(api.pointer, domain, at))
    return domains


def table_of_base(base: Any) -> "Api":
    """Return the newest table that a host has and this package knows."""
    if base == lib.ortcffi_core_api_base():
        return core_api()
    version_string = decode(base.GetVersionString())
    version = min(api_version_of(version_string), HIGHEST_VERSION)
    pointer = base.GetApi(version)
    if not pointer:
        raise ValueError(f"the host {version_string!r} has no table for API version {version}")
    return table_at(pointer, version, version_string)


_sets = {"": OpSet("")}
_given: "dict[tuple[PythonOp, ...], OpSet]" = {}  # the sets of sessions, by the ops given to them


@public
def op_set(name: str = "") -> OpSet:
    """Return the set of that name, which is made if there is none."""
    made = OpSet(name)
    with _lock:
        return _sets.setdefault(name, made)


@public
def custom_op_library(name: str = "") -> str:
    """Return the path of a library that registers the ops that were defined in Python.

    Give it to any host: to ``SessionOptions.register_custom_ops_library`` of the official package,
    or to `SessionOptions.register_custom_ops`. The ops are those that the set has at that moment.

    Parameters
    ----------
    name : str, optional
        The set whose ops the calling thread registers from now on; "" for that of the process.

    Returns
    -------
    str
        The path, which is the same for all sets.

    Examples
    --------
    >>> import ortcffi
    >>> options = ortcffi.SessionOptions()
    >>> options.register_custom_ops(custom_op_library("a set without ops"))
    """
    _chosen.ops = op_set(name)
    return extension_path()


@contextmanager
def registering(ops: OpSet) -> "Iterator[str]":
    """Within the block, hosts to which this thread gives the library get the ops of a set."""
    before = getattr(_chosen, "ops", None)
    _chosen.ops = ops
    try:
        yield extension_path()
    finally:
        _chosen.ops = before


def with_custom_ops(options: "SessionOptions", given: Any) -> None:
    """Register ops with session options: ops in Python, and libraries by their paths."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"custom_ops must be a list, not {type(given).__name__}")
    ops: list[PythonOp] = []
    for each in given:
        if isinstance(each, (str, bytes, os.PathLike)):
            options.register_custom_ops(each)
        elif hasattr(each, "_struct_for"):
            ops.append(each)
        else:
            kind = type(each).__name__
            raise TypeError(f"custom_ops must have ops in Python or paths, not {kind}")
    if ops:
        with _lock:
            chosen = _given.setdefault(tuple(ops), OpSet(""))
        for op in ops:
            chosen.add(op)
        with registering(chosen) as library:
            options.register_custom_ops(library)


def ops_named_in(message: str) -> "list[PythonOp]":
    """Return the ops of all sets that a message of a library names, with their domains."""
    words = set(re.findall(r"\w+", message))
    return [
        op
        for ops in list(_sets.values())
        for op in ops
        if op.name in words and op.domain in message
    ]


def _register(options: int, base: int) -> None:
    """Serve ``RegisterCustomOps``."""
    chosen = getattr(_chosen, "ops", None)
    chosen = _sets[""] if chosen is None else chosen
    chosen.register(ffi.cast("OrtSessionOptions*", options), ffi.cast("OrtApiBase*", base))


compiled.set_registrar(_register)
