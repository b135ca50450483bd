# SPDX-License-Identifier: MIT
"""The cyclic collector takes objects apart in any order, and none is used after its end.

Each test is a process of its own, since what it looks for ends a process.
"""

import sys
import textwrap

import pytest
from support import processes
from support.paths import finds_support

HEAD = """\
import gc, itertools, sys
import numpy as np
import ortcffi as ort
from ortcffi._native import lib
from support.allocators import InPython

class Holder:
    pass

def alive():
    gc.collect()
    kinds = itertools.takewhile(lib.ortcffi_kind_name, itertools.count())
    return [lib.ortcffi_live_objects(kind) for kind in kinds]

def unraisable(event):
    global failures
    failures += 1
    sys.__unraisablehook__(event)

failures = 0
sys.unraisablehook = unraisable
api = ort.core_api() if sys.argv[1] == "core" else ort.load()
default = api.default_allocator
"""

# Every pair of kinds, one made after the other and, where it can be, with it.
PAIRS = """\
ADAPTORS = {
    "arena": ort.Arena, "tracking": ort.Tracking, "logging": ort.Logging, "failing":
    lambda inner: ort.Failing(inner, 99), "limiting": lambda inner: ort.Limiting(inner, 1 << 30),
    "aligned": lambda inner: ort.Aligned(inner, 4096),
    "soft": lambda inner: ort.Limiting(inner, 9, soft=True, on_excess=lambda _from, _size: None),
    "chain": lambda inner: ort.Arena(ort.Tracking(ort.Arena(inner))),
}

def allocator_of(other):
    if isinstance(other, ort.Allocator):
        return other
    return other.shared_allocator() if isinstance(other, ort.Env) else default

def environment(other):
    env = ort.Env("cycles", api=api)
    if isinstance(other, ort.Allocator) and other.api == api:
        env.register_allocator(other)
    return env

KINDS = {name: (lambda other, make=make: make(allocator_of(other)))
         for name, make in ADAPTORS.items()}
KINDS |= {
    "python allocator": lambda _: InPython(api),
    "array": lambda other: allocator_of(other).zeros(30),
    "value": lambda other: ort.Value.empty(3, "f4", allocator_of(other))
        if other is None or getattr(other, "api", None) == api or isinstance(other, ort.Env)
        else ort.Value.from_numpy(np.zeros(3), api=api),
    "environment": environment,
    "shared allocator": lambda other: (other if isinstance(other, ort.Env)
                                       else ort.Env("cycles", api=api)).shared_allocator(),
    "memory info": lambda other: other.info if isinstance(other, ort.Allocator)
        else api.cpu_memory_info(),
    "type info": lambda other: (other if isinstance(other, ort.Value)
                                else ort.Value.from_numpy(np.zeros(3), api=api)).type_info,
    "session options": lambda _: ort.SessionOptions(api),
    "pairs": lambda _: api.key_values({"a": "b"}),
    "NumPy's array": lambda other: with_numpy(allocator_of(other)),
}
KINDS |= {f"scope of a {owner}": (lambda other, owner=owner: in_scope(allocator_of(other), owner))
          for owner in ("process", "thread", "context")}

# A scope that is never left, and what was taken in it.
def in_scope(allocator, owner):
    scope = ort.Tracking(allocator).scope(belongs_to=owner)
    return scope.__enter__(), scope._tracking.zeros(30)

def with_numpy(allocator):
    with ort.numpy_allocator(allocator):
        return np.zeros(30)

before = alive()
gc.freeze()  # what stays need not be looked at each time
for first, second in itertools.product(KINDS, repeat=2):
    for names in (("a", "b"), ("b", "a")):
        holder = Holder()
        holder.me = holder
        one = KINDS[first](None)
        two = KINDS[second](one)
        setattr(holder, names[0], one)
        setattr(holder, names[1], two)
        del one, two, holder
        gc.collect()
left = [now - then for now, then in zip(alive(), before)]
assert not any(left), left
assert not failures
print("done")
"""


def run(source, library="core"):
    script = HEAD + textwrap.dedent(source)
    command = [sys.executable, "-X", "faulthandler", "-c", script, library]
    return processes.run(*command, code=None, env=finds_support())


@pytest.mark.parametrize("library", ["core", "real"])
def test_cycles_of_all_pairs_of_kinds_are_collected(library, request):
    if library == "real":
        request.getfixturevalue("real_api")
    done = run(PAIRS, library)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize("kind", ["Arena", "Logging", "Tracking", "InPython"])
def test_a_destructor_in_the_cycle_may_use_the_allocator(kind):
    done = run(f"""
        made = []
        class User:
            def __del__(self):
                made.append(self.pool.zeros(1000).sum())
                made.append(self.pool.stats is not None)
        make = InPython if {kind!r} == "InPython" else lambda _: ort.{kind}(default)
        for _ in range(30):
            user = User()
            user.me, user.pool = user, make(api)
            user.x = user.pool.empty(100)
            del user
            gc.collect()
        assert made == [0.0, True] * 30, made
        assert not failures
        print("done")
    """)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_an_allocator_that_leads_to_its_own_array_stays_whole():
    done = run("""
        pool = InPython(api)
        pool.array = pool.zeros(100)
        pool.outer = ort.Arena(pool)
        pool.more = pool.outer.zeros(100)
        held = pool.more
        del pool
        gc.collect()
        held[:] = 1
        del held
        gc.collect()
        assert not failures
        print("done")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("library", ["core", "real"])
def test_functions_that_lead_to_what_calls_them_are_collected(library, request):
    if library == "real":
        request.getfixturevalue("real_api")
    done = run(
        """
        import weakref
        kinds = {
            "logger": lambda f: ort.SessionOptions(api, logger=f),
            "excess": lambda f: ort.Limiting(default, 9, soft=True, on_excess=f),
        }
        if api.supports("SessionOptionsSetEpSelectionPolicyDelegate"):
            kinds["selector"] = lambda f: ort.SessionOptions(api, device_selector=f)
        if api.supports("SessionOptionsSetEpContextDataReadFunc"):
            kinds["reader"] = lambda f: ort.SessionOptions(api, ep_context_reader=f)
        def made(kind):
            holder = Holder()
            holder.user = kinds[kind](lambda *_: holder)
            return weakref.ref(holder)
        gc.disable()
        holders = {kind: made(kind) for kind in kinds}
        gc.collect()
        left = [kind for kind, holder in holders.items() if holder() is not None]
        assert not left, left
        print("done")
    """,
        library,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
