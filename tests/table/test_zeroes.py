# SPDX-License-Identifier: MIT
"""Every slot, called with nothing but zeroes: of hosts of each older version, and of a trace."""

import ctypes

import pytest
from slots import slots_of
from support.null_calls import MOST_ARGUMENTS, function, kind_of
from support.versions import EACH_VERSION, VERSION_STRING

import ortcffi as ort
from ortcffi import ErrorCode, ffi, lib
from ortcffi._table import host_function
from ortcffi.errors import InvalidArgument, check

SLOTS, EP_SLOTS = slots_of("ort_slots.def"), slots_of("ort_ep_slots.def")


def slots_at(table):
    """The slots of a table by their numbers, as a stranger has them."""
    address = table if isinstance(table, int) else int(ffi.cast("uintptr_t", table))
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))


def answer(table, slot):
    """A status as its code and message, or else a number."""
    returns = ctypes.c_bool if slot.signature.startswith("bool ") else ctypes.c_void_p
    call = function(table, slot.index, returns, MOST_ARGUMENTS)
    found = call(*[None] * MOST_ARGUMENTS) or 0
    if kind_of(slot) == "nothing":
        return 0
    if kind_of(slot) != "status" or found == 0:
        return found
    core, status = ort.core_api().pointer, ffi.cast("OrtStatus*", found)
    said = lib.GetErrorCode(core, status), ffi.string(lib.GetErrorMessage(core, status)).decode()
    lib.ReleaseStatus(core, status)
    return said


@pytest.mark.parametrize("version", EACH_VERSION)
def test_a_slot_of_an_older_host_is_the_cores_or_says_that_it_came_later(version, core_api):
    host, core = slots_at(ort.emulate(version).pointer), slots_at(core_api.pointer)
    for slot in SLOTS:
        if slot.since > version:
            text = f"{slot.name} came with API version {slot.since}; this host is of an older one"
            refusal = (ErrorCode.NOT_IMPLEMENTED, text) if kind_of(slot) == "status" else 0
            assert answer(host, slot) == refusal
        elif not slot.name.startswith("RegisterCustomOps"):  # which hand out a base of their own
            assert host[slot.index] == core[slot.index], slot.name


def test_each_slot_of_a_trace_answers_as_the_cores_and_is_counted(core_api):
    with ort.trace(core_api) as traced:
        tables = [(slots_at(traced.table), slots_at(core_api.pointer))]
        for slot in SLOTS:
            ours, cores = (answer(table, slot) for table in tables[0])
            assert (ours == cores) == (slot.name != "GetEpApi"), slot.name
            if slot.name == "GetEpApi":  # the table for execution providers is the trace's own
                tables.append((slots_at(ours), slots_at(cores)))
        for slot in EP_SLOTS:
            assert answer(tables[1][0], slot) == answer(tables[1][1], slot), slot.name
    assert traced.called == {slot.name: 1 for slot in (*SLOTS, *EP_SLOTS)}


@pytest.mark.parametrize(
    ("place", "wrong", "message"),
    [
        (0, ffi.NULL, "api must not be NULL"),
        (0, None, "api must not be the table of a trace"),
        (1, 0, "version must be 1 or more"),
        (2, ffi.NULL, "version_string must not be NULL"),
        (4, ffi.NULL, "out must not be NULL"),
    ],
)
def test_a_trace_is_not_begun_with_a_wrong_argument(core_api, place, wrong, message):
    out = ffi.new("OrtcoreTrace**")
    with ort.trace(core_api) as traced:
        given = [core_api.pointer, 1, ffi.new("char[]", VERSION_STRING.encode()), ffi.NULL, out]
        given[place] = traced.table if wrong is None else wrong
        with pytest.raises(InvalidArgument, match=f"^{message}$"):
            check(
                core_api.pointer, host_function("OrtcoreTraceBegin")(*given), "ortcore_trace_begin"
            )
    assert out[0] == ffi.NULL
