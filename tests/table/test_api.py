# SPDX-License-Identifier: MIT
"""One table and what it makes; the default table of a process; the import of the package."""

import ast
from pathlib import Path

import pytest
from support.processes import run_python
from support.versions import API_VERSION, VERSION_STRING

import ortcffi
from ortcffi import Api, errors
from ortcffi._native import ffi, lib

PACKAGE = Path(ortcffi.__file__).parent


@pytest.fixture
def old_api(api):
    """The same table, used as one of API version 12."""
    return Api(api.pointer, version=12, version_string="1.12.0", path=api.path)


@pytest.fixture
def default_api_restored():
    yield
    ortcffi.init_api()


# --- facts ----------------------------------------------------------------------------------------


def test_the_core_is_the_table_of_the_newest_version(core_api):
    assert (core_api.version, core_api.version_string) == (API_VERSION, VERSION_STRING)
    assert core_api.path is None
    assert core_api.build_info.startswith("ORT Build Info: ")


def test_tables_are_equal_if_they_are_the_same(core_api, real_api):
    twin = Api(core_api.pointer, version=API_VERSION, version_string=VERSION_STRING)
    assert twin == core_api
    assert hash(twin) == hash(core_api)
    assert core_api != real_api
    assert core_api != "an Api"
    assert core_api.default_allocator is core_api.default_allocator


def test_the_repr_tells_version_and_place(core_api, real_api):
    assert repr(core_api) == f"<Api {API_VERSION} of the embedded core, '{VERSION_STRING}'>"
    assert real_api.path in repr(real_api)


@pytest.mark.parametrize("name", ["pointer", "version", "base", "path"])
def test_what_c_is_called_with_cannot_be_changed(api, name):
    before = getattr(api, name)
    with pytest.raises(AttributeError, match=f"{name} of a table cannot be changed"):
        setattr(api, name, 99)
    with pytest.raises(AttributeError, match=f"{name} of a table cannot be changed"):
        delattr(api, name)
    assert getattr(api, name) == before


def test_a_table_cannot_be_initialised_again(core_api):
    with pytest.raises(AttributeError, match="cannot be changed"):
        Api.__init__(core_api, core_api.pointer, version=99, version_string="1.99.0")
    assert core_api.version == API_VERSION


@pytest.mark.parametrize(
    ("pointer", "version", "error"),
    [
        (5, 1, "pointer must be a cdata of const OrtApi"),
        (ffi.new("int*"), 1, "pointer must be a cdata of const OrtApi"),
        (ffi.cast("OrtApi*", 0), 1, "pointer must not be NULL"),
        (lib.ortcffi_core_api_base().GetApi(1), 0, "version must be from 1"),
    ],
)
def test_what_is_no_table_is_refused(pointer, version, error):
    with pytest.raises((TypeError, ValueError), match=error):
        Api(pointer, version=version, version_string="1.1.0")


@pytest.mark.parametrize("given", [[], {}, "base", ffi.new("int*")])
def test_the_base_of_a_table_is_checked_too(core_api, given):
    with pytest.raises(TypeError, match="base must be a cdata of const Ort"):
        Api(core_api.pointer, version=1, version_string="1.1.0", base=given)


# --- slots ----------------------------------------------------------------------------------------


def test_a_table_supports_the_slots_up_to_its_version(api, old_api):
    for slot in ("CreateStatus", "ReleaseAllocator"):
        assert api.supports(slot)
        assert old_api.supports(slot)
    for slot in ("MemoryInfoGetDeviceType", "CreateMemoryInfo_V2"):
        assert api.supports(slot)
        assert not old_api.supports(slot)


def test_the_core_supports_the_slots_that_it_answers(core_api):
    rows = [lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS)]
    answers = {ffi.string(row.name).decode(): ffi.string(row.who) for row in rows}
    assert len(answers) == lib.ORTCFFI_SLOTS
    for slot, who in answers.items():
        assert core_api.supports(slot) == (who in {b"HOST", b"TABLE"}), slot


