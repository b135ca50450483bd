# SPDX-License-Identifier: MIT
"""Rules for the file of a library, which is read and not loaded."""

import mmap
import re
import struct
from functools import cached_property
from pathlib import Path

from ortcffi._public import few
from ortcffi.kernels import child
from ortcffi.table import elf
from ortcffi.testing.rules import Broken, NotTried, rule

ENTRIES = ("RegisterCustomOps", "CreateEpFactories")
SECONDS = 60
_EXPORTS = {*ENTRIES, "ReleaseEpFactory"}
_STANDARD = "_ZS", "_ZNS", "_ZNKS", "_ZTIS", "_ZTSS", "_ZTVS"  # templates of C++'s own library
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
# What GetExperimentalFunction is asked for. The function that only shows how these work is left.
_EXPERIMENTAL = re.compile(rb"\0(Ort\w{0,20}Api_(?!ExperimentalApiTest_)\w{1,100}_SinceV28)(?=\0)")


class LibraryFile:
    """The file of a library; its facts are read when a rule asks for them."""

    def __init__(self, path: str) -> None:
        self.path = path

    @cached_property
    def library(self) -> elf.SharedLibrary:
        """Its tables; raises `Broken` if it has none."""
        if self.path.endswith(".py"):
            text = "it is no library: try a provider written in Python with ort.Ep and compare_ep"
            raise Broken(text)
        try:
            return elf.read(self.path, elf.DYNAMIC)
        except (OSError, elf.ElfError) as error:
            raise Broken(str(error)) from error

    @property
    def entry(self) -> str | None:
        """The function with which a host begins; that of ops, where it is not known."""
        exports = self.library.exports
        found = (name for name in ENTRIES if exports is None or name in exports)
        return next(found, None)

    @cached_property
    def undefined(self) -> list[str]:
        """The undefined symbols that no library that it needs defines."""
        done = child.run_command(["ldd", "-r", self.path], SECONDS)
        text = (done.output + done.errors).decode(errors="replace")
        if done.code != 0 or "not found" in text.replace("symbol not found", ""):
            raise NotTried("whether all of its undefined symbols are defined is not known")
        found = re.findall(r"undefined symbol: (\w+)", text)  # glibc's words, then those of musl
        return found + re.findall(r": (\w+): symbol not found", text)

    def dynamic(self, *tags: int) -> list[str]:
        """The texts of its dynamic section that have one of these tags."""
        return [
            table.text(value)
            for table in self.library.tables
            if table.kind == elf.DYNAMIC
            for tag, value in struct.iter_unpack("<QQ", table.data)
            if tag in tags
        ]


@rule("file", "the header: RegisterCustomOps, CreateEpFactories")
def is_a_library(file: LibraryFile) -> None:
    """It is a shared library that exports the entry of ops or of execution providers.

    Of 64 bits, for this machine, and whole.
    """
    if file.entry is None:
        raise Broken(f"it exports neither {' nor '.join(ENTRIES)}")


@rule("file", "the linker's option -z defs")
def has_all_its_symbols(file: LibraryFile) -> str:
    """Libraries that it needs define all of its undefined symbols, those of Python excepted.

    Otherwise it loads only where something else has loaded these libraries before.
    """
    python = [name for name in file.undefined if name.startswith(("Py", "_Py"))]
    missing = [name for name in file.undefined if name not in (*python, "OrtGetApiBase")]
    if missing:
        text = f"no library that it needs defines {', '.join(few(missing, 5))}"
        raise Broken(f"{text}: link it with the one that does")
    text = f"expects {len(python)} symbols of a Python interpreter, so it loads only in one"
    return text if python else ""


@rule("file", "the header: the base is an argument of the entry")
def uses_the_base_that_it_is_given(file: LibraryFile) -> None:
    """It does not find OrtGetApiBase by its name, and is not linked with a libonnxruntime.

    The name is that of whatever library was loaded first, which may be another one than its host.
    """
    if any(name.startswith("libonnxruntime.so") for name in file.dynamic(_NEEDED)):
        raise Broken("it is linked with a libonnxruntime, and loads that one too")
    if "OrtGetApiBase" in file.undefined:
        raise Broken("it finds OrtGetApiBase by name: use the base that it is given instead")


@rule("file", "the dynamic loader: RPATH and RUNPATH")
def searches_no_folder_of_one_machine(file: LibraryFile) -> None:
    """It searches for libraries beside itself or where the system has them.

    An absolute folder is one of the machine that it was built on.
    """
    paths = ":".join(file.dynamic(_RPATH, _RUNPATH)).split(":")
    if fixed := [path for path in paths if path.startswith("/")]:
        raise Broken(f"it searches libraries in {', '.join(fixed)}")


@rule("file", "ONNX Runtime 1.31 and later; measured")
def asks_for_no_experimental_function(file: LibraryFile) -> None:
    """It needs no experimental function, which other releases do not have.

    Found by the names in its file.
    """
    with (
        Path(file.path).open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        names = sorted({found[1].decode() for found in _EXPERIMENTAL.finditer(data)})
    if names:
        text = "it asks for experimental functions, which only ONNX Runtime 1.28 to 1.30 has: "
        raise Broken(text + ", ".join(names))


@rule("file", "the dynamic loader", must=False)
def exports_its_entry_alone(file: LibraryFile) -> None:
    """It exports its entry and nothing else, which could clash with names of others.

    Templates of C++'s own library excepted.
    """
    beside = set(file.library.exports or ()) - _EXPORTS
    if names := sorted(name for name in beside if not name.startswith(_STANDARD)):
        raise Broken(
            f"exports beside {file.entry}, and may clash with others': {', '.join(few(names, 5))}"
        )
