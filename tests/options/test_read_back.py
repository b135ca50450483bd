# SPDX-License-Identifier: MIT
"""Options as the core stores them, read through new Python objects that know nothing of them."""

import json
from typing import NamedTuple

import pytest
from support.prepared import run_program

from ortcffi import FreeDimension, RunOptions, SessionOptions, emulate
from ortcffi._native import ffi, lib
from ortcffi.errors import InvalidArgument, check
from ortcffi.options.config_entries import read_items

# As the official package calls them.
OFFICIAL = {
    "intra_op_threads": "intra_op_num_threads",
    "inter_op_threads": "inter_op_num_threads",
    "execution_mode": "execution_mode",
    "optimization_level": "graph_optimization_level",
    "mem_pattern": "enable_mem_pattern",
    "cpu_arena": "enable_cpu_mem_arena",
    "deterministic": "use_deterministic_compute",
    "per_session_threads": "use_per_session_threads",
    "log_id": "logid",
    "log_severity": "log_severity_level",
    "log_verbosity": "log_verbosity_level",
    "optimized_model_path": "optimized_model_filepath",
    "profiling": "enable_profiling",
}


class Tensors(NamedTuple):
    api: object
    array: object  # the tensors are over its memory
    handles: list


@pytest.fixture
def tensors(api):
    """Two tensors over memory of ours, and one that owns its memory."""
    out, info, array = ffi.new("OrtValue**"), ffi.new("OrtMemoryInfo**"), ffi.new("float[4]")
    allocator, shape = ffi.new("OrtAllocator**"), ffi.new("int64_t[]", [4])
    check(api.pointer, lib.CreateCpuMemoryInfo(api.pointer, 0, 0, info))
    check(api.pointer, lib.GetAllocatorWithDefaultOptions(api.pointer, allocator))
    handles = []
    for _ in range(2):
        check(
            api,
            lib.CreateTensorWithDataAsOrtValue(api.pointer, info[0], array, 16, shape, 1, 1, out),
        )
        handles.append(out[0])
    check(api.pointer, lib.CreateTensorAsOrtValue(api.pointer, allocator[0], shape, 1, 1, out))
    lib.ReleaseMemoryInfo(api.pointer, info[0])
    yield Tensors(api, array, [*handles, out[0]])
    for handle in [*handles, out[0]]:
        lib.ReleaseValue(api.pointer, handle)


def add_external(options, values):
    names = [ffi.new("char[]", name.encode()) for name in values]
    check(
        options.api.pointer,
        lib.AddExternalInitializers(
            options.api.pointer,
            options.handle,
            ffi.new("char*[]", names),
            ffi.new("OrtValue*[]", list(values.values())),
            len(values),
        ),
    )


def seen_anew(options):
    """The same options, wrapped in a new object that knows nothing of them."""
    return type(options).from_handle(options.api, options.handle, parent=options)


def live(kind):
    number = 0
    while ffi.string(lib.ortcffi_kind_name(number)).decode() != kind:
        number += 1
    return lib.ortcffi_live_objects(number)


@pytest.mark.usefixtures("real_api")
def test_fresh_options_have_the_defaults_of_the_official_package(core_api):
    code = (
        "import json, onnxruntime; o = onnxruntime.SessionOptions(); "
        f"found = [getattr(o, name) for name in {list(OFFICIAL.values())}]; "
        "print(json.dumps([getattr(value, 'value', value) for value in found]))"
    )
    done = run_program(code)
    official = dict(zip(OFFICIAL, json.loads(done.stdout), strict=True))
    with SessionOptions(core_api) as options:
        found = {name: getattr(options, name) for name in OFFICIAL}
    found["profiling"] = found["profiling"] is not None
    found["optimized_model_path"] = found["optimized_model_path"] or ""
    assert found == official


def test_a_profile_that_is_disabled_has_no_path(core_api):
    with SessionOptions(core_api, profiling="p") as options:
        options.profiling = None
        assert seen_anew(options).profiling is None


