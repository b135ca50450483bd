# SPDX-License-Identifier: MIT
"""Traces count the calls of clients in C, and forward them to the traced table."""

import gc
import weakref

import numpy as np
import pytest
from support.paths import CHECKOUT
from support.threads import run_threads

import ortcffi
from ortcffi import ErrorCode
from ortcffi._native import ffi, lib
from ortcffi.table.trace import Needs, Trace

CUSTOM_OPS = CHECKOUT / "tests/c/clients/custom_ops.c"
MAKE_STATUS = {"CreateStatus": 1, "ReleaseStatus": 1}


def make_status(table):
    """Create and release a status, as a client that was given the table."""
    lib.ReleaseStatus(table, lib.CreateStatus(table, ErrorCode.FAIL, b"message"))


def test_what_a_client_calls_is_counted_in_the_order_of_the_table(api):
    out = ffi.new("OrtMemoryInfo**")
    with ortcffi.trace(api) as traced:
        lib.CreateCpuMemoryInfo(traced.table, 0, 0, out)
        make_status(traced.table)
        lib.ReleaseMemoryInfo(traced.table, out[0])
    expected = ["CreateStatus", "CreateCpuMemoryInfo", "ReleaseStatus", "ReleaseMemoryInfo"]
    assert list(traced.called) == expected
    assert set(traced.called.values()) == {1}


def test_what_the_package_calls_for_its_own_objects_is_not_counted(api):
    with ortcffi.trace(api) as traced:
        with ortcffi.Value.from_numpy(np.zeros((2, 3)), api=traced.api) as value:
            assert value.shape == (2, 3)
        with ortcffi.SessionOptions(traced.api, config={"key": "value"}) as options:
            assert dict(options.config) == {"key": "value"}
    assert (traced.called, traced.asked, traced.needs) == ({}, (), Needs(1, ()))


def test_what_a_registered_op_library_calls_is_counted(core_api, compile_c):
    path = compile_c(CUSTOM_OPS, "-shared", "-fPIC", "-DASKED=16")
    with ortcffi.trace(core_api) as traced, ortcffi.SessionOptions(traced.api) as options:
        options.register_custom_ops(path)
        assert [op.name for op in options.custom_ops] == ["Nothing"]
    expected = ["CreateCustomOpDomain", "CustomOpDomain_Add", "AddCustomOpDomain"]
    assert {slot: traced.called[slot] for slot in expected} == dict.fromkeys(expected, 1)
    assert traced.asked == (16,)


def test_the_need_counts_what_the_struct_of_an_op_relies_on(core_api, compile_c):
    fields = ".GetInputTypeCount=none,.GetOutputTypeCount=none,.CreateKernelV2=create_v2"
    flags = ["-DASKED=16", "-DOP_VERSION=16", f"-DOP_FIELDS={fields}"]
    path = compile_c(CUSTOM_OPS, "-shared", "-fPIC", *flags)
    with ortcffi.trace(core_api) as traced, ortcffi.SessionOptions(traced.api) as options:
        options.register_custom_ops(path)
    assert traced.needs == Needs(16, (), ("CreateKernelV2", "KernelComputeV2"))


def test_without_a_table_the_default_one_is_traced():
    with ortcffi.trace() as traced:
        assert traced.api == ortcffi.default_api()
        make_status(traced.table)
    assert traced.called == MAKE_STATUS


# --- versions -------------------------------------------------------------------------------------


def test_the_need_is_the_newest_of_the_slots_that_were_called(api):
    with ortcffi.trace(api) as traced:
        lib.ReleaseKeyValuePairs(traced.table, ffi.NULL)
        lib.ReleaseMemoryInfo(traced.table, ffi.NULL)
    assert traced.needs == Needs(22, ("ReleaseKeyValuePairs",))


