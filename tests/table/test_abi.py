# SPDX-License-Identifier: MIT
"""The binary interface of the libraries, through ctypes, an exported name and slot numbers."""

import ctypes
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.versions import API_VERSION, EACH_VERSION

SLOTS = 429
CREATE_STATUS, GET_ERROR_CODE, GET_ERROR_MESSAGE = 0, 1, 2
RELEASE_STATUS = 93
REFUSAL = (
    "The requested API version [{asked}] is not available, only API versions [1, {newest}] are "
    "supported in this build. Current ORT Version is: {version}\n"
)


class Base(ctypes.Structure):
    _fields_ = (
        ("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)),
        ("get_version_string", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    )


class Library:
    """A library that exports OrtGetApiBase, and its table as an array of addresses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        get_base = ctypes.CDLL(str(path)).OrtGetApiBase
        get_base.restype = ctypes.POINTER(Base)
        self.get_base = get_base
        self.base = get_base().contents
        self.table = self.base.get_api(API_VERSION)
        assert self.table
        self.slots = (ctypes.c_void_p * SLOTS).from_address(self.table)

    def slot(self, number: int, result: type | None, *arguments: type) -> Callable[..., object]:
        address = self.slots[number]
        assert address is not None
        return ctypes.CFUNCTYPE(result, *arguments)(address)


@pytest.fixture(params=["core", "real"])
def library(request: pytest.FixtureRequest) -> Library:
    path = request.getfixturevalue(f"{request.param}_library")
    if request.param == "real" and int(path.name.split(".")[-2]) < API_VERSION:
        pytest.skip(f"{path.name} is older than API version {API_VERSION}")
    return Library(path)


def mapping_of(address: int) -> tuple[str, str]:
    """The permissions of the page at an address, and the file that it is mapped from."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)", line)
        assert found is not None
        if int(found[1], 16) <= address < int(found[2], 16):
            return found[3], found[4]
    raise AssertionError(f"nothing is mapped at {address:#x}")


def test_the_entry_gives_the_same_base_each_time(library: Library) -> None:
    first, second = library.get_base(), library.get_base()
    assert ctypes.addressof(first.contents) == ctypes.addressof(second.contents)


def test_every_version_up_to_the_newest_is_the_same_table(library: Library) -> None:
    assert {library.base.get_api(version) for version in EACH_VERSION} == {library.table}


def test_the_version_string_names_the_newest_api_version(library: Library) -> None:
    newest = int(library.base.get_version_string().split(b".")[1])
    assert library.base.get_api(newest)
    assert newest >= API_VERSION


def test_a_version_that_there_is_not_is_refused_with_those_that_there_are(
    library: Library, capfd: pytest.CaptureFixture[str]
) -> None:
    version = library.base.get_version_string().decode()
    newest = int(version.split(".")[1])
    asked = [0, newest + 1, 2**32 - 1]
    assert [library.base.get_api(number) for number in asked] == [None] * 3
    assert capfd.readouterr().err == "".join(
        REFUSAL.format(asked=number, newest=newest, version=version) for number in asked
    )


def test_every_slot_leads_to_code_of_the_library_itself(library: Library) -> None:
    addresses = [address for address in library.slots if address is not None]
    assert len(addresses) == SLOTS
    ends = {mapping_of(min(addresses)), mapping_of(max(addresses))}
    assert ends == {("r-xp", str(library.path.resolve()))}


def test_base_and_table_cannot_be_written(library: Library) -> None:
    base = ctypes.addressof(library.base)
    addresses = [base, library.table, library.table + (SLOTS - 1) * 8]
    assert {mapping_of(address)[0] for address in addresses} == {"r--p"}


def test_a_status_is_made_read_and_released_by_numbers_of_slots(library: Library) -> None:
    pointer = ctypes.c_void_p
    create = library.slot(CREATE_STATUS, pointer, ctypes.c_int, ctypes.c_char_p)
    status = create(3, "nicht da: ä".encode())
    assert status
    assert library.slot(GET_ERROR_CODE, ctypes.c_int, pointer)(status) == 3
    message = library.slot(GET_ERROR_MESSAGE, ctypes.c_char_p, pointer)(status)
    assert message == "nicht da: ä".encode()
    library.slot(RELEASE_STATUS, None, pointer)(status)
