# SPDX-License-Identifier: MIT
"""Model packages: folders with variants of models for different execution providers."""

import os
import threading
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode, encode, input_path, of_type
from ortcffi._handle import Handle, out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.env.env import Env
from ortcffi.errors import check
from ortcffi.options.for_library import session_options_for
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.creation import Source
from ortcffi.session.series import attach
from ortcffi.session.session import Session
from ortcffi.table.engine import engine_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api

_PREFIX = "OrtModelPackageApi_"


@public
class ModelPackage(Handle):
    """A folder whose ``manifest.json`` names models, each in variants for execution providers.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed. Any
    thread may use it. Model-package functions, since version 31: ``CreateModelPackageContext``,
    ``ReleaseModelPackageContext`` and those named with the members here.

    Parameters
    ----------
    api : Api, optional
        The library that reads the manifest; by default the one that `Session` would use. The
        embedded core reads no packages.

    Raises
    ------
    Fail
        There is no such folder, or the manifest is not one, or refers to a file that does not
        exist.
    NotImplemented
        The library is older than version 31, or is the embedded core.
    """

    __slots__ = ("_lock", "_path")

    _lock: Any  # an RLock: a library's package is for one thread at a time
    _path: "str | os.PathLike[str]"  # as it was given

    def __init__(self, path: "str | os.PathLike[str]", api: "Api | None" = None) -> None:
        given = input_path("path", path)
        api = engine_for(api)
        kind, release = "OrtModelPackageContext*", _function("ReleaseModelPackageContext")
        out = self._begin_handle(api, kind, release, table=table_of(api))
        _call(api, "CreateModelPackageContext", given, out)
        self._open_handle()
        self._lock, self._path = threading.RLock(), path

    @property
    def path(self) -> "str | os.PathLike[str]":
        """The folder, as it was given."""
        return self._path

    @property
    def schema_version(self) -> int:
        """The major version of the manifest's format. ``ModelPackage_GetSchemaVersion``."""
        out = ffi.new("int64_t*")
        self._ask("ModelPackage_GetSchemaVersion", out)
        return int(out[0])

    @property
    def components(self) -> "dict[str, dict[str, str | None]]":
        """The variants of each component, by name, each with its execution provider.

        The order is the manifest's. The provider is None where the manifest names none; such a
        variant is never chosen. ``ModelPackage_GetComponentNames``,
        ``ModelPackage_GetVariantNames``, ``ModelPackage_GetVariantEpName``.
        """
        return {
            name: {variant: self._provider(name, variant) for variant in self._names(name)}
            for name in self._names()
        }

    def resolve(
        self, reference: str, base: "str | None" = None, *, must_exist: bool = False
    ) -> str:
        """Return the absolute path of a file that a manifest or a variant refers to.

        ``ModelPackage_ResolveStringRef``.

        Parameters
        ----------
        reference : str
            A path that is relative to `base`, or the URI of a shared asset, ``sha256:`` and 64
            digits, which a path may follow.
        base : str, optional
            A folder of the package, absolute; by default the package's own.
        must_exist : bool, optional
            Whether a path to nothing is an error.

        Raises
        ------
        Fail
            The path leaves the folder of the package, or nothing is there, or there is no such
            asset.
        """
        out = ffi.new("const char**")
        folder = ffi.NULL if base is None else encode("base", base)
        text = encode("reference", reference)
        with self._lock:  # the path lives until the next call
            self._ask("ModelPackage_ResolveStringRef", folder, text, bool(must_exist), out)
            return decode(out[0])

    def select(
        self, component: "str | None" = None, options: "SessionOptions | None" = None
    ) -> "PackageVariant":
        """Choose the variant of a component that fits the execution providers of options.

        Parameters
        ----------
        component : str, optional
            The name; not needed if the package has only one.
        options : SessionOptions, optional
            Options with execution providers; by default the variant is for the CPU.

        Raises
        ------
        InvalidArgument
            The package has no such component.
        Fail
            No variant fits.
        ValueError
            `component` is missing, and the package has none or several.
        """
        if component is None:
            names = self._names()
            if len(names) != 1:
                raise ValueError(f"component must name one of {names}")
            component = names[0]
        return PackageVariant(self, component, options)

    def session(
        self,
        component: "str | None" = None,
        options: "SessionOptions | None" = None,
        *,
        env: "Env | None" = None,
    ) -> Session:
        """Make a session of the variant that `select` chooses.

        ``CreateSession`` of the model-package functions.

        Parameters
        ----------
        component, options
            As of `select`. Given options replace those that the package has for the variant.

        Returns
        -------
        Session
            A session of this package's library.
        """
        of_type("options", options, SessionOptions)
        of_type("env", env, Env)
        session = Session.__new__(Session)
        variant = self.select(component, options)
        variant._open(session, options, env=env)
        return session

    def _ask(self, slot: str, *arguments: Any) -> Any:
        """Call a function of the package; what it gives lives as long as the handle returned."""
        handle = self.handle
        with self._lock:
            _call(self.api, slot, handle, *arguments)
        return handle

    def _names(self, component: "str | None" = None) -> "list[str]":
        out, count = ffi.new("const char* const**"), ffi.new("size_t*")
        if component is None:
            held = self._ask("ModelPackage_GetComponentNames", out, count)
        else:
            name = encode("component", component)
            held = self._ask("ModelPackage_GetVariantNames", name, out, count)
        names = [decode(out[0][i]) for i in range(count[0])]
        del held  # the texts are read
        return names

    def _provider(self, component: str, variant: str) -> "str | None":
        out = ffi.new("const char**")
        names = encode("component", component), encode("variant", variant)
        held = self._ask("ModelPackage_GetVariantEpName", *names, out)
        provider = None if out[0] == ffi.NULL else decode(out[0])
        del held  # the text is read
        return provider

    def __repr__(self) -> str:
        return (
            "<ModelPackage closed>" if self.closed else f"<ModelPackage {os.fspath(self._path)!r}>"
        )


