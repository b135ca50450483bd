# SPDX-License-Identifier: MIT
"""The reader of ELF files: results for good libraries, and robustness against hostile files."""

import contextlib
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ortcffi.table import elf
from ortcffi.table import load as loading

CORE = Path(loading.core_path())


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[bytes], Path]:
    """``broken(content)`` is a file with that content."""

    def broken(content: bytes) -> Path:
        path = tmp_path / "broken.so"
        path.write_bytes(content)
        return path

    return broken


def exports_of(path: str, symbol: str) -> bool | None:
    exports = elf.read(path).exports
    return None if exports is None else symbol in exports


def problem_of(path: Path) -> str:
    with pytest.raises(elf.ElfError) as caught:
        elf.read(str(path))
    return str(caught.value)


def test_exports_agree_with_an_independent_reader():
    with CORE.open("rb") as stream:
        symbols = list(ELFFile(stream).get_section_by_name(".dynsym").iter_symbols())
    names = {s.name for s in symbols if s.name}
    defined = {s.name for s in symbols if s.name and s["st_shndx"] != "SHN_UNDEF"}
    assert {name for name in names if exports_of(str(CORE), name)} == defined
    assert "OrtGetApiBase" in defined
    assert "dlopen" in names - defined
    assert exports_of(str(CORE), "GetApiBase") is False  # only part of a name


def test_a_hidden_function_is_not_exported(compile_c):
    source = '__attribute__((visibility("hidden"))) int OrtGetApiBase(void) { return 0; }'
    library = compile_c(source, "-shared", "-fPIC")
    assert exports_of(str(library), "OrtGetApiBase") is False


def test_without_sections_the_exports_are_unknown(broken):
    content = bytearray(CORE.read_bytes())
    struct.pack_into("<Q", content, 40, 0)  # e_shoff
    struct.pack_into("<HH", content, 58, 0, 0)  # e_shentsize, e_shnum
    assert exports_of(str(broken(bytes(content))), "OrtGetApiBase") is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is no ELF file: it is empty"),
        (b"hello\n", "is no ELF file: it begins with b'hello\\n'"),
        (b"MZ\x90\0", "is no ELF file: it is a Windows library"),
        (b"\xcf\xfa\xed\xfe", "is no ELF file: it is a macOS library"),
        (b"!<arch>\nx", "is no ELF file: it is a static library"),
        (b"PK\x03\x04", "is no ELF file: it is a zip file, such as a wheel"),
        (b"\x7fELF", "is damaged: its ELF header is malformed"),
        (b"\x7fELF\x09\x01" + bytes(60), "is damaged: its ELF header is malformed"),
        (b"\x7fELF\x02\x01" + bytes(10) + b"\x03\0\x3e\0", "is cut off within its ELF header"),
        (
            b"\x7fELF\x02\x01" + bytes(10) + b"\x01\0\x3e\0",
            "is no shared library but an object file",
        ),
        (
            b"\x7fELF\x02\x01" + bytes(10) + b"\x03\0\x3e\0" + bytes(44),
            "is damaged: it has no table of segments, or lacks part of it",
        ),
    ],
)
def test_a_file_that_is_no_library_is_refused_with_the_reason(broken, content, problem):
    assert problem_of(broken(content)) == problem


def test_a_file_that_was_cut_off_says_how_much_is_missing(broken):
    content = CORE.read_bytes()[:20000]
    assert problem_of(broken(content)).startswith("is cut off: it has 20000 of at least ")


def test_a_program_is_refused_because_it_is_no_library(compile_c):
    program = compile_c("int main(void) { return 0; }", "-no-pie")
    assert problem_of(program) == "is no shared library but a program"


@pytest.mark.parametrize(
    ("bits", "order", "machine", "text"),
    [
        (2, 1, 183, "AArch64 (64 bits, little-endian)"),
        (1, 1, 3, "x86 (32 bits, little-endian)"),
        (1, 2, 9999, "machine 9999 (32 bits, big-endian)"),
    ],
)
def test_the_platform_is_read_from_the_header(broken, bits, order, machine, text):
    content = bytearray(CORE.read_bytes())
    content[4:6] = bytes([bits, order])
    struct.pack_into(" <>"[order] + "HH", content, 16, 3, machine)
    assert str(elf.read(str(broken(bytes(content)))).platform) == text


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    patches=st.lists(st.tuples(st.integers(6, 4096), st.binary(min_size=1, max_size=8)), max_size=6)
)
@example(patches=[(32, b"\xff" * 8)])
@example(patches=[(40, b"\xff" * 8)])
@example(patches=[(54, b"\xff" * 8)])
def test_a_corrupted_library_is_read_or_refused(tmp_path, patches):
    content = bytearray(CORE.read_bytes())
    for offset, patch in patches:
        content[offset : offset + len(patch)] = patch
    path = tmp_path / "corrupted.so"
    path.write_bytes(content)
    with contextlib.suppress(elf.ElfError):
        assert exports_of(str(path), "OrtGetApiBase") in (True, False, None)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    row=st.integers(0, 40),
    field=st.sampled_from([4, 24, 32, 40, 56]),
    value=st.integers(0, 2**32 - 1),
)
def test_a_corrupted_section_only_makes_the_exports_unknown(tmp_path, row, field, value):
    content = bytearray(CORE.read_bytes())
    (sections,) = struct.unpack_from("<Q", content, 40)
    offset = sections + 64 * row + field
    content[offset : offset + 4] = struct.pack("<I", value)[: max(0, len(content) - offset)]
    path = tmp_path / "corrupted.so"
    path.write_bytes(content)
    assert exports_of(str(path), "OrtGetApiBase") in (True, False, None)
