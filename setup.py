# SPDX-License-Identifier: MIT
"""Hands build_ort.py to setuptools; everything else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent))  # build front ends do not add it
from build_ort import CORE_LINK_FLAGS, CORE_NAME, CORE_SOURCES


class BuildExtensionAndCore(build_ext):
    """Links the core's objects a second time, into a library in ``ortcffi/lib`` for C clients.

    ``make -C core`` makes the same library; a wheel is built without make, which a machine that
    has a C compiler may lack.
    """

    def run(self) -> None:
        super().run()
        objects = self.compiler.object_filenames(CORE_SOURCES, output_dir=self.build_temp)
        package = Path(self.get_ext_fullpath("ortcffi._ort")).parent
        library = str(package / "lib" / CORE_NAME)
        if sys.platform == "darwin":
            # Extensions are bundles there, which a client cannot be linked with.
            linker = ["-dynamiclib" if w == "-bundle" else w for w in self.compiler.linker_so]
            self.compiler.set_executable("linker_so", linker)
        self.compiler.link_shared_object(objects, library, extra_postargs=CORE_LINK_FLAGS)


setup(
    cffi_modules=["build_ort.py:ffibuilder"],
    cmdclass={"build_ext": BuildExtensionAndCore},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
