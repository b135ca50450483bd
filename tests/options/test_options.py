# SPDX-License-Identifier: MIT
"""Options of sessions, runs and threads: kept by the library, read back from Python."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import ortcffi as ort

KINDS = [ort.SessionOptions, ort.RunOptions, ort.ThreadingOptions]
CONFIGURED = [ort.SessionOptions, ort.RunOptions]


@pytest.fixture
def options(api):
    with ort.SessionOptions(api) as options:
        yield options


@pytest.fixture(params=CONFIGURED)
def config(request, api):
    with request.param(api) as options:
        yield options.config


def make_tensor(api):
    """A tensor over memory of ours."""
    return ort.Value.from_numpy(np.zeros(4, np.float32), api=api)


# --- settings -------------------------------------------------------------------------------------

SETTINGS = {
    "intra_op_threads": 3,
    "inter_op_threads": -5,
    "execution_mode": ort.ExecutionMode.PARALLEL,
    "optimization_level": ort.OptimizationLevel.LAYOUT,
    "mem_pattern": False,
    "cpu_arena": False,
    "deterministic": True,
    "shared_arena": True,
    "per_session_threads": False,
    "log_id": "naïve 模型",
    "log_severity": ort.LogSeverity.ERROR,
    "log_verbosity": -9,
    "logger": print,
    "optimized_model_path": "/tmp/模型.onnx",
    "profiling": "",
    "loading_cancelled": True,
    "device_policy": ort.DevicePolicy.PREFER_NPU,
    "device_selector": print,
    "ep_context_reader": print,
}
RUN_SETTINGS = {
    "log_severity": ort.LogSeverity.FATAL,
    "log_verbosity": 7,
    "tag": "naïve 模型",
    "terminated": True,
    "profiling": "prefix",
}
THREAD_SETTINGS = {
    "intra_op_threads": 3,
    "inter_op_threads": -1,
    "spinning": False,
    "denormal_as_zero": True,
    "affinity": "1,2;3-4",
}
CASES = [
    (kind, name, value)
    for kind, settings in zip(KINDS, [SETTINGS, RUN_SETTINGS, THREAD_SETTINGS], strict=True)
    for name, value in settings.items()
]


def seen_anew(options):
    """The same options as the library keeps them, for an object that knows nothing of them."""
    if isinstance(options, ort.ThreadingOptions):
        options._values.clear()
        return options
    return type(options).from_handle(options.api, options.handle, parent=options)


@pytest.mark.parametrize(("kind", "name", "value"), CASES)
def test_a_setting_is_kept_and_read_back_and_goes_back_to_its_default(api, kind, name, value):
    with kind(api) as options:
        default = getattr(options, name)
        setattr(options, name, value)
        assert getattr(options, name) == value != default
        assert type(getattr(options, name)) is type(value)
        if api.is_core and not callable(value):
            assert getattr(seen_anew(options), name) == value
    with kind(api, **{name: value}) as options:
        if name in ("per_session_threads", "denormal_as_zero"):
            with pytest.raises(ValueError, match=f"{name} cannot be turned "):
                setattr(options, name, default)
            assert getattr(options, name) == value
        elif name != "affinity":
            setattr(options, name, default)
            assert getattr(options, name) == default


@pytest.mark.parametrize(("kind", "name", "value"), CASES)
def test_a_setting_is_a_keyword_and_shows_in_the_repr(api, kind, name, value):
    with kind(api, **{name: value}) as options:
        assert options.to_dict() == {**kind(api).to_dict(), name: value}
        assert f" {name}={value!r}" in repr(options)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_tested(kind):
    tested = {name for case, name, _ in CASES if case is kind}
    assert set(kind._settings()) == tested


def test_options_of_a_class_of_the_programs_keep_their_settings(api):
    class Mine(ort.SessionOptions):
        pass

    with Mine(api, intra_op_threads=3, shared_arena=True) as options:
        assert options.to_dict()["intra_op_threads"] == 3
        assert options.to_dict()["shared_arena"]
        assert "intra_op_threads=3" in repr(options)


def test_fresh_options_of_both_tables_are_alike(core_api, real_api):
    for kind in KINDS:
        with kind(core_api) as ours, kind(real_api) as theirs:
            assert ours.to_dict() == theirs.to_dict() == seen_anew(ours).to_dict()
    with ort.SessionOptions(core_api) as ours, ort.SessionOptions(real_api) as theirs:
        assert ours.config == theirs.config == {}


def test_an_unknown_setting_is_refused_with_the_names_of_those_there_are(api):
    message = "no option 'intra_op_num_threads': did you mean 'intra_op_threads'"
    with pytest.raises(TypeError, match=rf"{message}\?; expected one of intra_op_threads, "):
        ort.SessionOptions(api, intra_op_num_threads=2)
    with pytest.raises(TypeError, match="no option 'config'; expected one of intra_op_threads, "):
        ort.ThreadingOptions(api, config={})


@pytest.mark.parametrize(
    ("name", "wrong", "error", "says"),
    [
        ("intra_op_threads", "2", TypeError, "intra_op_threads must be an int, not str"),
        ("log_severity", "info", TypeError, r"LogSeverity \(VERBOSE, INFO, .*\), not 'info'"),
        ("execution_mode", "fast", TypeError, r"ExecutionMode \(SEQUENTIAL, PARALLEL\), not"),
        ("intra_op_threads", 2**31, ValueError, "intra_op_threads must be from"),
        ("mem_pattern", 2, TypeError, "mem_pattern must be a bool, not 2"),
        ("mem_pattern", None, TypeError, "mem_pattern must be a bool, not None"),
        ("log_id", b"x", TypeError, "log_id must be a str, not bytes"),
        ("log_id", "a\0b", ValueError, "log_id must not contain a null character"),
        ("profiling", 5, TypeError, "profiling must be a str or os.PathLike, not int"),
        ("optimized_model_path", 5, TypeError, "model_path must be a str or os.PathLike, not int"),
        ("logger", 5, TypeError, "logger must be a logging.Logger or a callable, not 5"),
        ("device_selector", 5, TypeError, "device_selector must be a callable, not 5"),
        ("execution_mode", 7, ort.errors.InvalidArgument, "mode|level"),
        ("optimization_level", 5, ort.errors.InvalidArgument, "mode|level"),
    ],
)
def test_a_wrong_value_is_refused_and_changes_nothing(options, name, wrong, error, says):
    before = options.to_dict()
    with pytest.raises(error, match=says):
        setattr(options, name, wrong)
    assert options.to_dict() == before


def test_a_value_that_libraries_do_not_check_is_stored_unchanged(options):
    options.log_severity, options.device_policy = 99, 99
    assert (options.log_severity, options.device_policy) == (99, 99)


def test_a_policy_and_a_selector_replace_each_other(options):
    options.device_policy = ort.DevicePolicy.PREFER_GPU
    options.device_selector = print
    assert (options.device_policy, options.device_selector) == (ort.DevicePolicy.DEFAULT, print)
    options.device_policy = ort.DevicePolicy.PREFER_GPU
    assert options.device_policy is ort.DevicePolicy.PREFER_GPU
    assert options.device_selector is None


@pytest.mark.parametrize("affinity", ["", "1" * 4097])
def test_an_affinity_that_is_empty_or_too_long_is_refused(api, affinity):
    with ort.ThreadingOptions(api) as options, pytest.raises(ort.errors.InvalidArgument):
        options.affinity = affinity


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_table_the_default_one_makes_them(kind, core_api):
    with kind() as options:
        assert options.api == core_api


# --- configuration entries ------------------------------------------------------------------------

NAUGHTY = {"key": "", "naïve": "模型", "with space": "a=b;c", "%s": "%n"}


def test_entries_are_a_mapping(config):
    config.update(NAUGHTY)
    assert config == NAUGHTY
    assert dict(config) == NAUGHTY
    assert config["naïve"] == "模型"
    assert "key" in config
    assert "nope" not in config
    with pytest.raises(KeyError, match="nope"):
        config["nope"]
    assert 5 not in config
    assert config.get("nope", "default") == "default"
    assert len(config) == 4
    assert repr(config) == repr(config.to_dict())


def test_an_entry_is_replaced_and_cannot_be_removed(config):
    config["a"] = "2"
    config["a"] = "1"
    with pytest.raises(TypeError, match="the entry 'a' cannot be removed"):
        del config["a"]
    assert config == {"a": "1"}


def test_keys_and_values_must_be_text(config):
    with pytest.raises(TypeError, match="key must be a str, not int"):
        config[5] = "x"
    with pytest.raises(TypeError, match=r"config\['x'\] must be a str, not int"):
        config["x"] = 5
    with pytest.raises(ValueError, match=r"config\[.*\] must not contain a null character"):
        config["x"] = "\0"
    assert config == {}


def test_the_entries_of_closed_options_raise(options):
    config = options.config
    options.close()
    assert repr(config) == "<entries of <SessionOptions closed>>"
    for use in [lambda: config["a"], lambda: len(config), lambda: config.update(a="1")]:
        with pytest.raises(ValueError, match="this SessionOptions is closed"):
            use()


# --- dimensions and initializers ------------------------------------------------------------------


def test_dimensions_are_fixed_by_name_and_by_denotation(options):
    options.fix_dimension("batch", 4)
    options.fix_dimension("DATA_BATCH", -1, is_denotation=True)
    options.fix_dimension("", 2**63 - 1)
    assert options.free_dimensions == [
        ("batch", 4, False),
        ("DATA_BATCH", -1, True),
        ("", 2**63 - 1, False),
    ]
    with pytest.raises(ValueError, match="value must be from"):
        options.fix_dimension("batch", 2**63)
    assert len(options.free_dimensions) == 3


def test_initializers_are_kept_alive_and_found_by_name(options):
    tensor = make_tensor(options.api)
    options.add_initializer("w", tensor)
    assert options.initializers == {"w": tensor}
    kept = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert kept() is options.initializers["w"]
    with pytest.raises(ort.errors.InvalidArgument, match="w"):
        options.add_initializer("w", kept())


@pytest.mark.parametrize(
    "add",
    [
        lambda options, value: options.add_initializer("w", value),
        lambda options, value: options.add_external_initializers({"w": value}),
    ],
)
def test_the_options_keep_the_memory_of_a_closed_initializer(api, add):
    array = np.ones(4, np.float32)
    gone = weakref.ref(array)
    with ort.SessionOptions(api) as options:
        with ort.Value.from_numpy(array, api=api) as value:
            add(options, value)
        del array, value
        assert gone() is not None
    assert gone() is None


def test_external_initializers_are_kept_by_name(options):
    tensor = make_tensor(options.api)
    options.add_external_initializers({})
    options.add_external_initializers({"w": tensor})
    assert options.external_initializers == {"w": tensor}
    with pytest.raises(ort.errors.InvalidArgument):
        options.add_external_initializers({"w": tensor})


def test_an_initializer_must_be_a_value_of_the_same_table(options, core_api, real_api):
    tensor = make_tensor(options.api)
    for wrong in [5, None, core_api.default_allocator]:
        with pytest.raises(TypeError, match="value must be a Value, not "):
            options.add_initializer("w", wrong)
    other = core_api if options.api == real_api else real_api
    with (
        ort.SessionOptions(other) as others,
        pytest.raises(ValueError, match="value belongs to <Api"),
    ):
        others.add_initializer("w", tensor)


def test_files_of_initializers_are_borrowed_by_name(options):
    content = bytearray(b"123")
    options.add_external_files({"w.bin": content, "v.bin": memoryview(b"")})
    assert options.external_files["w.bin"] is content
    with pytest.raises(BufferError):
        content.append(0)
    with pytest.raises(ort.errors.InvalidArgument, match=r"w\.bin|file"):
        options.add_external_files({"w.bin": b""})
    with pytest.raises(TypeError, match=r"content of 'x' must be bytes-like and contiguous, not"):
        options.add_external_files({"x": 5})


def test_the_source_of_a_model_without_weights_is_borrowed(options):
    assert options.weightless_source is None
    options.set_weightless_source(model := bytearray(b"model"))
    assert options.weightless_source is model
    with pytest.raises(ort.errors.InvalidArgument):
        options.set_weightless_source(b"")


# --- copies ---------------------------------------------------------------------------------------


def test_a_clone_has_all_and_is_independent(api):
    tensor = make_tensor(api)
    settings = {name: value for name, value in SETTINGS.items() if name != "device_policy"}
    with ort.SessionOptions(api, config={"a": "1"}, **settings) as options:
        options.add_initializer("w", tensor)
        options.fix_dimension("N", 3)
        clone = copy.copy(options)
        options.config["b"] = "2"
        options.intra_op_threads = 9
        options.fix_dimension("M", 3)
    assert clone.to_dict() == {**clone.to_dict(), **settings}
    assert clone.config == {"a": "1", "session.use_env_allocators": "1"}
    assert clone.initializers == {"w": tensor}
    assert clone.free_dimensions == [("N", 3, False)]
    if api.is_core:
        kept = {name: value for name, value in settings.items() if not callable(value)}
        assert {name: getattr(seen_anew(clone), name) for name in kept} == kept


def test_options_that_a_function_gave_are_wrapped_and_not_released(options):
    options.config["a"] = "1"
    options.mem_pattern = False
    borrowed = ort.SessionOptions.from_handle(options.api, options.handle, parent=options)
    assert borrowed.config == {"a": "1"}
    assert borrowed.mem_pattern is False
    borrowed.close()
    assert options.config == {"a": "1"}


@pytest.mark.parametrize("kind", CONFIGURED)
def test_an_entry_that_other_code_has_set_is_listed_once_it_is_set_here(api, kind):
    with kind(api, config={"a": "1"}) as options:
        borrowed = kind.from_handle(api, options.handle, parent=options)
        borrowed.config["a"] = "1"
        assert dict(borrowed.config) == {"a": "1"}
        borrowed.close()


@pytest.mark.parametrize("kind", [ort.SessionOptions, ort.RunOptions, ort.KeyValuePairs])
@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_an_object_of_one_process_cannot_be_pickled(kind, take):
    with kind() as made, pytest.raises(TypeError, match=f"^cannot pickle a {kind.__name__}, which"):
        take(made)


# --- arguments ------------------------------------------------------------------------------------


JUNK = [-1, 1.5, "text", b"bytes", [None], object()]
CONTENTS = [
    ("values", lambda api, x: ort.SessionOptions(api).add_external_initializers(x)),
    ("files", lambda api, x: ort.SessionOptions(api).add_external_files(x)),
]
USES = [
    ("config", lambda api, x: ort.SessionOptions(api, config=x)),
    ("config", lambda api, x: ort.RunOptions(api, config=x)),
    ("config", lambda api, x: ort.Env(api=api, config=x)),
    ("free_dimensions", lambda api, x: ort.SessionOptions(api, free_dimensions=x)),
    *CONTENTS,
]


@pytest.mark.parametrize("junk", JUNK, ids=[type(x).__name__ for x in JUNK])
@pytest.mark.parametrize(("name", "use"), USES)
def test_an_argument_that_is_no_mapping_is_refused_by_name(api, name, use, junk):
    with pytest.raises(TypeError, match=f"{name} must be a mapping"):
        use(api, junk)


def test_adapters_that_are_no_iterable_are_refused_by_name(api):
    with pytest.raises(TypeError, match="adapters must be an iterable, not int"):
        ort.RunOptions(api, adapters=3)


@pytest.mark.parametrize("on", [np.bool_(True), 1])
def test_a_switch_takes_what_is_one_in_c_and_in_numpy(api, on):
    with ort.SessionOptions(api, mem_pattern=False) as options:
        options.mem_pattern = on
        assert options.mem_pattern is True