def test_entries_come_back_in_the_order_in_which_they_were_first_added(core_api):
    keys = [f"key {i * 7919 % 1000}" for i in range(1000)]
    with SessionOptions(core_api, config=dict.fromkeys(keys, "1")) as options:
        options.config[keys[500]] = "2"
        assert list(options.config.items()) == [
            (key, "2" if key == keys[500] else "1") for key in keys
        ]
        assert [options.config[key] for key in keys].count("1") == 999


def test_entries_of_runs_are_listed_by_the_core(core_api):
    with RunOptions(core_api, config={"z": "1", "a": ""}) as options:
        assert list(seen_anew(options).config.items()) == [("z", "1"), ("a", "")]


def test_dimensions_are_kept_in_order_also_if_a_name_is_repeated(core_api):
    with SessionOptions(core_api) as options:
        options.fix_dimension("N", 3)
        options.fix_dimension("DATA_BATCH", -1, is_denotation=True)
        options.fix_dimension("N", 2**63 - 1)
        assert seen_anew(options).free_dimensions == [
            FreeDimension("N", 3),
            FreeDimension("DATA_BATCH", -1, is_denotation=True),
            FreeDimension("N", 2**63 - 1),
        ]


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_a_copy_has_the_initializers_and_the_files(tensors):
    first, second, _ = tensors.handles
    names, content = [ffi.new("char[]", b"file")], ffi.new("char[]", b"bytes")
    with SessionOptions(tensors.api) as options:
        table, handle = options.api.pointer, options.handle
        check(tensors.api.pointer, lib.AddInitializer(table, handle, b"w", first))
        add_external(options, {"a": first, "b": second})
        check(
            tensors.api.pointer,
            lib.AddExternalInitializersFromFilesInMemory(
                table, handle, names, [content], ffi.new("size_t[]", [5]), 1
            ),
        )
        copy = options.clone()
    with copy:
        kinds = (
            lib.CORE_INITIALIZERS,
            lib.CORE_EXTERNAL_INITIALIZERS,
            lib.CORE_EXTERNAL_FILES,
        )
        found = [[(i.name, i.number, i.pointer) for i in read_items(copy, kind)] for kind in kinds]
        assert found == [
            [("w", 0, first)],
            [("a", 0, first), ("b", 0, second)],
            [("file", 5, content)],
        ]


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_external_initializers_live_as_long_as_any_options_that_have_them(tensors):
    before = live("value")
    out, shape, info = ffi.new("OrtValue**"), ffi.new("int64_t[]", [4]), ffi.new("OrtMemoryInfo**")
    table = tensors.api.pointer
    check(tensors.api.pointer, lib.CreateCpuMemoryInfo(table, 0, 0, info))
    create = lib.CreateTensorWithDataAsOrtValue
    check(tensors.api.pointer, create(table, info[0], tensors.array, 16, shape, 1, 1, out))
    lib.ReleaseMemoryInfo(table, info[0])
    options = SessionOptions(tensors.api)
    add_external(options, {"a": out[0]})
    lib.ReleaseValue(table, out[0])
    copy = options.clone()
    options.close()
    assert live("value") == before + 1
    copy.close()
    assert live("value") == before


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_a_call_with_a_refused_initializer_adds_none(tensors):
    first, second, own = tensors.handles
    with SessionOptions(tensors.api) as options:
        add_external(options, {"a": first})
        for values in ({"b": second, "c": own}, {"b": second, "a": first}):
            with pytest.raises(InvalidArgument):
                add_external(options, values)
        kept = read_items(options, lib.CORE_EXTERNAL_INITIALIZERS)
        assert [item.name for item in kept] == ["a"]


