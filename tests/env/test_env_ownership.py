# SPDX-License-Identifier: MIT
"""Objects that an environment keeps alive, and the order in which they may be collected."""

import gc
import re
import sys
import weakref

import numpy as np
import pytest
from support.versions import API_VERSION

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.env.state import state_of
from ortcffi.errors import check
from ortcffi.memory.foreign import allocator_for
from ortcffi.testing.live_objects import live_objects


@pytest.fixture
def env(api):
    with ort.Env("app", api) as env:
        yield env


class Plain(ort.PythonAllocator):
    """An allocator in Python."""

    def alloc(self, size):
        raise MemoryError(size)

    def free(self, pointer):
        raise AssertionError(pointer)


# --- who keeps what -------------------------------------------------------------------------------


def test_a_block_keeps_the_allocator_made_for_another_library(real_api):
    """A result of a session may outlive the environment that shared the allocator."""
    before = live_adaptors()
    foreign = allocator_for(real_api, ort.Tracking(ort.core_api().default_allocator))
    address, block = int(ffi.cast("uintptr_t", foreign.handle)), ffi.new("void**")
    check(real_api.pointer, lib.AllocatorAlloc(real_api.pointer, foreign.handle, 64, block))
    foreign.close()
    del foreign
    gc.collect()
    assert live_adaptors() > before
    check(
        real_api.pointer,
        lib.AllocatorFree(real_api.pointer, ffi.cast("OrtAllocator*", address), block[0]),
    )
    gc.collect()
    assert live_adaptors() == before


def test_what_is_freed_twice_ends_no_foreign_allocator(real_api):
    before = live_adaptors()
    foreign = allocator_for(real_api, ort.Tracking(ort.core_api().default_allocator))
    block = foreign.alloc(64)
    for pointer in [block, block, block, ffi.NULL, ffi.NULL]:
        check(real_api.pointer, lib.AllocatorFree(real_api.pointer, foreign.handle, pointer))
    assert live_adaptors() > before
    assert foreign.zeros(10).sum() == 0
    del foreign
    gc.collect()
    assert live_adaptors() == before


def live_adaptors():
    return live_objects()["adaptor"]


def test_the_core_keeps_a_registered_allocator_by_itself(core_api):
    """As a client in C would: no Python object keeps it."""
    with ort.Env("app", core_api) as env:
        arena = ort.Arena(core_api.default_allocator)
        status = lib.RegisterAllocator(core_api.pointer, env.handle, arena.handle)
        ort.errors.check(core_api.pointer, status, "RegisterAllocator")
        arena.close()
        del arena
        gc.collect()
        assert env.shared_allocator().full(1000, 7, np.int8).sum() == 7000


def test_a_shared_allocator_outlives_its_registration_on_the_core(core_api):
    with ort.Env("app", core_api) as env:
        env.create_arena()
        shared = env.shared_allocator()
        array = shared.full(1000, 7, np.int8)
        env.unregister_allocator(core_api.cpu_memory_info(ort.AllocatorType.ARENA))
        assert array.sum() == shared.full(1000, 7, np.int8).sum() == 7000


def test_a_replaced_allocator_is_released(env):
    inner = ort.core_api().default_allocator
    replaced = ort.Tracking(inner)
    env.register_allocator(replaced)
    gone = weakref.ref(replaced)
    del replaced
    env.register_allocator(ort.Tracking(inner))
    gc.collect()
    assert gone() is None
    assert len(env._registered()) == 1


def test_a_replaced_arena_keeps_the_name_of_its_memory(core_api):
    with ort.Env("app", core_api) as env:
        env.create_arena()
        replaced = env.shared_allocator()
        env.create_arena()
        # These get the memory that was the environment's.
        kept = [core_api.default_allocator.full(128, ord("X"), np.uint8) for _ in range(20)]
        assert replaced.info.name == "Cpu"
        del kept


@pytest.mark.parametrize(
    "bounded",
    [
        lambda inner: ort.Limiting(inner, 1 << 30),
        lambda inner: ort.Tracking(ort.Limiting(inner, 1 << 30)),
        lambda inner: ort.Failing(inner, after=100),
        lambda inner: ort.Arena(inner, max_bytes=1 << 30),
        lambda _inner: Plain(),
    ],
)
def test_a_real_library_warns_of_an_allocator_that_can_answer_null(real_api, core_api, bounded):
    with ort.Env("app", real_api) as env, ort.Env("app", core_api) as core_env:
        allocator = bounded(core_api.default_allocator)
        with pytest.warns(RuntimeWarning, match="can answer NULL, and then .* ends the process"):
            env.register_allocator(allocator)
        core_env.register_allocator(allocator)
        env.unregister_allocator(allocator)
        core_env.unregister_allocator(allocator)


