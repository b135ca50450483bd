# SPDX-License-Identifier: MIT
"""Descriptions of where memory is."""

import pytest

from ortcffi import AllocatorType, DeviceMemoryType, DeviceType, MemoryInfo, MemType, errors
from ortcffi._native import ffi, lib

PROPERTIES = ["name", "id", "device_type", "mem_type", "allocator_type", "device_mem_type"]
PROPERTIES += ["vendor_id"]


def facts(info):
    return {name: getattr(info, name) for name in PROPERTIES}


def test_a_device_known_by_name_has_all_its_properties(api):
    with api.memory_info("CudaPinned", AllocatorType.ARENA, 3, MemType.CPU_INPUT) as info:
        assert facts(info) == {
            "name": "CudaPinned",
            "id": 3,
            "device_type": DeviceType.GPU,
            "mem_type": MemType.CPU_INPUT,
            "allocator_type": AllocatorType.ARENA,
            "device_mem_type": DeviceMemoryType.HOST_ACCESSIBLE,
            "vendor_id": 0x10DE,
        }
        enums = DeviceType, MemType, AllocatorType, DeviceMemoryType
        assert {type(each) for each in facts(info).values()} >= set(enums)


def test_numbers_that_the_enums_do_not_know_are_kept(api):
    with api.memory_info("Cpu", 99, 0, 77) as info:
        assert (info.allocator_type, info.mem_type) == (99, 77)
        assert type(info.allocator_type) is int


def test_memory_of_the_cpu(api):
    with api.cpu_memory_info(AllocatorType.ARENA, MemType.CPU_OUTPUT) as info:
        assert (info.name, info.id, info.device_type) == ("Cpu", 0, DeviceType.CPU)
        assert (info.allocator_type, info.mem_type) == (AllocatorType.ARENA, MemType.CPU)


def test_memory_of_any_device(api):
    with api.device_memory_info(
        "any naïve name",
        DeviceType.NPU,
        vendor_id=0xFFFFFFFF,
        device_id=-1,
        device_mem_type=DeviceMemoryType.HOST_ACCESSIBLE,
        alignment=4096,
        allocator_type=AllocatorType.READ_ONLY,
    ) as info:
        assert facts(info) == {
            "name": "any naïve name",
            "id": -1,
            "device_type": DeviceType.NPU,
            "mem_type": MemType.CPU,
            "allocator_type": AllocatorType.READ_ONLY,
            "device_mem_type": DeviceMemoryType.HOST_ACCESSIBLE,
            "vendor_id": 0xFFFFFFFF,
        }


@pytest.mark.parametrize(
    ("device_mem_type", "mem_type"),
    [(DeviceMemoryType.DEFAULT, MemType.DEFAULT), (DeviceMemoryType.HOST_ACCESSIBLE, MemType.CPU)],
)
def test_memory_that_the_cpu_reaches_is_memory_of_the_cpu(api, device_mem_type, mem_type):
    with make(api, device_mem_type=device_mem_type) as info:
        assert info.mem_type == mem_type


@pytest.mark.parametrize("name", ["NoSuchDevice", "cpu", "", "naïve"])
def test_an_unknown_name_or_type_is_an_invalid_argument(api, name):
    with pytest.raises(errors.InvalidArgument) as caught:
        api.memory_info(name)
    assert caught.value.function == "CreateMemoryInfo"
    with pytest.raises(errors.InvalidArgument) as caught:
        api.device_memory_info("any", 99)
    assert caught.value.function == "CreateMemoryInfo_V2"


def make(api, **changed):
    return api.device_memory_info(**{"name": "any", **changed})


