# SPDX-License-Identifier: MIT
"""Libraries of custom ops, opened to run their kernels."""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

from ortcffi._convert import AnyPath, absolute, of_type, of_type_or_none
from ortcffi._handle import Closing, out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public, refuse_pickle
from ortcffi._table import core_api, made_by
from ortcffi.custom_ops.describe import CustomOp, ops_of, read_op
from ortcffi.errors import check
from ortcffi.kernels.host import call_host, copy_for, made_by_slot, table_of_host
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.make_kernel import make_kernel
from ortcffi.memory.allocator import Allocator

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class LibraryOp:
    """A custom op of a library. Found in a `CustomOpLibrary`.

    Attributes
    ----------
    description : CustomOp
        What the op declares.
    """

    def __init__(
        self,
        library: "CustomOpLibrary",
        options: Any,
        pointer: Any,
        description: CustomOp,
    ) -> None:
        self.path = of_type("library", library, CustomOpLibrary).path
        self.description = description
        self.domain, self.name = description.domain, description.name
        self.inputs, self.outputs = description.inputs, description.outputs
        self._table, self._allocator = library._table, library._allocator
        self._options = options  # keeps the library open
        self._pointer = pointer

    def kernel(self, attributes: Mapping[str, Any] | None = None, **node: Any) -> Kernel:
        """Make a kernel of the op, for a node that is in no model.

        Parameters
        ----------
        attributes : mapping of str, optional
            int, float, str, bytes, lists of them, arrays as tensors, or `OpAttr`, which an empty
            list needs for its type.
        inputs : int or list, optional
            How many inputs the node has, or their types; None for one that it leaves out. By
            default each call says.
        outputs : int or list, optional
            The same of outputs; by default those that the op declares.
        constants : mapping of int, optional
            The inputs that never change, as initializers of a model do not, by place.
        node_name : str, optional
            The name of the node, for the messages of errors.
        domain_version : int, optional
            The version of the domain; `InvalidArgument` if it does not have the op.
        config : mapping of str to str, optional
            The configuration entries of the session.
        allocator : Allocator, optional
            Gives the memory of outputs and all that the kernel asks for; by default that of the
            library.
        logger : cdata of ``const OrtLogger *``, optional
            The logger that the kernel gets; by default the logger of the environment.
        threads : int, optional
            How many threads ``KernelContext_ParallelFor`` may use, the caller's among them.
        check : bool, optional
            Whether each call looks for mistakes of the kernel, as `CheckedKernel` says.
        repeats : int, optional
            How often a call of a checked kernel computes; 1 for ops that are to give another result
            each time.

        Raises
        ------
        OrtError
            The op refuses to make a kernel, for instance because an attribute is missing.
        """
        if node.get("allocator") is None:
            node["allocator"] = self._allocator
        return make_kernel(
            self.description,
            self._pointer,
            self._options,
            self._table,
            attributes,
            _options=owned_by(self._options),
            **node,
        )

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        return f"<LibraryOp {self.domain}:{self.name}>"


@public
class CustomOpLibrary(Mapping[str, dict[str, LibraryOp]], Closing):
    """A library of custom ops, opened to run its kernels without a model.

    A mapping of domains to the ops by name; ``library["my.domain", "Scale"]`` is one op. Of several
    ops with one name it has the last version, and of one version the first that was registered;
    `ops` has all, for other types too.

    Such libraries keep the table that they are given in global variables. So a private copy is
    opened, on Linux, which sessions of this process do not get, before or afterwards.

    Parameters
    ----------
    path : str, bytes or os.PathLike
        A library that exports ``RegisterCustomOps``.
    api : Api, optional
        The table that the library is given: by default the embedded core's, or one of `emulate`.
    watch : bool, optional
        Whether the table notes which slot makes what the library does not release, for
        `left_alive`. Calls of slots are slower then.
    allocator : Allocator, optional
        For kernels that are made without one.
    copy : bool, optional
        False opens the file itself, where debuggers and profilers find its symbols, unless the
        process has loaded it already. Then no session of this process may load it.

    Attributes
    ----------
    path : str
        The absolute path.
    ops : tuple of LibraryOp
        All that it registers.
    is_copy : bool
        Whether a private copy was opened.

    Raises
    ------
    Fail
        It cannot be loaded, or does not export ``RegisterCustomOps``.
    """

    def __init__(
        self,
        path: AnyPath,
        *,
        api: "Api | None" = None,
        watch: bool = False,
        allocator: "Allocator | None" = None,
        copy: bool = True,
    ) -> None:
        core = core_api()
        self._allocator = of_type_or_none("allocator", allocator, Allocator)
        host = core if api is None else made_by(api)
        base, self._table = table_of_host(host, watch=watch)
        self._before = made_by_slot() if watch else None
        self.path = absolute("path", path)
        owner = owner_of("OrtSessionOptions*", core, lib.ReleaseSessionOptions)
        check(core.pointer, lib.CreateSessionOptions(core.pointer, out_of(owner)))
        options = owned_by(owner)
        name, is_copy = os.fsencode(self.path), ffi.new("int*")
        how = copy_for(name) if copy else lib.ORTCORE_COPY_IF_LOADED
        given = options, base, name, how, is_copy
        call_host("OrtcoreRegisterLibrary", *given, function="RegisterCustomOps")
        self.is_copy = bool(is_copy[0])
        registered = ops_of(lib.ortcffi_options_ops(options))
        self.ops: tuple[LibraryOp, ...] = tuple(
            LibraryOp(self, owner, op, read_op(domain, op)) for domain, op in registered
        )
        self._by_domain: dict[str, dict[str, LibraryOp]] = {}
        for op in sorted(self.ops, key=lambda op: op.description.since_version, reverse=True):
            self._by_domain.setdefault(op.domain, {}).setdefault(op.name, op)

    @overload
    def __getitem__(self, key: str) -> dict[str, LibraryOp]: ...
    @overload
    def __getitem__(self, key: tuple[str, str]) -> LibraryOp: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2:
            domain, name = key
            ops = self[domain]
            if name not in ops:
                raise LookupError(f"domain {domain!r} has no op {name!r}; it has {sorted(ops)}")
            return ops[name]
        if key not in self._by_domain:
            raise LookupError(f"there is no domain {key!r}; there are {sorted(self._by_domain)}")
        return self._by_domain[key]

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the ops of a domain, or one op; the default where it has none such."""
        try:
            return self[key]
        except LookupError:
            return default

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_domain)

    def __len__(self) -> int:
        return len(self._by_domain)

    def left_alive(self) -> dict[str, int]:
        """How many objects each slot has made that the library and its kernels have not released.

        Values, statuses, types, attributes, copies of infos, ops, key-value pairs and memory infos,
        since the library was opened; what other watched libraries have made counts too. Blocks of
        allocators do not: make the kernel with a `Tracking` as its allocator, which counts those.

        Raises
        ------
        ValueError
            The library was opened without ``watch``.
        """
        if self._before is None:
            raise ValueError("left_alive needs CustomOpLibrary(..., watch=True)")
        now = made_by_slot().items()
        left = {slot: count - self._before.get(slot, 0) for slot, count in now}
        return {slot: count for slot, count in left.items() if count > 0}

    def close(self) -> None:
        """Drop the library, which stays loaded as long as ops and kernels of it live."""
        self.ops = ()
        self._by_domain = {}
        self._allocator = None

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        return f"<CustomOpLibrary {self.path!r} of {len(self.ops)} ops>"
