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
    """Compiles on all processors, and links the core's objects a second time, for C clients.

    ``make -C core`` makes the same library; a wheel is built without make, which a machine that
    has a C compiler may lack.
    """

    def run(self) -> None:
        super().run()
        if sys.platform == "darwin":
            # Extensions are bundles there, which a client cannot be linked with.
            linker = ["-dynamiclib" if w == "-bundle" else w for w in self.compiler.linker_so]
            self.compiler.set_executable("linker_so", linker)
        library = Path(self.get_ext_fullpath("ortcffi._ort")).parent / "lib" / ort.CORE_NAME
        self.link(self.objects[: len(ort.CORE_SOURCES)], str(library), ort.CORE_LINK_FLAGS)

    def build_extension(self, ext: Extension) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.objects = list(pool.map(self.compile, [*ext.sources, ort.write_extension()]))
        self.link(self.objects, self.get_ext_fullpath(ext.name), ext.extra_link_args)

    def compile(self, source: str) -> str:
        include, flags = [*ort.INCLUDE, *self.include_dirs], ort.COMPILE_FLAGS
        [made] = self.compiler.compile(
            [source], self.build_temp, include_dirs=include, extra_postargs=flags
        )
        return made

    def link(self, objects: list[str], library: str, flags: list[str]) -> None:
        self.compiler.link_shared_object(objects, library, extra_postargs=flags)


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