@public
class PackageVariant(Handle):
    """The variant of a model package's component that fits the execution providers of options.

    It keeps what it needs of the package, which may be closed before. Model-package functions,
    since version 31: ``CreateModelPackageOptionsFromSessionOptions``, ``SelectComponent``,
    ``ReleaseModelPackageComponentContext`` and those named with the members here.

    Parameters
    ----------
    package : ModelPackage
        The package.
    component : str
        The name of the component.
    options : SessionOptions, optional
        Options with execution providers; by default the variant is for the CPU.
    """

    __slots__ = ("_component",)

    _component: str

    def __init__(
        self, package: ModelPackage, component: str, options: "SessionOptions | None" = None
    ) -> None:
        of_type("options", options, SessionOptions)
        if not isinstance(package, ModelPackage):
            raise TypeError(f"package must be a ModelPackage, not {type(package).__name__}")
        api, name = package.api, encode("component", component)
        wanted = _package_options(api, options)
        release = _function("ReleaseModelPackageComponentContext")
        kind = "OrtModelPackageComponentContext*"
        out = self._begin_handle(api, kind, release, wanted, package, table=table_of(api))
        package._ask("SelectComponent", name, wanted, out)
        self._open_handle()
        self._component = component

    def _open(self, session: Session, options: "SessionOptions | None", **settings: Any) -> None:
        """Make the library's session; without options, with those of the package."""

        def create(env: Any, chosen: Any, out: Any) -> None:
            _call(self.api, "CreateSession", env, self.handle, chosen, out)

        session._open(self.api, Source(create, self), options, **settings)
        attach(session)

    @property
    def component(self) -> str:
        """The name of the component."""
        return self._component

    @property
    def name(self) -> str:
        """The name of the variant. ``ModelPackageComponent_GetSelectedVariantName``."""
        return self._text("ModelPackageComponent_GetSelectedVariantName")

    @property
    def folder(self) -> "str | None":
        """The absolute path of its folder; None where the manifest has all of it.

        ``ModelPackageComponent_GetSelectedVariantFolderPath``.
        """
        return self._text("ModelPackageComponent_GetSelectedVariantFolderPath") or None

    def _text(self, slot: str) -> str:
        out, handle = ffi.new("const char**"), self.handle
        _call(self.api, slot, handle, out)
        return decode(out[0])

    def __repr__(self) -> str:
        return "<PackageVariant closed>" if self.closed else f"<PackageVariant {self.name!r}>"


def table_of(api: "Api") -> Any:
    """Return the model-package functions of a library."""
    api.require("GetModelPackageApi")
    return lib.GetModelPackageApi(api.pointer)


def _package_options(api: "Api", options: "SessionOptions | None") -> Any:
    given = session_options_for(api, options)
    chosen = (SessionOptions(api) if given is None else given).clone()
    handles = Env(api=api).handle, chosen.handle
    release = _function("ReleaseModelPackageOptions")
    owner = owner_of("OrtModelPackageOptions*", table_of(api), release, *handles, chosen)
    make = "CreateModelPackageOptionsFromSessionOptions"
    _call(api, make, *handles, out_of(owner))
    return owned_by(owner)


def _function(name: str) -> Any:
    return getattr(lib, f"{_PREFIX}{name}")


def _call(api: "Api", slot: str, *arguments: Any) -> None:
    check(api.pointer, _function(slot)(table_of(api), *arguments))