@pytest.mark.filterwarnings("error")
def test_a_real_library_takes_an_allocator_with_a_soft_limit_without_a_warning(real_api, core_api):
    with ort.Env("app", real_api) as env:
        allocator = ort.Tracking(ort.Limiting(core_api.default_allocator, 10, soft=True))
        env.register_allocator(allocator)
        env.unregister_allocator(allocator)
        doubled = ort.Limiting(ort.Limiting(core_api.default_allocator, 10), 10, soft=True)
        with pytest.raises(RuntimeWarning, match="a Limiting allocator can answer NULL"):
            env.register_allocator(doubled)


# --- loggers --------------------------------------------------------------------------------------


class Logger:
    def __call__(self, message):
        raise AssertionError(message)


def test_the_logger_of_a_further_environment_is_not_kept_and_of_one_that_fails_nothing(api):
    with ort.Env("first", api) as _first:
        loggers = [Logger() for _ in range(3)]
        gone = [weakref.ref(logger) for logger in loggers]
        further = [ort.Env("further", api, logger=logger) for logger in loggers]
        del loggers
        assert [reference() for reference in gone] == [None] * 3
        for env in further:
            env.close()
        with pytest.raises(TypeError):
            ort.Env("second", api, logger=print, config={"key": 5})
        assert state_of(api).given == ()


def test_the_logger_of_the_first_environment_is_kept_until_the_last_is_closed(api):
    logger = Logger()
    alive = weakref.ref(logger)
    first = ort.Env("first", api, logger=logger)
    second = ort.Env("second", api)
    del logger
    first.close()
    del first
    assert alive() is not None
    second.close()
    assert alive() is None


def test_create_env_with_options_fails_with_the_text_that_clients_match(api):
    text, newest = ffi.new("char[]", b"app"), API_VERSION
    severity = "valid logging severity level value from the OrtLoggingLevel enumeration"
    for words, fields in {
        "version set equal to ORT_API_VERSION": (1, 1, text),
        "valid (non-null) log identifier string": (newest, 1, ffi.NULL),
        severity: (newest, 7, text),
    }.items():
        options = ffi.new("OrtEnvCreationOptions*", (*fields, ffi.NULL, ffi.NULL, ffi.NULL))
        status = lib.CreateEnvWithOptions(api.pointer, options, ffi.new("OrtEnv**"))
        with pytest.raises(ort.errors.InvalidArgument, match=re.escape(words)):
            ort.errors.check(api.pointer, status, "CreateEnvWithOptions")


def test_an_environments_own_allocator_can_be_registered_and_does_not_keep_it(env):
    own = env.shared_allocator()
    env.register_allocator(own)
    assert env.shared_allocator().handle == own.handle
    assert own.zeros(10).sum() == 0  # the fixture finds environments that stay


def test_a_closed_allocator_that_is_found_and_registered_again_stays_registered(env):
    before = live_adaptors()
    with ort.Tracking(ort.core_api().default_allocator) as tracking:
        env.register_allocator(tracking)
    shared = env.shared_allocator()
    env.register_allocator(shared)
    handle = int(ffi.cast("uintptr_t", shared.handle))
    del shared, tracking
    gc.collect()
    assert live_adaptors() > before
    assert int(ffi.cast("uintptr_t", env.shared_allocator().handle)) == handle


def test_references_from_before_an_allocator_was_shared_take_none_away(api):
    before = [ort.Value.empty(3, "f4", api.default_allocator) for _ in range(10)]
    with ort.Env("app", api) as env:
        shared = env.shared_allocator()
        values = [ort.Value.empty(3, "f4", shared) for _ in range(3)]
    before.clear()
    gc.collect()  # it would visit what was freed
    assert shared.zeros(3).sum() == 0
    assert all(value.shape == (3,) for value in values)


def test_references_from_before_a_handle_was_made_take_none_away(api):
    struct = ffi.new("OrtAllocator*", ort.core_api().default_allocator.handle[0])
    adaptor = ffi.new("OrtAllocator**")
    assert not lib.ortcffi_soft_limiting(struct, 8, ffi.NULL, adaptor)  # it has a reference
    allocator = ort.Allocator(api, struct, parent=struct)
    count = sys.getrefcount(allocator)
    lib.ortcffi_release_adaptor(ffi.NULL, adaptor[0])
    assert sys.getrefcount(allocator) == count
