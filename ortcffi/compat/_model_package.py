# SPDX-License-Identifier: MIT
"""Model packages that exist, with the official package's names."""

from typing import Any, NoReturn

from ortcffi.compat._arguments import instance
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._errors import translated_by
from ortcffi.compat._feeds import Engine
from ortcffi.compat._options import SessionOptions
from ortcffi.compat._session import InferenceSession
from ortcffi.errors import OrtError
from ortcffi.session.package import ModelPackage, PackageVariant


def _fail(error: OrtError) -> NoReturn:
    """Raise what the official package raises for all failures of packages."""
    raise RuntimeError(str(error)) from error


translated = translated_by(_fail)


class ModelPackageOptions:
    """Options with the execution providers for which variants are chosen."""

    def __init__(self, sess_options: SessionOptions) -> None:
        self._options = instance("sess_options", sess_options, SessionOptions)._copy()[0]


class ModelPackageContext:
    """A package that was opened."""

    @translated
    def __init__(self, package_root: Any) -> None:
        self._package = ModelPackage(text(package_root), api())

    @translated
    def get_schema_version(self) -> int:
        """Return the major version of the manifest's format."""
        return self._package.schema_version

    @translated
    def get_component_count(self) -> int:
        """Return how many components there are."""
        return len(self._package._names())

    @translated
    def get_component_names(self) -> list[str]:
        """Return the names of the components."""
        return self._package._names()

    @translated
    def get_variant_count(self, component_name: str) -> int:
        """Return how many variants a component has."""
        return len(self._package._names(component_name))

    @translated
    def get_variant_names(self, component_name: str) -> list[str]:
        """Return the names of the variants of a component."""
        return self._package._names(component_name)

    @translated
    def get_variant_ep_name(self, component_name: str, variant_name: str) -> str | None:
        """Return the execution provider of a variant."""
        return self._package._provider(component_name, variant_name)

    @translated
    def resolve_string_ref(
        self, string_ref: str, base_dir: str | None = None, must_exist: bool = False
    ) -> str:
        """Return the path of a file that the package refers to."""
        return self._package.resolve(string_ref, base_dir, must_exist=must_exist)

    @translated
    def select_component(
        self, component_name: str, options: ModelPackageOptions
    ) -> "ModelPackageComponentContext":
        """Choose the variant of a component that fits the options."""
        given = instance("options", options, ModelPackageOptions)._options
        chosen = PackageVariant(self._package, component_name, given._options)
        return ModelPackageComponentContext._of(chosen, given)


class ModelPackageComponentContext:
    """A variant that was chosen."""

    _variant: PackageVariant
    _given: SessionOptions

    def __init__(self) -> None:
        raise TypeError("ModelPackageComponentContext: No constructor defined!")

    @classmethod
    def _of(cls, variant: PackageVariant, given: SessionOptions) -> "ModelPackageComponentContext":
        made = cls.__new__(cls)
        made._variant, made._given = variant, given
        return made

    @translated
    def get_selected_variant_name(self) -> str:
        """Return the name of the variant."""
        return self._variant.name

    @translated
    def get_selected_variant_folder_path(self) -> str:
        """Return the folder of the variant; "" where the manifest has all of it."""
        return self._variant.folder or ""

    @translated
    def create_session(self, sess_options: SessionOptions | None = None) -> InferenceSession:
        """Make a session of the variant; without options, with those of the package."""
        if not isinstance(sess_options, SessionOptions | None):
            raise TypeError("create_session(): incompatible arguments")
        options = self._given._copy()[0] if sess_options is None else sess_options._copy()[0]
        given = None if sess_options is None else options._options
        engine = Engine.__new__(Engine)
        self._variant._open(engine, given, env=env())
        return InferenceSession._around(engine, options)
