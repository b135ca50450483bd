# SPDX-License-Identifier: MIT
"""Statuses as exceptions: which class, what it knows, and that it travels."""

import copy
import gc
import pickle
import re
import weakref
from errno import ENOENT

import pytest
from support.paths import CHECKOUT
from support.prepared import run_program

from ortcffi import errors
from ortcffi._native import ffi, lib
from ortcffi.errors import ErrorCode, OrtError, check

CODES = CHECKOUT / "core/include/ort_error_codes.def"
BUILTINS = {
    "Fail": RuntimeError,
    "InvalidArgument": ValueError,
    "NoSuchFile": FileNotFoundError,
    "NoModel": LookupError,
    "EngineError": RuntimeError,
    "RuntimeException": RuntimeError,
    "InvalidProtobuf": ValueError,
    "ModelLoaded": RuntimeError,
    "NotImplemented": NotImplementedError,
    "InvalidGraph": ValueError,
    "EPFail": RuntimeError,
    "ModelLoadCanceled": RuntimeError,
    "ModelRequiresCompilation": RuntimeError,
    "NotFound": LookupError,
    "DeviceReset": RuntimeError,
}
EVERY_CLASS = [*(getattr(errors, name) for name in BUILTINS), errors.OutOfMemory]


def caught(api, code, message=b"why"):
    """What `check` raises for a status."""
    status = lib.CreateStatus(api.pointer, code, message)
    with pytest.raises(OrtError) as caught:
        check(api.pointer, status, "Function")
    return caught.value


def test_the_codes_are_those_of_the_c_header():
    listed = re.findall(r"^ORT_ERROR_CODE\(ORT_(\w+), (\d+)\)", CODES.read_text(), re.MULTILINE)
    assert {name: int(value) for name, value in listed} == dict(ErrorCode.__members__)


@pytest.mark.parametrize("code", sorted(errors.CLASSES), ids=lambda code: ErrorCode(code).name)
def test_a_status_raises_the_class_of_its_code(api, code):
    error = caught(api, code, "naïve".encode())
    assert type(error) is errors.CLASSES[code]
    assert type(error).__name__ in BUILTINS
    assert (error.code, error.message, error.function) == (code, "naïve", "Function")
    assert isinstance(error.code, ErrorCode)


@pytest.mark.parametrize("name", BUILTINS)
def test_every_class_is_also_a_builtin_exception(name):
    assert issubclass(getattr(errors, name), BUILTINS[name])
    assert issubclass(getattr(errors, name), OrtError)


@pytest.mark.parametrize("code", [16, 9999, 2**32 - 1])
def test_an_unknown_code_raises_the_base_with_that_number(api, code):
    error = caught(api, code)
    assert type(error) is OrtError
    assert (error.code, error.message, error.function) == (code, "why", "Function")
    assert (type(error.code), error.code.name) == (ErrorCode, f"UNKNOWN_{code}")
    assert pickle.loads(pickle.dumps(error.code)) == code
    assert pickle.loads(pickle.dumps(error)) == error
    assert {error.code: 1}[code] == 1


@pytest.mark.parametrize("wrong", ["9999", 1.5, None, [1]])
def test_only_a_number_is_a_code(wrong):
    with pytest.raises(ValueError, match="not a valid ErrorCode"):
        ErrorCode(wrong)


def test_a_status_that_says_ok_fails_all_the_same_because_success_is_null(api):
    error = caught(api, ErrorCode.OK)
    assert type(error) is OrtError
    assert error.code == ErrorCode.OK


def test_the_status_is_released(core_api):
    before = lib.ortcffi_live_objects(0)
    for code in (ErrorCode.FAIL, ErrorCode.RUNTIME_EXCEPTION, 9999):
        caught(core_api, code)
        assert lib.ortcffi_live_objects(0) == before


def test_a_message_may_be_empty_or_not_utf8_and_no_status_is_success(api):
    assert caught(api, ErrorCode.FAIL, b"a\x80\xffb").message == "a\ufffd\ufffdb"
    error = caught(api, ErrorCode.FAIL, ffi.NULL)
    assert (error.message, str(error)) == ("", "")
    assert check(api.pointer, ffi.cast("OrtStatus*", 0), "Function") is None


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (b"ortcore_open_model: 'x' does not exist", "'x' does not exist"),
        (b"ortcore_open_model", "ortcore_open_model"),
        (b"CreateEnv: ortcore_: 1", "CreateEnv: ortcore_: 1"),
    ],
)
def test_a_function_of_the_core_that_python_does_not_have_is_not_named(api, message, shown):
    assert caught(api, ErrorCode.FAIL, message).message == shown