def test_the_versions_that_were_asked_for_are_kept(api, capfd):
    with ortcffi.trace(api) as traced:
        assert traced.base.GetApi(api.version + 1) == ffi.NULL
        assert traced.base.GetApi(0) == ffi.NULL
        assert traced.base.GetApi(12) == traced.table
        assert traced.base.GetApi(2**32 - 1) == ffi.NULL
    assert traced.asked == (0, 12, api.version + 1, 63)
    refused = f"is not available, only API versions [1, {api.version}]"
    assert capfd.readouterr().err.count(refused) == 3


def test_a_base_shows_the_version_that_can_be_asked_of_it(api):
    with ortcffi.trace(api) as traced:
        text = ffi.string(traced.base.GetVersionString()).decode()
    assert text == traced.api.version_string
    assert text.startswith(f"1.{api.version}.")


def test_a_slot_later_than_the_host_is_counted_and_refused():
    with ortcffi.trace(ortcffi.emulate(12)) as traced:
        status = lib.GetEpDevices(traced.table, ffi.NULL, ffi.NULL, ffi.NULL)
        with pytest.raises(ortcffi.errors.NotImplemented, match="this host is of an older one"):
            ortcffi.errors.check(traced.api.pointer, status, "GetEpDevices")
    assert traced.needs == Needs(22, ("GetEpDevices",))


def test_a_slot_that_a_library_is_too_old_for_is_never_read(real_api):
    """The pretended library of version 5 is the real one: what is released there was made there."""
    old = ortcffi.Api(real_api.pointer, version=5, version_string="1.5.2", path="old")
    with ortcffi.trace(old) as traced:
        status = lib.GetEpDevices(traced.table, ffi.NULL, ffi.NULL, ffi.NULL)
        with pytest.raises(ortcffi.errors.NotImplemented) as caught:
            ortcffi.errors.check(traced.api.pointer, status, "GetEpDevices")
    expected = "GetEpDevices came with API version 22; this host is of an older one"
    assert caught.value.message == expected


# --- the end of a trace ---------------------------------------------------------------------------


def test_after_the_end_nothing_is_counted_and_everything_works(api):
    with ortcffi.trace(api) as traced:
        make_status(traced.table)
    make_status(traced.table)
    traced.close()
    assert traced.called == MAKE_STATUS


def test_a_third_trace_is_refused_and_the_others_go_on(core_api):
    with ortcffi.trace(core_api) as first, ortcffi.trace(core_api) as second:
        with pytest.raises(ortcffi.errors.Fail, match="two traces are open"):
            ortcffi.trace(core_api)
        make_status(second.table)
    assert (first.called, second.called) == ({}, MAKE_STATUS)


def test_any_number_of_traces_can_follow_each_other(core_api, real_api):
    for api in [core_api, real_api] * 10:
        with ortcffi.trace(api) as traced:
            make_status(traced.table)
        assert traced.called == MAKE_STATUS


def test_options_keep_their_trace_from_being_reused(core_api, real_api):
    options = ortcffi.SessionOptions(ortcffi.trace(core_api).api)
    gc.collect()
    other = ortcffi.trace(real_api)
    with pytest.raises(ortcffi.errors.Fail):
        ortcffi.trace(real_api)
    options.close()
    del options
    assert ortcffi.trace(real_api).called == {}
    assert other.called == {}


def test_threads_count_together(core_api):
    with ortcffi.trace(core_api) as traced:

        def work():
            for _ in range(1000):
                make_status(traced.table)

        run_threads(*[work] * 4)
    assert traced.called == {"CreateStatus": 4000, "ReleaseStatus": 4000}


def test_the_memory_of_figures_lives_as_long_as_the_trace(core_api):
    class Memory(bytearray):
        """One to which there can be weak references."""

    memory = Memory(ffi.sizeof("OrtcoreFigures"))
    traced = Trace(core_api, ffi.from_buffer("OrtcoreFigures *", memory))
    lives = weakref.ref(memory)
    del memory
    gc.collect()
    assert lives() is not None
    make_status(traced.table)
    assert traced.called == MAKE_STATUS
    del traced
    gc.collect()
    assert lives() is None
