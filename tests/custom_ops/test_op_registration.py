# SPDX-License-Identifier: MIT
"""Custom ops as C libraries register them, on the core and, noted on the way, on another library.

The libraries are those of tests/c/clients/op_library.c.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.paths import CHECKOUT
from support.versions import API_VERSION

import ortcffi
from ortcffi._native import ffi, lib

LAST = 2**31 - 1
REQUIRED, OPTIONAL, VARIADIC = range(3)
FLOAT, STRING = 1, 8
CPU_INPUT, DEFAULT = -2, 0


class Registered(NamedTuple):
    """Options with custom ops, and the list in which they can be read."""

    options: Any
    ops: Any


def text(pointer: Any) -> str:
    return ffi.string(pointer).decode()


def read(ops: Any) -> list[tuple[str, int, int, list[tuple[int, ...]]]]:
    """Name, versions, and inputs before outputs of each op of the first domain."""
    found = []
    while (op := lib.ortcffi_op_at(ops, 0, len(found))) != ffi.NULL:
        operands = []
        for is_output in (False, True):
            for i in range(lib.core_op_operand_count(op, is_output)):
                o = lib.core_op_operand(op, is_output, i)
                operands.append((o.type, o.characteristic, o.memory, o.least, o.is_homogeneous))
        first, last = ffi.new("int*"), ffi.new("int*")
        lib.core_op_versions(op, first, last)
        found.append((text(lib.core_op_name(op)), first[0], last[0], operands))
    return found


@pytest.fixture
def build(compile_c: Callable[..., Path]) -> Callable[..., Path]:
    """``build(*flags)`` is a library of custom ops."""

    def build(*flags: str) -> Path:
        return compile_c(CHECKOUT / "tests/c/clients/op_library.c", "-shared", "-fPIC", *flags)

    return build


@pytest.fixture
def registered(api: ortcffi.Api) -> Iterator[Registered]:
    """Empty options."""
    options = ffi.new("OrtSessionOptions**")
    assert lib.CreateSessionOptions(api.pointer, options) == ffi.NULL
    if api is ortcffi.default_api():
        yield Registered(options[0], lib.ortcffi_options_ops(options[0]))
        lib.ReleaseSessionOptions(api.pointer, options[0])
        return
    ops = ffi.new("ortcffi_ops**")
    assert lib.ortcffi_new_ops(ffi.NULL, ops)
    yield Registered(options[0], ops[0])
    lib.ReleaseSessionOptions(api.pointer, options[0])
    lib.ortcffi_end_ops(ops[0])


def register(api: ortcffi.Api, to: Registered, path: Path) -> Any:
    """The status of a registration."""
    name = str(path).encode()
    if api is ortcffi.default_api():
        return lib.RegisterCustomOpsLibrary_V2(api.pointer, to.options, name)
    return lib.ortcffi_record_library(api.base, api.pointer, api.version, to.options, name, to.ops)


def is_loaded(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_no_field_is_read_that_the_version_of_an_op_does_not_have(api, registered, build):
    assert register(api, registered, build()) == ffi.NULL
    assert text(lib.ortcffi_op_domain(registered.ops, 0)) == "test.pages"
    plain = [(FLOAT, REQUIRED, DEFAULT, 1, 1), (STRING, REQUIRED, DEFAULT, 1, 1)]
    named = [(FLOAT, OPTIONAL, DEFAULT, 1, 1), (STRING, VARIADIC, DEFAULT, 1, 1)]
    placed = [(FLOAT, OPTIONAL, CPU_INPUT, 1, 1), (STRING, VARIADIC, CPU_INPUT, 1, 1)]
    counted = [placed[0], (STRING, VARIADIC, CPU_INPUT, 3, 0)]
    expected = [
        *((f"V{v:02}", 1, LAST, [*plain, plain[0]]) for v in (1, 7)),
        *((f"V{v:02}", 1, LAST, [*named, named[0]]) for v in (8, 12)),
        ("V13", 1, LAST, [*placed, named[0]]),
        *((f"V{v:02}", 1, LAST, [*counted, named[0]]) for v in (14, 16)),
        *((f"V{v:02}", 3, 3, [*counted, named[0]]) for v in (17, 18, API_VERSION)),
    ]
    assert read(registered.ops) == expected


def test_a_library_that_fails_leaves_nothing_behind(api, registered, build):
    library = build("-DFAILS=1")
    status = register(api, registered, library)
    assert lib.GetErrorCode(api.pointer, status) == ortcffi.ErrorCode.EP_FAIL
    assert text(lib.GetErrorMessage(api.pointer, status)) == "halfway"
    lib.ReleaseStatus(api.pointer, status)
    assert lib.ortcffi_op_domain(registered.ops, 0) == ffi.NULL
    assert not is_loaded(library)


def test_what_is_no_library_is_a_failure_with_the_systems_reason(api, registered, tmp_path):
    status = register(api, registered, tmp_path / "none.so")
    assert lib.GetErrorCode(api.pointer, status) == ortcffi.ErrorCode.FAIL
    assert "No such file" in text(lib.GetErrorMessage(api.pointer, status))
    lib.ReleaseStatus(api.pointer, status)


def test_a_library_stays_loaded_as_long_as_options_or_a_copy_need_it(core_api, build):
    api, library = core_api.pointer, build()
    options, copy = ffi.new("OrtSessionOptions**"), ffi.new("OrtSessionOptions**")
    assert lib.CreateSessionOptions(api, options) == ffi.NULL
    assert lib.RegisterCustomOpsLibrary_V2(api, options[0], str(library).encode()) == ffi.NULL
    assert lib.CloneSessionOptions(api, options[0], copy) == ffi.NULL
    lib.ReleaseSessionOptions(api, options[0])
    assert is_loaded(library)
    assert len(read(lib.ortcffi_options_ops(copy[0]))) == 10
    lib.ReleaseSessionOptions(api, copy[0])
    assert not is_loaded(library)


def test_the_ops_of_a_released_domain_are_not_read(core_api):
    api, domain, options = (
        core_api.pointer,
        ffi.new("OrtCustomOpDomain**"),
        ffi.new("OrtSessionOptions**"),
    )
    assert lib.CreateSessionOptions(api, options) == ffi.NULL
    assert lib.CreateCustomOpDomain(api, b"gone", domain) == ffi.NULL
    assert lib.CustomOpDomain_Add(api, domain[0], ffi.cast("OrtCustomOp*", 16)) == ffi.NULL
    assert lib.AddCustomOpDomain(api, options[0], domain[0]) == ffi.NULL
    lib.ReleaseCustomOpDomain(api, domain[0])
    ops = lib.ortcffi_options_ops(options[0])
    assert text(lib.ortcffi_op_domain(ops, 0)) == "gone"
    assert lib.ortcffi_op_at(ops, 0, 0) == ffi.NULL
    lib.ReleaseSessionOptions(api, options[0])
