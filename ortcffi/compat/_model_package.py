# SPDX-License-Identifier: MIT
"""Model packages, which a library of API version 31 or newer reads, with the official names.

A package is a folder whose ``manifest.json`` names models, each in variants for execution
providers.
"""

import threading
from typing import Any

from ortcffi._convert import decode, decode_path, input_path, native
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.compat._arguments import instance, not_made, string
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._errors import as_runtime_error, each_method
from ortcffi.compat._feeds import Engine
from ortcffi.compat._options import SessionOptions
from ortcffi.compat._session import InferenceSession
from ortcffi.errors import check
from ortcffi.session.creation import Source
from ortcffi.session.series import attach


def _function(name: str) -> Any:
    return getattr(lib, f"OrtModelPackageApi_{name}")


def _packages() -> Any:
    api().require("GetModelPackageApi")
    return lib.GetModelPackageApi(api().pointer)


def _call(slot: str, *arguments: Any) -> None:
    check(api().pointer, _function(slot)(_packages(), *arguments))


def _made(kind: str, create: str, *arguments: Any) -> Any:
    """Have a function make an object, and return its handle, which keeps the arguments."""
    owner = owner_of(f"Ort{kind}*", _packages(), _function(f"Release{kind}"), *arguments)
    _call(create, *arguments, out_of(owner))
    return owned_by(owner)


class ModelPackageOptions:
    """Options with the execution providers for which variants are chosen."""

    def __init__(self, sess_options: SessionOptions) -> None:
        self._options = instance("sess_options", sess_options, SessionOptions)._copy()[0]


@each_method(as_runtime_error)
class ModelPackageContext:
    """A package that was opened."""

    def __init__(self, package_root: Any) -> None:
        path = native(input_path("package_root", text(package_root)))
        self._handle = _made("ModelPackageContext", "CreateModelPackageContext", path)
        self._lock = threading.Lock()  # a library's package is for one thread at a time

    def _ask(self, slot: str, *arguments: Any) -> None:
        _call(f"ModelPackage_{slot}", self._handle, *arguments)

    def _names(self, slot: str, *given: bytes) -> list[str]:
        out, count = ffi.new("const char* const**"), ffi.new("size_t*")
        with self._lock:
            self._ask(slot, *given, out, count)
            return [decode(out[0][i]) for i in range(count[0])]

    def _text(self, slot: str, *given: Any) -> str | None:
        out = ffi.new("const char**")
        with self._lock:  # the text lives until the next call
            self._ask(slot, *given, out)
            return decode(out[0]) if out[0] else None

    def get_schema_version(self) -> int:
        out = ffi.new("int64_t*")
        self._ask("GetSchemaVersion", out)
        return int(out[0])

    def get_component_names(self) -> list[str]:
        return self._names("GetComponentNames")

    def get_component_count(self) -> int:
        return len(self.get_component_names())

    def get_variant_names(self, component_name: str) -> list[str]:
        return self._names("GetVariantNames", _name("component_name", component_name))

    def get_variant_count(self, component_name: str) -> int:
        return len(self.get_variant_names(component_name))

    def get_variant_ep_name(self, component_name: str, variant_name: str) -> str | None:
        names = _name("component_name", component_name), _name("variant_name", variant_name)
        return self._text("GetVariantEpName", *names)

    def resolve_string_ref(
        self, string_ref: str, base_dir: str | None = None, must_exist: bool = False
    ) -> str | None:
        folder = ffi.NULL if base_dir is None else _name("base_dir", base_dir)
        given = folder, _name("string_ref", string_ref), bool(must_exist)
        return self._text("ResolveStringRef", *given)

    def select_component(
        self, component_name: str, options: ModelPackageOptions
    ) -> "ModelPackageComponentContext":
        kind = ModelPackageComponentContext
        chosen: Any = kind.__new__(kind)
        chosen._given = instance("options", options, ModelPackageOptions)._options
        given = env().handle, chosen._given._copy()[0]._options.handle
        make = "CreateModelPackageOptionsFromSessionOptions"
        wanted = _made("ModelPackageOptions", make, *given)
        name = _name("component_name", component_name)
        with self._lock:
            chosen._handle = _made(kind.__name__, "SelectComponent", self._handle, name, wanted)
        return chosen  # type: ignore[no-any-return]


@each_method(as_runtime_error)
class ModelPackageComponentContext:
    """A variant that was chosen."""

    _handle: Any
    _given: SessionOptions
    __init__ = not_made

    def get_selected_variant_name(self) -> str:
        out = ffi.new("const char**")
        _call("ModelPackageComponent_GetSelectedVariantName", self._handle, out)
        return decode(out[0])

    def get_selected_variant_folder_path(self) -> str:
        """Return the folder of the variant; "" where the manifest has all of it."""
        out = ffi.new("const ORTCHAR_T**")
        _call("ModelPackageComponent_GetSelectedVariantFolderPath", self._handle, out)
        return decode_path(out[0])

    def create_session(self, sess_options: SessionOptions | None = None) -> InferenceSession:
        """Make a session of the variant; without options, with those of the package."""
        if not isinstance(sess_options, SessionOptions | None):
            raise TypeError("create_session(): incompatible arguments")

        def create(environment: Any, chosen: Any, out: Any) -> None:
            _call("CreateSession", environment, self._handle, chosen, out)

        options = (sess_options or self._given)._copy()[0]
        engine = Engine.__new__(Engine)
        given = None if sess_options is None else options._options
        engine._open(api(), Source(create, self), given, env=env())
        attach(engine)
        return InferenceSession._around(engine, options)


def _name(argument: str, given: Any) -> bytes:
    return string(argument, given).encode()