def test_each_of_thousands_of_initializers_is_found_again(tensors):
    values = {f"layer.{i}.weight": tensors.handles[i % 2] for i in range(3000)}
    with SessionOptions(tensors.api) as options:
        add_external(options, values)
        for name in list(values)[::100]:
            with pytest.raises(InvalidArgument):
                add_external(options, {name: tensors.handles[0]})


def test_cancelled_loading_is_visible_in_all_copies(core_api):
    with SessionOptions(core_api) as options, options.clone() as copy:
        copy.loading_cancelled = True
        assert options.loading_cancelled
        options.loading_cancelled = False
        assert not copy.loading_cancelled


NAMED = {
    "intra_op_num_threads": ("intra_op_threads", " -5", -5),
    "inter_op_num_threads": ("inter_op_threads", "+7", 7),
    "execution_mode": ("execution_mode", "Parallel", 1),
    "graph_optimization_level": ("optimization_level", "enable_basic", 1),
    "enable_mem_pattern": ("mem_pattern", "FALSE", False),
    "enable_cpu_mem_arena": ("cpu_arena", "0", False),
    "use_deterministic_compute": ("deterministic", "1", True),
    "use_per_session_threads": ("per_session_threads", "false", False),
    "log_id": ("log_id", "naïve", "naïve"),
    "log_severity_level": ("log_severity", "3", 3),
    "log_verbosity_level": ("log_verbosity", "-9", -9),
    "optimized_model_filepath": ("optimized_model_path", "模型.onnx", "模型.onnx"),
    "enable_profiling": ("profiling", "run", "run"),
}


@pytest.mark.parametrize("key", NAMED)
def test_an_entry_may_name_a_setting(core_api, key):
    name, value, expected = NAMED[key]
    with SessionOptions(core_api) as options:
        set_entry(options, key, value)
        assert f"session.{key}" not in seen_anew(options).config
        assert getattr(seen_anew(options), name) == expected


@pytest.mark.parametrize("key", ["optimized_model_filepath", "enable_profiling"])
def test_an_empty_path_of_an_entry_is_none(core_api, key):
    with SessionOptions(core_api) as options:
        for value in ("run", ""):
            set_entry(options, key, value)
        assert getattr(seen_anew(options), NAMED[key][0]) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("intra_op_num_threads", ""),
        ("intra_op_num_threads", "3 "),
        ("intra_op_num_threads", "2147483648"),
        ("execution_mode", "1"),
        ("graph_optimization_level", "99"),
        ("enable_mem_pattern", "yes"),
        ("enable_cpu_mem_arena", ""),
    ],
)
def test_a_wrong_value_of_such_an_entry_is_refused(api, key, value):
    if api.version < 32:
        pytest.skip("older releases take these entries for unknown ones")
    with SessionOptions(api) as options, pytest.raises(InvalidArgument, match=key):
        set_entry(options, key, value)


def test_such_an_entry_is_not_stored(api):
    if api.version < 32:
        pytest.skip("older releases take these entries for unknown ones")
    with SessionOptions(api) as options:
        set_entry(options, "execution_mode", "parallel")
        found, mode = ffi.new("int*"), ffi.new("ExecutionMode*")
        lib.HasSessionConfigEntry(api.pointer, options.handle, b"session.execution_mode", found)
        lib.GetSessionExecutionMode(api.pointer, options.handle, mode)
        assert (found[0], mode[0]) == (0, 1)


def set_entry(options, key, value):
    """Add an entry as a client in C does."""
    table, handle = options.api.pointer, options.handle
    texts = f"session.{key}".encode(), value.encode()
    status = lib.AddSessionConfigEntry(table, handle, *texts)
    check(table, status)


@pytest.mark.parametrize("kind", [SessionOptions, RunOptions])
@pytest.mark.parametrize("version", [14, 21, 32])
def test_entries_of_options_of_an_older_host_are_read(kind, version):
    with kind(emulate(version), config={"a key": "its value"}) as options:
        options.config["another"] = "value"
        assert dict(options.config) == {"a key": "its value", "another": "value"}
