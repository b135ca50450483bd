# SPDX-License-Identifier: MIT
"""Shared allocators of environments, and allocators that another library uses."""

import gc
import weakref

import numpy as np
import pytest
from support.allocators import InPython

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.env.state import state_of
from ortcffi.memory.foreign import allocator_for


@pytest.fixture
def env(api):
    with ort.Env("app", api) as env:
        yield env


@pytest.fixture(params=["core", "real"])
def tracking(request):
    """An allocator around one of either library, for either library."""
    inner = request.getfixturevalue(f"{request.param}_api").default_allocator
    with ort.Tracking(inner) as tracking:
        yield tracking


class Mine(InPython):
    """An allocator in Python, which fails on demand."""

    def __init__(self):
        super().__init__()
        self.error = None

    def alloc(self, size):
        if self.error:
            raise self.error
        return super().alloc(size)

    def figures(self):
        if self.error:
            raise self.error
        return {"InUse": len(self.blocks)}

    def shrink(self):
        raise self.error or ValueError("nothing to shrink")


# --- shared allocators ----------------------------------------------------------------------------


def test_an_allocator_of_any_library_can_be_registered(env, tracking):
    before = env.shared_allocator().handle
    env.register_allocator(tracking)
    assert env.shared_allocator() is tracking
    env.unregister_allocator(tracking)
    assert env.shared_allocator().handle == before
    with pytest.raises(ort.errors.InvalidArgument):
        env.unregister_allocator(env.api.cpu_memory_info())


def test_the_library_allocates_from_the_registered_allocator(env, tracking):
    env.register_allocator(tracking)
    out = ffi.new("OrtAllocator**")
    info = env.api.cpu_memory_info()
    assert not lib.GetSharedAllocator(env.api.pointer, env.handle, info.handle, out)
    shared = ort.Allocator(env.api, out[0], parent=env.handle)
    assert shared.info == info
    x = shared.full(1000, 7, np.int8)
    assert (tracking.bytes_allocated, x.sum()) == (1000, 7000)
    del x
    assert tracking.bytes_allocated == 0
    assert shared.stats.bytes_allocated == 0


@pytest.mark.parametrize("end", ["unregistered", "closed"])
def test_a_registered_allocator_is_kept_until_that_or_the_environment_ends(api, end):
    tracking = ort.Tracking(api.default_allocator)
    alive = weakref.ref(tracking)
    first, second = ort.Env(api=api), ort.Env(api=api)
    first.register_allocator(tracking)
    del tracking
    first.close()
    gc.collect()
    assert alive() is second.shared_allocator()
    if end == "unregistered":
        second.unregister_allocator(alive())
        gc.collect()
        assert alive() is None
    second.close()
    gc.collect()
    assert alive() is None


def test_of_two_names_for_a_memory_the_one_that_is_not_unregistered_is_kept(env, core_api):
    infos = [env.api.device_memory_info(name, ort.DeviceType.GPU) for name in ("one", "two")]
    one, two = (named(info, core_api.default_allocator) for info in infos)
    alive = weakref.ref(two)
    env.register_allocator(one)
    env.register_allocator(two)
    del two
    env.unregister_allocator(one)
    gc.collect()
    assert env.shared_allocator(infos[0]) is alive() is not None
    env.unregister_allocator(infos[1])
    gc.collect()
    assert alive() is None


def named(info, allocator):
    """The allocator with another memory info."""
    inner = allocator.handle
    answer = ffi.callback("const OrtMemoryInfo*(*)(const OrtAllocator*)", lambda _: info.handle)
    struct = ffi.new("OrtAllocator*", {"version": 1, "Alloc": inner.Alloc, "Free": inner.Free})
    struct.Info = answer
    return ort.Allocator(info.api, struct, parent=(struct, answer, info))


def test_an_array_in_shared_memory_keeps_the_environment(api):
    env = ort.Env(api=api)
    alive = weakref.ref(state_of(api))
    shared = env.shared_allocator()
    x = shared.full(1000, 7)
    env.close()
    del env
    assert alive() or api.is_core  # whose own is the default allocator, which needs no environment
    del shared
    assert alive() or api.is_core
    assert x.sum() == 7000
    del x
    assert alive() is None


