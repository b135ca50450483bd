# SPDX-License-Identifier: MIT
"""Emulated hosts of older API versions. test_zeroes.py calls all of their slots."""

import numpy as np
import pytest
from support.paths import CHECKOUT
from support.threads import run_threads
from support.versions import API_VERSION

import ortcffi
from ortcffi import ErrorCode
from ortcffi._native import ffi, lib

VERSIONS = range(1, 31)
CUSTOM_OPS = CHECKOUT / "tests/c/clients/custom_ops.c"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_host_works_and_its_base_has_its_table_and_no_newer_one(version, capfd):
    host = ortcffi.emulate(version)
    assert (host.version, host.version_string) == (version, f"1.{version}.0")
    assert host.cpu_memory_info().name == "Cpu"
    assert host.default_allocator.full(3, 7, np.int32).tolist() == [7, 7, 7]
    assert host.base.GetApi(version) == host.base.GetApi(1) == host.pointer
    assert host.base.GetApi(version + 1) == ffi.NULL
    assert capfd.readouterr().err == (
        f"The requested API version [{version + 1}] is not available, only API versions "
        f"[1, {version}] are supported in this build. Current ORT Version is: 1.{version}.0\n"
    )


def test_hosts_differ_unless_they_are_of_one_version():
    assert ortcffi.emulate(20) == ortcffi.emulate(20) != ortcffi.emulate(21)
    assert ortcffi.emulate(API_VERSION) == ortcffi.core_api()


def test_a_host_accepts_the_objects_of_another():
    status = ortcffi.Status(ErrorCode.FAIL, "made by an old host", ortcffi.emulate(3))
    assert ffi.string(lib.GetErrorMessage(ortcffi.emulate(29).pointer, status.handle)) == (
        b"made by an old host"
    )


def test_threads_that_ask_at_once_get_the_same_tables():
    pointers = []
    run_threads(*[lambda: pointers.append(ortcffi.emulate(5).pointer)] * 64)
    assert len(pointers) == 64
    assert len(set(pointers)) == 1


# --- op libraries ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [14, 15, 29])
def test_an_op_library_that_asks_for_a_newer_version_gets_no_table(version, compile_c, capfd):
    library = compile_c(CUSTOM_OPS, "-shared", "-fPIC", f"-DASKED={version + 1}")
    with ortcffi.SessionOptions(ortcffi.emulate(version)) as options:
        options.register_custom_ops(library)
        assert options.custom_ops == []
    assert f"only API versions [1, {version}] are supported" in capfd.readouterr().err


@pytest.mark.parametrize("version", [14, 16, API_VERSION])
def test_an_op_library_gets_the_table_of_its_host(version, compile_c):
    library = compile_c(CUSTOM_OPS, "-shared", "-fPIC", f"-DASKED={version}")
    with ortcffi.SessionOptions(ortcffi.emulate(version)) as options:
        options.register_custom_ops(library)
        assert [op.name for op in options.custom_ops] == ["Nothing"]


@pytest.mark.parametrize("slot", ["RegisterCustomOpsLibrary", "RegisterCustomOpsLibrary_V2"])
def test_the_slots_themselves_hand_out_the_base_of_the_host(slot, compile_c, capfd):
    path = str(compile_c(CUSTOM_OPS, "-shared", "-fPIC", "-DASKED=17")).encode()
    host, handle = ortcffi.emulate(16), ffi.new("void**")
    with ortcffi.SessionOptions(host) as options:
        more = (handle,) if slot == "RegisterCustomOpsLibrary" else ()
        status = getattr(lib, slot)(host.pointer, options.handle, path, *more)
        ortcffi.errors.check(host.pointer, status, slot)
        assert options.custom_ops == []
    assert "The requested API version [17] is not available" in capfd.readouterr().err
