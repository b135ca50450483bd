# SPDX-License-Identifier: MIT
"""Model packages that exist, with the official package's names."""

from typing import Any

from ortcffi.compat._arguments import instance
from ortcffi.compat._delegates import returned
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._errors import as_runtime_error, each_method
from ortcffi.compat._feeds import Engine
from ortcffi.compat._options import SessionOptions
from ortcffi.compat._session import InferenceSession
from ortcffi.session.package import ModelPackage, PackageVariant


class ModelPackageOptions:
    """Options with the execution providers for which variants are chosen."""

    def __init__(self, sess_options: SessionOptions) -> None:
        self._options = instance("sess_options", sess_options, SessionOptions)._copy()[0]


@each_method(as_runtime_error)
class ModelPackageContext:
    """A package that was opened."""

    def __init__(self, package_root: Any) -> None:
        self._package = ModelPackage(text(package_root), api())

    get_schema_version = returned("_package.schema_version")

    def get_component_names(self) -> list[str]:
        return self._package._names()

    def get_component_count(self) -> int:
        return len(self.get_component_names())

    def get_variant_names(self, component_name: str) -> list[str]:
        return self._package._names(component_name)

    def get_variant_count(self, component_name: str) -> int:
        return len(self.get_variant_names(component_name))

    def get_variant_ep_name(self, component_name: str, variant_name: str) -> str | None:
        return self._package._provider(component_name, variant_name)

    def resolve_string_ref(
        self, string_ref: str, base_dir: str | None = None, must_exist: bool = False
    ) -> str:
        return self._package.resolve(string_ref, base_dir, must_exist=must_exist)

    def select_component(
        self, component_name: str, options: ModelPackageOptions
    ) -> "ModelPackageComponentContext":
        chosen = ModelPackageComponentContext.__new__(ModelPackageComponentContext)
        chosen._given = instance("options", options, ModelPackageOptions)._options
        chosen._variant = PackageVariant(self._package, component_name, chosen._given._options)
        return chosen


@each_method(as_runtime_error)
class ModelPackageComponentContext:
    """A variant that was chosen."""

    _variant: PackageVariant
    _given: SessionOptions

    def __init__(self) -> None:
        raise TypeError("ModelPackageComponentContext: No constructor defined!")

    get_selected_variant_name = returned("_variant.name")

    def get_selected_variant_folder_path(self) -> str:
        """Return the folder of the variant; "" where the manifest has all of it."""
        return self._variant.folder or ""

    def create_session(self, sess_options: SessionOptions | None = None) -> InferenceSession:
        """Make a session of the variant; without options, with those of the package."""
        if not isinstance(sess_options, SessionOptions | None):
            raise TypeError("create_session(): incompatible arguments")
        options = (sess_options or self._given)._copy()[0]
        engine = Engine.__new__(Engine)
        given = None if sess_options is None else options._options
        self._variant._open(engine, given, env=env())
        return InferenceSession._around(engine, options)
