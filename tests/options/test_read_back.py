# SPDX-License-Identifier: MIT
"""Options as the core stores them, read through new Python objects that know nothing of them."""

import numpy as np
import pytest

from ortcffi import RunOptions, SessionOptions, Value, emulate
from ortcffi._native import ffi, lib
from ortcffi.errors import InvalidArgument, check
from ortcffi.testing.live_objects import live_objects


@pytest.fixture
def tensors(api):
    """Two tensors over memory of ours, and one that owns its memory."""
    arrays = [np.zeros(4, np.float32) for _ in range(2)]
    borrowed = [Value.from_numpy(each, api=api) for each in arrays]
    made = [*borrowed, Value.empty(4, np.float32, api=api)]
    yield made
    for each in made:
        each.close()


def read_items(options, kind):
    """Name, number and pointer of each item of a list of the core."""
    items, item = [], ffi.new("core_session_item*")
    while lib.core_read_session_item(options.handle, kind, len(items), item):
        items.append((ffi.string(item.key).decode(), item.number, item.pointer))
    return items


def add_external(options, values):
    """Add initializers as a client in C does."""
    names = [ffi.new("char[]", name.encode()) for name in values]
    handles = [value.handle for value in values.values()]
    given = ffi.new("char*[]", names), ffi.new("OrtValue*[]", handles), len(values)
    table = options.api.pointer
    check(table, lib.AddExternalInitializers(table, options.handle, *given))


def seen_anew(options):
    """The same options, wrapped in a new object that knows nothing of them."""
    return type(options).from_handle(options.api, options.handle, parent=options)


def test_what_was_given_is_listed_by_the_core(core_api):
    with RunOptions(core_api, config={"z": "1", "a": ""}) as options:
        assert list(seen_anew(options).config.items()) == [("z", "1"), ("a", "")]
    with SessionOptions(core_api, profiling="p") as options:
        options.profiling = None
        assert seen_anew(options).profiling is None
        dimensions = [("N", 3, False), ("DATA_BATCH", -1, True), ("N", 2**63 - 1, False)]
        for name, length, is_denotation in dimensions:
            options.fix_dimension(name, length, is_denotation=is_denotation)
        assert seen_anew(options).free_dimensions == dimensions


def test_entries_come_back_in_the_order_in_which_they_were_first_added(core_api):
    keys = [f"key {i * 7919 % 1000}" for i in range(1000)]
    with SessionOptions(core_api, config=dict.fromkeys(keys, "1")) as options:
        options.config[keys[500]] = "2"
        assert list(options.config.items()) == [
            (key, "2" if key == keys[500] else "1") for key in keys
        ]
        assert [options.config[key] for key in keys].count("1") == 999


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_a_copy_has_the_initializers_and_the_files(api, tensors):
    first, second, _ = tensors
    content = b"bytes"
    with SessionOptions(api) as options:
        check(api.pointer, lib.AddInitializer(api.pointer, options.handle, b"w", first.handle))
        add_external(options, {"a": first, "b": second})
        options.add_external_files({"file": content})
        copy = options.clone()
    kinds = lib.CORE_INITIALIZERS, lib.CORE_EXTERNAL_INITIALIZERS, lib.CORE_EXTERNAL_FILES
    with copy:
        found = [read_items(copy, kind) for kind in kinds]
    assert found == [
        [("w", 0, first.handle)],
        [("a", 0, first.handle), ("b", 0, second.handle)],
        [("file", 5, ffi.from_buffer(content))],
    ]


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_external_initializers_live_as_long_as_any_options_that_have_them(api, tensors):
    before = live_objects()["value"]
    options = SessionOptions(api)
    add_external(options, {"a": tensors[0]})
    tensors[0].close()
    copy = options.clone()
    options.close()
    assert live_objects()["value"] == before
    copy.close()
    assert live_objects()["value"] == before - 1


@pytest.mark.parametrize("api", ["core"], indirect=True)
def test_a_call_with_a_refused_initializer_adds_none(api, tensors):
    first, second, own = tensors
    with SessionOptions(api) as options:
        add_external(options, {"a": first})
        for values in ({"b": second, "c": own}, {"b": second, "a": first}):
            with pytest.raises(InvalidArgument):
                add_external(options, values)
        kept = read_items(options, lib.CORE_EXTERNAL_INITIALIZERS)
        assert [name for name, *_ in kept] == ["a"]


def test_each_of_thousands_of_initializers_is_found_again(api, tensors):
    values = {f"layer.{i}.weight": tensors[i % 2] for i in range(3000)}
    with SessionOptions(api) as options:
        add_external(options, values)
        for name in list(values)[::100]:
            with pytest.raises(InvalidArgument):
                add_external(options, {name: tensors[0]})


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
        if key in ("optimized_model_filepath", "enable_profiling"):
            set_entry(options, key, "")
            assert getattr(seen_anew(options), name) is None


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