NO_MEMORY = [
    (ErrorCode.RUNTIME_EXCEPTION, b"CreateX: out of memory: 5 bytes", True),
    (ErrorCode.RUNTIME_EXCEPTION, b"std::bad_alloc", True),
    (ErrorCode.RUNTIME_EXCEPTION, b"Failed to allocate memory for 5", True),
    (
        ErrorCode.RUNTIME_EXCEPTION,
        b"Available memory of 4 is smaller than requested bytes of 5",
        True,
    ),
    (ErrorCode.FAIL, b"... Failed to allocate memory for requested buffer of size 4096", True),
    (ErrorCode.FAIL, b"... Available memory of 1 is smaller than requested bytes of 4", True),
    (ErrorCode.FAIL, b"out of memory", False),  # an arena of ONNX Runtime says more
    (ErrorCode.FAIL, b"Failed to load a model", False),
]


@pytest.mark.parametrize(("code", "message", "is_memory"), NO_MEMORY)
def test_a_failure_that_says_out_of_memory_is_a_memory_error(api, code, message, is_memory):
    error = caught(api, code, message)
    assert isinstance(error, MemoryError) == is_memory
    assert type(error) is (errors.OutOfMemory if is_memory else errors.Fail)
    assert isinstance(error, errors.RuntimeException) == is_memory
    assert (error.code, pickle.loads(pickle.dumps(error)).code) == (code, code)


def test_the_repr_tells_message_function_and_code():
    error = errors.InvalidArgument("bad", "CreateMemoryInfo")
    assert repr(error) == "InvalidArgument('bad', function='CreateMemoryInfo', code=2)"
    assert repr(OrtError("x", None, 77)) == "OrtError('x', function=None, code=77)"


def test_an_exception_can_be_raised_by_hand_with_as_little_as_nothing():
    assert (errors.Fail().message, errors.Fail().function) == ("", None)
    assert errors.Fail("no such device").code == ErrorCode.FAIL
    assert OrtError("x").code == ErrorCode.FAIL
    assert str(errors.InvalidArgument("bad name", "CreateMemoryInfo")) == "bad name"


@pytest.mark.parametrize("kind", EVERY_CLASS)
def test_an_exception_survives_pickling_and_copying(kind):
    error = kind("message", "Function")
    error.add_note("a note")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert twin == error
        assert twin is not error
        assert (twin.message, twin.function, twin.code) == ("message", "Function", kind.code)
        assert twin.__notes__ == ["a note"]


def test_exceptions_are_equal_by_class_and_content():
    error = errors.Fail("m", "f")
    assert error == errors.Fail("m", "f")
    assert hash(error) == hash(errors.Fail("m", "f"))
    for other in (errors.Fail("m", "g"), errors.Fail("n", "f"), errors.NotFound("m", "f"), "m"):
        assert error != other
    assert errors.OutOfMemory("m", "f") != errors.RuntimeException("m", "f")


def test_a_missing_file_has_what_the_handlers_of_os_errors_look_for():
    error = errors.NoSuchFile("no model.onnx", "CreateSession")
    assert (error.errno, error.strerror, error.filename) == (ENOENT, "no model.onnx", None)
    assert str(error) == "no model.onnx"


def test_a_caught_exception_leaves_no_cycle_for_the_collector(api):
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(errors.InvalidArgument) as caught:
            api.memory_info("NoSuchDevice")
        token = weakref.ref(caught.value)
        del caught
        assert token() is None
    finally:
        gc.enable()


def test_failing_in_a_program_prints_class_and_message():
    code = "import ortcffi; ortcffi.core_api().memory_info('NoSuchDevice')"
    done = run_program(code, code=1)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ortcffi.errors.InvalidArgument: CreateMemoryInfo")


def test_an_exception_survives_the_pickling_of_tblib():
    pytest.importorskip("tblib")
    script = """
import pickle
from tblib import pickling_support
from ortcffi.errors import NoSuchFile
pickling_support.install()
error = NoSuchFile("there is none", "Load")
assert pickle.loads(pickle.dumps(error)) == error
"""
    run_program(script)
