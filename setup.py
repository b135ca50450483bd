# SPDX-License-Identifier: MIT
"""Compiles what build_ort.py lists; everything else is in pyproject.toml."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setuptools
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

if int(setuptools.__version__.partition(".")[0]) < 77:
    raise SystemExit("ortcffi needs setuptools 77 or later: pip install 'setuptools>=77'")
sys.path.insert(0, str(Path(__file__).parent))  # build front ends do not add it
import build_ort as ort


class BuildExtensionAndCore(build_ext):
    """Compiles on all processors, and links the core first, in a library that C clients use too.

    ``make -C core`` makes the same library; a wheel is built without make, which a machine that
    has a C compiler may lack.
    """

    def finalize_options(self) -> None:
        if os.name == "nt":
            self.compiler = self.compiler or "mingw32"  # Microsoft's lacks what the sources use
        super().finalize_options()

    def get_ext_filename(self, fullname: str) -> str:
        """Return the name for the system that is built for, which setuptools takes from Python."""
        if ort.SYSTEM == "WINDOWS":
            return fullname.replace(".", os.sep) + ".pyd"
        return super().get_ext_filename(fullname)

    def copy_extensions_to_source(self) -> None:
        """Copy the core with the extension, for a build in place."""
        super().copy_extensions_to_source()
        core = Path(self.get_ext_fullpath("ortcffi._ort")).parent / ort.CORE_FILE
        self.mkpath(str(core.parent))
        self.copy_file(str(Path(self.build_lib, "ortcffi", ort.CORE_FILE)), str(core))

    def build_extensions(self) -> None:
        self.check_tools()
        # Python's own flags may name folders of the machine that Python was built on.
        linker = [word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")]
        self.compiler.set_executable("linker_so", linker)
        super().build_extensions()

    def check_tools(self) -> None:
        """Say what to install if there is no compiler, or no Python.h."""
        missing = []
        if shutil.which(self.compiler.compiler_so[0]) is None:
            package = "MinGW-w64, for UCRT" if os.name == "nt" else "package gcc"
            missing.append(f"a C compiler, here {self.compiler.compiler_so[0]} ({package})")
        if not any(Path(folder, "Python.h").exists() for folder in self.include_dirs):
            missing.append("Python's headers (package python3-dev)")
        if missing:
            raise SystemExit(f"To compile ortcffi, install {' and '.join(missing)}.")

    def build_extension(self, ext: Extension) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(self.compile, [*ext.sources, ort.write_extension()]))
        extension = self.get_ext_fullpath(ext.name)
        core = str(Path(extension).parent / ort.CORE_FILE)
        count = len(ort.CORE_SOURCES)
        linker = self.compiler.linker_so
        # Extensions are bundles on Apple's systems, with which nothing can be linked.
        library_linker = ["-dynamiclib" if word == "-bundle" else word for word in linker]
        self.compiler.set_executable("linker_so", library_linker)
        self.link(objects[:count], core, ort.CORE_LINK_FLAGS)
        self.compiler.set_executable("linker_so", linker)
        core = ort.IMPORT_LIBRARY if ort.SYSTEM == "WINDOWS" else core
        self.link([*objects[count:], core], extension, ext.extra_link_args)

    def compile(self, source: str) -> str:
        include = [*ort.INCLUDE, *self.include_dirs]
        flags = [*ort.COMPILE_FLAGS, *ort.flags_of(source)]
        [made] = self.compiler.compile(
            [source], self.build_temp, include_dirs=include, extra_postargs=flags
        )
        return made

    def link(self, objects: list[str], library: str, flags: list[str]) -> None:
        self.compiler.link_shared_object(objects, library, extra_postargs=flags)


class WheelWithParts(bdist_wheel):
    """Puts the list of what a wheel is made of, and needs, beside its metadata."""

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        super().egg2dist(egginfo_path, distinfo_path)
        self.copy_tree("docs/sbom", f"{distinfo_path}/sboms")


setup(
    ext_modules=[
        Extension(
            "ortcffi._ort",
            ort.CORE_SOURCES + ort.BOUNDARY_SOURCES,
            extra_link_args=ort.EXTENSION_LINK_FLAGS,
            py_limited_api=ort.IS_ABI3,
        )
    ],
    cmdclass={"build_ext": BuildExtensionAndCore, "bdist_wheel": WheelWithParts},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ort.IS_ABI3 else {},
)