def test_an_arena_for_another_device_or_of_an_unknown_provider_is_refused(env):
    gpu = env.api.memory_info("Cuda")
    with pytest.raises(ort.errors.InvalidArgument):
        env.create_arena(gpu)
    with pytest.raises(ort.errors.InvalidArgument):
        env.create_arena(provider="Nope", options={"a": "b"})
    with pytest.raises(ValueError, match="options are a provider's, and no provider was given"):
        env.create_arena(options={"a": "b"})


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.register_allocator(5),
        lambda env: env.unregister_allocator(None),
        lambda env: env.shared_allocator("Cpu"),
        lambda env: env.create_arena(cfg={}),
        lambda env: env.create_arena(5),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(env, use):
    with pytest.raises(TypeError, match=r"^(allocator|what|info|cfg|device) must be "):
        use(env)


def test_an_object_of_another_library_is_refused(env, core_api, real_api):
    other = core_api if env.api == real_api else real_api
    with pytest.raises(ValueError, match="info belongs to <Api"):
        env.shared_allocator(other.cpu_memory_info())


# --- allocators in Python, and allocators for another library -----------------------------------


@pytest.mark.filterwarnings("ignore:.*can answer NULL:RuntimeWarning")
def test_an_exception_in_an_allocator_comes_back_through_the_library(env):
    mine = Mine()
    env.register_allocator(mine)
    foreign = ort.Allocator(env.api, allocator_for(env.api, mine).handle)
    mine.error = KeyError("mine")
    with pytest.raises(MemoryError) as raised:
        foreign.empty(10)
    assert raised.value.__cause__ is mine.error


def test_a_foreign_allocator_speaks_for_the_one_inside(api, tracking):
    foreign = allocator_for(api, tracking)
    assert foreign.info == api.cpu_memory_info()
    x = foreign.zeros(10)
    assert foreign.stats.bytes_allocated == tracking.bytes_allocated == 80
    del x
    assert allocator_for(api, foreign) is foreign
    assert allocator_for(api, api.default_allocator) is api.default_allocator


def test_an_exception_in_a_python_allocator_is_a_status_of_the_other_library(real_api):
    mine = Mine()
    foreign = allocator_for(real_api, mine)
    x = foreign.zeros(10)
    assert foreign.stats.bytes_allocated == 1
    with pytest.raises(ort.errors.InvalidArgument, match="nothing to shrink") as raised:
        foreign.release_unused()
    assert type(raised.value.__cause__) is ValueError
    del x
    mine.error = KeyError("mine")
    with pytest.raises(ort.errors.RuntimeException, match="mine") as raised:
        foreign.stats  # noqa: B018
    assert raised.value.__cause__ is mine.error


def test_another_device_is_described_to_the_other_library(core_api, real_api):
    class Gpu(Mine):
        @property
        def info(self):
            return core_api.device_memory_info("far", 1, vendor_id=5, device_id=3)

    info = allocator_for(real_api, Gpu()).info
    assert (info.api, info.name, info.device_type) == (real_api, "far", ort.DeviceType.GPU)
    assert (info.vendor_id, info.id) == (5, 3)


def test_the_core_refuses_allocators_and_memory_of_another_library_by_name(core_api, real_api):
    allocator, info = real_api.default_allocator, real_api.cpu_memory_info()
    out = ffi.new("OrtAllocator**")
    with ort.Env("app", core_api) as env:
        for name, arguments in {
            "RegisterAllocator": (allocator.handle,),
            "UnregisterAllocator": (info.handle,),
            "CreateAndRegisterAllocator": (info.handle, ffi.NULL),
            "GetSharedAllocator": (info.handle, out),
        }.items():
            status = getattr(lib, name)(core_api.pointer, env.handle, *arguments)
            with pytest.raises(ort.errors.InvalidArgument, match="OrtMemoryInfo of this library"):
                ort.errors.check(core_api.pointer, status, name)


@pytest.mark.filterwarnings("ignore:.*can answer NULL")
def test_an_adaptor_around_an_allocator_of_a_real_library_tells_why_it_cannot_shrink(real_api):
    class Stubborn(ort.PythonAllocator):
        def shrink(self):
            raise ValueError("not now")

    with ort.Env("app", real_api) as env:
        mine = Stubborn()
        env.register_allocator(mine)
        mine.close()
        for make in (ort.Tracking, lambda inner: ort.Failing(ort.Tracking(inner), 5)):
            with make(env.shared_allocator()) as around, pytest.raises(ort.OrtError):
                around.release_unused()
