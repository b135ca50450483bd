# SPDX-License-Identifier: MIT
"""Compiles what build_ort.py lists; everything else is in pyproject.toml."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent))  # build front ends do not add it
import build_ort as ort


class BuildExtensionAndCore(build_ext):
    """Compiles what has changed, and links the core's objects a second time, for C clients.

    ``make -C core`` makes the same library; a wheel is built without make, which a machine that
    has a C compiler may lack.
    """

    def run(self) -> None:
        super().run()
        package = Path(self.get_ext_fullpath("ortcffi._ort")).parent
        if sys.platform == "darwin":
            # Extensions are bundles there, which a client cannot be linked with.
            linker = ["-dynamiclib" if w == "-bundle" else w for w in self.compiler.linker_so]
            self.compiler.set_executable("linker_so", linker)
        core = ort.join_folders(ort.CORE_SOURCES)
        self.link(core, str(package / "lib" / ort.CORE_NAME), ort.CORE_LINK_FLAGS)

    def build_extension(self, ext: Extension) -> None:
        sources = ort.join_folders(ext.sources)
        sources.append(ort.write_extension())
        self.link(sources, self.get_ext_fullpath(ext.name), ext.extra_link_args)

    def link(self, sources: list[str], library: str, flags: list[str]) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(self.compile_changed, sources))
        self.compiler.link_shared_object(objects, library, extra_postargs=flags)

    def compile_changed(self, source: str) -> str:
        """Compile a source if that or a header is newer than its object; return the object."""
        include = [*ort.INCLUDE, *self.include_dirs]
        command = [*self.compiler.compiler_so, *include, *ort.COMPILE_FLAGS]
        folder = ort.object_folder(command)
        [name] = self.compiler.object_filenames([source], output_dir=folder)
        if self.force or ort.is_stale(Path(name)):
            flags = [*ort.COMPILE_FLAGS, "-MMD"]  # which writes the headers into a file
            self.compiler.compile([source], folder, include_dirs=include, extra_postargs=flags)
        return name


setup(
    ext_modules=[
        Extension(
            "ortcffi._ort",
            ort.CORE_SOURCES + ort.BOUNDARY_SOURCES,
            extra_link_args=ort.EXTENSION_LINK_FLAGS,
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildExtensionAndCore},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