@pytest.mark.parametrize(
    ("argument", "value", "limits"),
    [
        ("device_type", -1, "0 to 4294967295"),
        ("vendor_id", -1, "0 to 4294967295"),
        ("device_id", 2**31, "-2147483648 to 2147483647"),
        ("device_mem_type", 2**32, "0 to 4294967295"),
        ("alignment", 2**63, "0 to 9223372036854775807"),
        ("allocator_type", -(2**31) - 1, "-2147483648 to 2147483647"),
    ],
)
def test_a_number_that_c_cannot_take_is_refused_by_name(api, argument, value, limits):
    with pytest.raises(ValueError, match=f"{argument} must be from {limits}, but is {value}"):
        make(api, **{argument: value})
    with pytest.raises(TypeError, match=f"{argument} must be an int, not str"):
        make(api, **{argument: "1"})


@pytest.mark.parametrize("make", ["memory_info", "device_memory_info"])
def test_a_name_must_be_text_that_c_can_hold(api, make):
    with pytest.raises(TypeError, match="name must be a str, not bytes"):
        getattr(api, make)(b"Cpu")
    with pytest.raises(ValueError, match="name must not contain a null character"):
        getattr(api, make)("Cpu\0")
    with pytest.raises(ValueError, match="name must be encodable as UTF-8"):
        getattr(api, make)("\udcff")


# --- equality -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"name": "other"},
        {"device_type": DeviceType.GPU},
        {"vendor_id": 1},
        {"device_id": 1},
        {"device_mem_type": DeviceMemoryType.HOST_ACCESSIBLE},
        {"allocator_type": AllocatorType.ARENA},
    ],
)
def test_infos_are_equal_that_differ_in_nothing(api, change):
    with make(api) as one, make(api, **change) as other:
        assert (one == other) == (not change)
        assert len({one, other}) == (2 if change else 1)
        assert one not in {"any", one.handle}


def test_infos_of_different_tables_are_unequal(core_api, real_api):
    with core_api.cpu_memory_info() as one, real_api.cpu_memory_info() as other:
        assert facts(one) == facts(other)
        assert one != other
        assert len({one, other}) == 2


# --- life -----------------------------------------------------------------------------------------


def test_the_repr_has_all_properties_that_the_table_can_read(api):
    with api.memory_info("Cuda", id=2) as info:
        assert repr(info) == (
            "<MemoryInfo 'Cuda' id=2 device_type=GPU mem_type=DEFAULT allocator_type=DEVICE "
            "device_mem_type=DEFAULT vendor_id=4318>"
        )
        old = type(api)(api.pointer, version=1, version_string="1.1.0")
        text = repr(MemoryInfo(old, info.handle, parent=info))
        assert text == "<MemoryInfo 'Cuda' id=2 mem_type=DEFAULT allocator_type=DEVICE>"
    assert repr(info) == "<MemoryInfo closed>"


@pytest.mark.parametrize("name", ["name", "id", "mem_type", "allocator_type"])
def test_the_core_reads_no_info_of_another_library(name, core_api, real_api):
    with real_api.cpu_memory_info() as info:
        foreign = MemoryInfo(core_api, info.handle, parent=info)
        with pytest.raises(errors.InvalidArgument, match="an OrtMemoryInfo of this library"):
            getattr(foreign, name)


def test_slots_without_a_status_return_zero_for_an_info_of_another_library(core_api, real_api):
    with real_api.device_memory_info("n", DeviceType.GPU, vendor_id=7) as info:
        foreign = MemoryInfo(core_api, info.handle, parent=info)
        assert foreign.vendor_id == 0


def test_the_core_compares_and_frees_no_info_of_another_library(core_api, real_api):
    out = ffi.new("int*", 99)
    with real_api.cpu_memory_info() as theirs, core_api.cpu_memory_info() as ours:
        for pair in [(theirs, ours), (ours, theirs)]:
            handles = [info.handle for info in pair]
            status = lib.CompareMemoryInfo(core_api.pointer, *handles, out)
            assert lib.GetErrorCode(core_api.pointer, status) == errors.ErrorCode.INVALID_ARGUMENT
            lib.ReleaseStatus(core_api.pointer, status)
        lib.ReleaseMemoryInfo(core_api.pointer, theirs.handle)
        assert theirs.name == "Cpu"
    assert out[0] == 99