@pytest.mark.parametrize("slot", ["CreateTensorRTProviderOptions", "CreateCUDAProviderOptions"])
def test_only_a_library_with_an_engine_supports_what_needs_one(core_api, real_api, slot):
    assert not core_api.supports(slot)
    assert real_api.supports(slot)


def test_a_slot_that_does_not_exist_is_an_error(api):
    message = f"slot 'CreateNothing' is in no API version up to {API_VERSION}"
    with pytest.raises(LookupError, match=message):
        api.supports("CreateNothing")
    with pytest.raises(LookupError, match=message):
        api.require("CreateNothing")


BEYOND = {
    "CreateMemoryInfo_V2": lambda api: api.device_memory_info("any"),
    "CreateKeyValuePairs": lambda api: api.key_values(),
    "AllocatorGetStats": lambda api: api.default_allocator.stats,
    "GetBuildInfoString": lambda api: api.build_info,
    "MemoryInfoGetDeviceType": lambda api: api.cpu_memory_info().device_type,
    "MemoryInfoGetDeviceMemType": lambda api: api.cpu_memory_info().device_mem_type,
    "MemoryInfoGetVendorId": lambda api: api.cpu_memory_info().vendor_id,
}


@pytest.mark.parametrize("slot", BEYOND)
def test_a_slot_beyond_the_end_of_the_table_is_never_called(old_api, slot):
    expected = rf"{slot} came with API version \d\d; this table has 12"
    with pytest.raises(errors.NotImplemented, match=expected) as caught:
        BEYOND[slot](old_api)
    assert caught.value.function == slot


# --- the default of the process -------------------------------------------------------------------


def test_the_default_is_the_embedded_core(core_api):
    assert ortcffi.default_api() is ortcffi.core_api() is core_api


@pytest.mark.usefixtures("default_api_restored")
def test_the_default_can_be_chosen(real_api, core_api):
    assert ortcffi.init_api(real_api) is real_api
    assert ortcffi.default_api() is real_api
    with ortcffi.Status(1, "m") as status:
        assert status.api is real_api
    assert ortcffi.init_api() is core_api
    assert ortcffi.default_api() is core_api


@pytest.mark.usefixtures("default_api_restored")
def test_choosing_a_default_does_not_affect_existing_objects(real_api, core_api):
    with ortcffi.KeyValuePairs({"a": "1"}) as pairs:
        ortcffi.init_api(real_api)
        pairs["b"] = "2"
        assert pairs.api is core_api


MANUAL = """
import ortcffi
try:
    ortcffi.Status(1, "m")
except RuntimeError as error:
    print(error)
ortcffi.init_api()
print(ortcffi.Status(1, "m"))
"""
EXPLICIT = "import ortcffi; print(ortcffi.core_api().default_allocator.zeros(2).tolist())"


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_with_manual_init_nothing_is_chosen_until_init_api(value):
    *complaint, status = run_python(MANUAL, ORTCFFI_MANUAL_INIT=value).splitlines()
    assert ("ORTCFFI_MANUAL_INIT is set" in "".join(complaint)) == (value == "1")
    assert ("call ortcffi.init_api first" in "".join(complaint)) == (value == "1")
    assert status == "<Status FAIL: 'm'>"
    assert run_python(EXPLICIT, ORTCFFI_MANUAL_INIT=value) == "[0.0, 0.0]"


# --- the package ----------------------------------------------------------------------------------


def test_the_public_names_are_those_that_a_type_checker_sees():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    seen = {name.asname for node in imports for name in node.names}
    assert seen == set(ortcffi.__all__)
    assert len(ortcffi.__all__) == len(seen)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'ortcffi' has no attribute 'no_such_name'"):
        ortcffi.no_such_name  # noqa: B018


def test_the_import_loads_no_module_that_may_not_be_needed():
    code = "import sys, ortcffi; print(sorted(n for n in sys.modules if n.startswith('ortcffi')))"
    assert run_python(code) == "['ortcffi']"
